/* "types": names for structs, enums, handles and other types. */
#include <stdio.h>
#include <string.h>

#include "document.h"

static const char *
kind_name (struct document *doc, const char *keyword, const char *name)
{
  char text[160];

  (void) snprintf (text, sizeof text, "%s %s", keyword, name);
  return values_text (doc->pool, text, strlen (text));
}

static bool
read_member (struct document *doc, const struct value *value, struct c_member *member)
{
  static const char *const names[] = { "name", "type", "description", NULL };

  if (!document_object (doc, value, names) || !document_text (doc, value, "name", &member->name)
      || !document_type (doc, value, "type", &member->type)
      || !document_text (doc, value, "description", &member->description))
    return false;
  if (member->name == NULL || !document_is_c_name (member->name))
    return document_wrong (doc, "name", "expected the member's name in C");
  if (member->type == NULL)
    return document_wrong (doc, "type", "expected the member's type, as \"int\"");
  return true;
}

static bool
read_struct (struct document *doc, const struct value *list, struct c_type *type)
{
  const struct place before = document_enter (doc, "struct");
  struct c_member *members;
  const char *why;

  if (!value_is (list, VALUE_ARRAY) || list->count == 0 || list->count > C_MEMBERS_MAX)
    return document_wrong (doc, "", "expected a list of 1 to %d members", C_MEMBERS_MAX);
  members = values_alloc (doc->pool, list->count * sizeof *members);
  if (members == NULL)
    return document_wrong (doc, "", "there is no memory");
  for (size_t i = 0; i < list->count; i++) {
    const struct place at = document_enter_item (doc, i);
    if (!read_member (doc, list->items[i], &members[i]))
      return false;
    for (size_t j = 0; j < i; j++)
      if (strcmp (members[j].name, members[i].name) == 0)
        return document_wrong (doc, "name", "there is a member \"%s\" already", members[i].name);
    document_leave (doc, at);
  }
  if (!c_type_complete (doc->types, type, members, list->count, &why))
    return document_wrong (doc, "", "this is %s", why);
  document_leave (doc, before);
  return true;
}

static bool
read_enum (struct document *doc, const struct value *object, struct c_type *type)
{
  const struct place before = document_enter (doc, "enum");
  struct c_constant *constants;

  if (!value_is (object, VALUE_OBJECT) || object->count == 0 || object->count > C_CONSTANTS_MAX)
    return document_wrong (doc, "", "expected an object of 1 to %d constants", C_CONSTANTS_MAX);
  constants = values_alloc (doc->pool, object->count * sizeof *constants);
  if (constants == NULL)
    return document_wrong (doc, "", "there is no memory");
  for (size_t i = 0; i < object->count; i++) {
    const struct value *number = object->members[i].value;
    uint64_t magnitude;
    bool negative;
    if (!value_is (number, VALUE_NUMBER) || !document_whole (number->text, &negative, &magnitude)
        || magnitude > (uint64_t) INT64_MAX)
      return document_wrong (doc, object->members[i].name, "expected a whole number");
    constants[i].name = object->members[i].name;
    constants[i].value = negative ? -(int64_t) magnitude : (int64_t) magnitude;
  }
  c_type_constants (type, constants, object->count);
  document_leave (doc, before);
  return true;
}

/* Exactly one of "struct", "enum", "opaque", "is". */
static bool
read_type (struct document *doc, const struct value *value, const char *name, struct c_type *type)
{
  static const char *const names[] = { "struct", "enum", "opaque", "is", NULL };
  const struct c_type *other = NULL;

  if (!document_object (doc, value, names))
    return false;
  if (value->count != 1)
    return document_wrong (doc, "", "expected one of \"struct\", \"enum\", \"opaque\" or \"is\"");
  if (value_get_z (value, "struct") != NULL) {
    type->name = kind_name (doc, "struct", name);
    return read_struct (doc, value_get_z (value, "struct"), type);
  }
  if (value_get_z (value, "enum") != NULL) {
    type->name = kind_name (doc, "enum", name);
    return read_enum (doc, value_get_z (value, "enum"), type);
  }
  if (value_get_z (value, "opaque") != NULL)
    return value_is (value_get_z (value, "opaque"), VALUE_TRUE)
           || document_wrong (doc, "opaque", "expected true");
  if (!document_type (doc, value, "is", &other))
    return false;
  if (other == NULL)
    return document_wrong (doc, "is", "expected a type, as \"unsigned long\"");
  *type = *other;
  return true;
}

bool
document_types (struct document *doc, const struct value *types)
{
  const struct place before = document_enter (doc, "types");

  if (types == NULL)
    return document_leave (doc, before), true;
  if (!value_is (types, VALUE_OBJECT))
    return document_wrong (doc, "", "expected an object of types");
  for (size_t i = 0; i < types->count; i++) {
    const char *name = types->members[i].name;
    const struct place at = document_enter (doc, name);
    struct c_type *type;
    if (!document_is_c_name (name))
      return document_wrong (doc, "", "expected a name of C");
    if (c_type_basic (name) != NULL || c_types_find (doc->types, C_TYPEDEF, name) != NULL)
      return document_wrong (doc, "", "there is a type \"%s\" already", name);
    /* Named first, so that a struct can point at itself. */
    type = c_type_new (doc->types, C_OPAQUE, name);
    if (type == NULL || !c_types_add (doc->types, C_TYPEDEF, name, type)
        || !c_types_add (doc->types, C_STRUCT_TAG, name, type)
        || !c_types_add (doc->types, C_ENUM_TAG, name, type))
      return document_wrong (doc, "", "there are too many types");
    if (!read_type (doc, types->members[i].value, name, type))
      return false;
    document_leave (doc, at);
  }
  document_leave (doc, before);
  return true;
}
