#include "value.h"

#include <stdlib.h>
#include <string.h>

const struct value value_null = { .type = VALUE_NULL, .text = "" };
const struct value value_true = { .type = VALUE_TRUE, .text = "" };
const struct value value_false = { .type = VALUE_FALSE, .text = "" };
const struct value value_no_members = { .type = VALUE_OBJECT, .text = "" };
const struct value value_no_items = { .type = VALUE_ARRAY, .text = "" };

/* ---- memory ---- */

enum { BLOCK = 4000, ALIGN = _Alignof(max_align_t) };

struct values_block {
  struct values_block *next;
  max_align_t data[];
};

void
values_free (struct values *pool)
{
  for (struct values_block *b = pool->blocks, *next; b != NULL; b = next) {
    next = b->next;
    free (b);
  }
  *pool = (struct values){ 0 };
}

bool
values_ok (const struct values *pool)
{
  return !pool->failed;
}

/* What is large has a block of its own, behind the one that is being filled. */
static void *
alloc_large (struct values *pool, size_t size)
{
  struct values_block *block = calloc (1, sizeof *block + size);

  if (block == NULL) {
    pool->failed = true;
    return NULL;
  }
  if (pool->blocks == NULL)
    pool->blocks = block;
  else {
    block->next = pool->blocks->next;
    pool->blocks->next = block;
  }
  return block->data;
}

static bool
new_block (struct values *pool)
{
  struct values_block *block = calloc (1, sizeof *block + BLOCK);

  if (block == NULL) {
    pool->failed = true;
    return false;
  }
  block->next = pool->blocks;
  pool->blocks = block;
  pool->left = BLOCK;
  return true;
}

void *
values_alloc (struct values *pool, size_t size)
{
  char *data;

  if (size > SIZE_MAX / 2) {
    pool->failed = true;
    return NULL;
  }
  size = (size + ALIGN - 1) / ALIGN * ALIGN;
  if (size > BLOCK / 4)
    return alloc_large (pool, size);
  if (pool->left < size && !new_block (pool))
    return NULL;
  data = (char *) pool->blocks->data + (BLOCK - pool->left);
  pool->left -= size;
  return data;
}

const char *
values_text (struct values *pool, const char *text, size_t len)
{
  char *copy = values_alloc (pool, len + 1);

  if (copy == NULL)
    return "";
  if (len != 0)
    memcpy (copy, text, len);
  return copy;
}

/* ---- making ---- */

static const struct value *
make (struct values *pool, struct value value)
{
  struct value *made = values_alloc (pool, sizeof *made);

  if (made == NULL)
    return &value_null;
  *made = value;
  return made;
}

static const struct value *
make_text (struct values *pool, enum value_type type, const char *text, size_t len)
{
  return make (pool,
               (struct value){ .type = type, .count = len, .text = values_text (pool, text, len) });
}

const struct value *
value_string (struct values *pool, const char *text, size_t len)
{
  return make_text (pool, VALUE_STRING, text, len);
}

const struct value *
value_string_z (struct values *pool, const char *text)
{
  return value_string (pool, text, strlen (text));
}

const struct value *
value_number_text (struct values *pool, const char *digits, size_t len)
{
  return make_text (pool, VALUE_NUMBER, digits, len);
}

const struct value *
value_int (struct values *pool, int64_t number)
{
  CLEANUP_TEXT struct text digits = { 0 };

  json_int (&digits, number);
  return value_number_text (pool, text_get (&digits), digits.len);
}

const struct value *
value_bool (bool is)
{
  return is ? &value_true : &value_false;
}

const struct value *
value_array (struct values *pool, const struct value *const *items, size_t count)
{
  const struct value **copy = count != 0 ? values_alloc (pool, count * sizeof (void *)) : NULL;

  if (copy == NULL)
    return &value_no_items;
  memcpy (copy, items, count * sizeof *copy);
  return make (pool,
               (struct value){ .type = VALUE_ARRAY, .count = count, .text = "", .items = copy });
}

const struct value *
value_object (struct values *pool, const struct value_member *members, size_t count)
{
  struct value_member *copy = count != 0 ? values_alloc (pool, count * sizeof *copy) : NULL;

  if (copy == NULL)
    return &value_no_members;
  memcpy (copy, members, count * sizeof *copy);
  return make (pool,
               (struct value){ .type = VALUE_OBJECT, .count = count, .text = "", .members = copy });
}

/* ---- measuring ---- */

static bool
take (size_t *left, size_t bytes)
{
  if (bytes > *left)
    return false;
  *left -= bytes;
  return true;
}

static bool
measure (const struct value *value, size_t *left, unsigned depth)
{
  bool fits = depth <= VALUE_DEPTH_MAX && take (left, 2);

  if (value->type == VALUE_STRING || value->type == VALUE_NUMBER)
    return fits && take (left, value->count);
  for (size_t i = 0; fits && value->type == VALUE_ARRAY && i < value->count; i++)
    fits = measure (value->items[i], left, depth + 1);
  for (size_t i = 0; fits && value->type == VALUE_OBJECT && i < value->count; i++)
    fits =
      take (left, value->members[i].len + 4) && measure (value->members[i].value, left, depth + 1);
  return fits;
}

bool
value_fits (const struct value *value, size_t max)
{
  return measure (value, &max, 0);
}

/* ---- writing ---- */

static void
write_members (struct text *out, const struct value *object)
{
  json_open (out, '{');
  for (size_t i = 0; i < object->count; i++) {
    json_string_len (out, object->members[i].name, object->members[i].len);
    text_add (out, ":");
    value_write (out, object->members[i].value);
  }
  json_close (out, '}');
}

static void
write_items (struct text *out, const struct value *array)
{
  json_open (out, '[');
  for (size_t i = 0; i < array->count; i++)
    value_write (out, array->items[i]);
  json_close (out, ']');
}

void
value_write (struct text *out, const struct value *value)
{
  switch (value->type) {
  case VALUE_OBJECT:
    write_members (out, value);
    return;
  case VALUE_ARRAY:
    write_items (out, value);
    return;
  case VALUE_STRING:
    json_string_len (out, value->text, value->count);
    return;
  case VALUE_NUMBER:
    json_raw (out, value->text);
    return;
  case VALUE_NULL:
    json_raw (out, "null");
    return;
  default:
    json_bool (out, value->type == VALUE_TRUE);
  }
}

/* ---- looking in, making others ---- */

const struct value *
value_get (const struct value *object, const char *name, size_t len)
{
  if (!value_is (object, VALUE_OBJECT))
    return NULL;
  for (size_t i = 0; i < object->count; i++)
    if (object->members[i].len == len && memcmp (object->members[i].name, name, len) == 0)
      return object->members[i].value;
  return NULL;
}

const struct value *
value_get_z (const struct value *object, const char *name)
{
  return value_get (object, name, strlen (name));
}

const struct value *
value_with (struct values *pool, const struct value *object, const char *name, size_t len,
            const struct value *member)
{
  struct value_member *members = values_alloc (pool, (object->count + 1) * sizeof *members);
  size_t at = 0;

  if (members == NULL)
    return object;
  if (object->count != 0)
    memcpy (members, object->members, object->count * sizeof *members);
  while (at < object->count
         && (members[at].len != len || memcmp (members[at].name, name, len) != 0))
    at++;
  if (at == object->count)
    members[at] = (struct value_member){ .name = values_text (pool, name, len), .len = len };
  members[at].value = member;
  return make (pool, (struct value){ .type = VALUE_OBJECT,
                                     .count = object->count + (at == object->count),
                                     .text = "",
                                     .members = members });
}

const struct value *
value_without (struct values *pool, const struct value *object, const char *name, size_t len)
{
  struct value_member *members = values_alloc (pool, object->count * sizeof *members + 1);
  size_t count = 0;

  for (size_t i = 0; members != NULL && i < object->count; i++)
    if (object->members[i].len != len || memcmp (object->members[i].name, name, len) != 0)
      members[count++] = object->members[i];
  return members != NULL ? value_object (pool, members, count) : object;
}

const struct value *
value_append (struct values *pool, const struct value *list, const struct value *item)
{
  const struct value **items = values_alloc (pool, (list->count + 1) * sizeof (void *));

  if (items == NULL)
    return list;
  if (list->count != 0)
    memcpy (items, list->items, list->count * sizeof *items);
  items[list->count] = item;
  return make (pool, (struct value){
                       .type = VALUE_ARRAY, .count = list->count + 1, .text = "", .items = items });
}

/* ---- comparing ---- */

bool
value_is (const struct value *value, enum value_type type)
{
  return value != NULL && value->type == type;
}

double
value_number (const struct value *value)
{
  return value_is (value, VALUE_NUMBER) ? strtod (value->text, NULL) : 0;
}

const char *
value_cstring (const struct value *value)
{
  return value_is (value, VALUE_STRING) && strlen (value->text) == value->count ? value->text
                                                                                : NULL;
}

const char *
value_type_name (const struct value *value)
{
  static const char *const names[] = {
    [VALUE_NULL] = "null",     [VALUE_FALSE] = "boolean", [VALUE_TRUE] = "boolean",
    [VALUE_NUMBER] = "number", [VALUE_STRING] = "string", [VALUE_ARRAY] = "array",
    [VALUE_OBJECT] = "object",
  };

  return names[value != NULL ? value->type : VALUE_NULL];
}

static bool
same_bytes (const struct value *a, const struct value *b)
{
  return a->count == b->count && memcmp (a->text, b->text, a->count) == 0;
}

/* Whole numbers beyond what a double holds differ by their digits. */
static bool
same_number (const struct value *a, const struct value *b)
{
  const double x = value_number (a), y = value_number (b);

  if (same_bytes (a, b))
    return true;
  if (strpbrk (a->text, ".eE") == NULL && strpbrk (b->text, ".eE") == NULL)
    return x == 0 && y == 0; /* 0 and -0 */
  return !(x < y) && !(x > y);
}

static bool
same_members (const struct value *a, const struct value *b)
{
  bool same = a->count == b->count;

  for (size_t i = 0; same && i < a->count; i++) {
    const struct value *other = value_get (b, a->members[i].name, a->members[i].len);
    same = other != NULL && value_equal (a->members[i].value, other);
  }
  return same;
}

static bool
same_items (const struct value *a, const struct value *b)
{
  bool same = a->count == b->count;

  for (size_t i = 0; same && i < a->count; i++)
    same = value_equal (a->items[i], b->items[i]);
  return same;
}

bool
value_equal (const struct value *a, const struct value *b)
{
  a = a != NULL ? a : &value_null;
  b = b != NULL ? b : &value_null;
  if (a->type != b->type)
    return false;
  switch (a->type) {
  case VALUE_STRING:
    return same_bytes (a, b);
  case VALUE_NUMBER:
    return same_number (a, b);
  case VALUE_ARRAY:
    return same_items (a, b);
  case VALUE_OBJECT:
    return same_members (a, b);
  default:
    return true;
  }
}

void
value_write_member (struct text *out, const char *name, const struct value *value)
{
  if (value == NULL)
    return;
  json_name (out, name);
  value_write (out, value);
}

void
value_write_text_member (struct text *out, const char *name, const char *text)
{
  if (text != NULL)
    json_name_string (out, name, text);
}
