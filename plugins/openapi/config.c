#include "config.h"

#include <string.h>

#include "../common/near.h"
#include "url.h"

enum { NAME_MAX_BYTES = 32, PREFIX_MAX = 32, TOOLS_LIMIT = 10000, WHERE_MAX = 256 };

/* A value that is read, and where it stands. */
struct reading {
  toolhost_build *build;
  struct service *service;
  char where[WHERE_MAX]; /* a JSON pointer to the object that is read */
};

/* A member, and what reads its value. */
struct key {
  const char *name;
  bool (*read) (struct reading *r, const char *name, const struct value *value, void *into);
  void *into;
};

static bool
wrong (const struct reading *r, const char *name, const char *expected)
{
  CLEANUP_TEXT struct text pointer = { 0 };

  text_addf (&pointer, "%s%s%s", r->where, name[0] != '\0' ? "/" : "", name);
  (void) toolhost_build_error (r->build, text_get (&pointer), "expected %s", expected);
  return false;
}

static bool
unknown (const struct reading *r, const struct near *near)
{
  CLEANUP_TEXT struct text pointer = { 0 }, why = { 0 };

  text_addf (&pointer, "%s/%.80s", r->where, near->word);
  text_add (&why, "there is no such member");
  near_say (near, &why);
  (void) toolhost_build_error (r->build, text_get (&pointer), "%s", text_get (&why));
  return false;
}

static bool
read_object (struct reading *r, const struct value *object, const struct key *keys)
{
  if (!value_is (object, VALUE_OBJECT))
    return wrong (r, "", "an object");
  for (size_t i = 0; i < object->count; i++) {
    struct near near = { .word = object->members[i].name };
    const struct key *key = keys;
    while (key->name != NULL && strcmp (key->name, near.word) != 0)
      near_offer (&near, key++->name);
    if (key->name == NULL)
      return unknown (r, &near);
    if (!key->read (r, key->name, object->members[i].value, key->into))
      return false;
  }
  return true;
}

/* Read an object that is a member of the one that is read. */
static bool
read_within (struct reading *r, const char *name, const struct value *object,
             const struct key *keys)
{
  const size_t len = strlen (r->where);
  bool good;

  (void) snprintf (r->where + len, sizeof r->where - len, "/%.80s", name);
  good = read_object (r, object, keys);
  r->where[len] = '\0';
  return good;
}

/* ---- values ---- */

static bool
read_bool (struct reading *r, const char *name, const struct value *value, void *into)
{
  if (value->type != VALUE_TRUE && value->type != VALUE_FALSE)
    return wrong (r, name, "true or false");
  *(bool *) into = value->type == VALUE_TRUE;
  return true;
}

static bool
read_text (struct reading *r, const char *name, const struct value *value, void *into)
{
  const char *text = value_cstring (value);

  if (text == NULL || text[0] == '\0')
    return wrong (r, name, "a text");
  *(const char **) into = text;
  return true;
}

static bool
read_value (struct reading *r, const char *name, const struct value *value, void *into)
{
  (void) r;
  (void) name;
  *(const struct value **) into = value;
  return true;
}

static bool
read_texts (struct reading *r, const char *name, const struct value *value, void *into)
{
  bool good = value_is (value, VALUE_ARRAY);

  for (size_t i = 0; good && i < value->count; i++)
    good = value_cstring (value->items[i]) != NULL;
  *(const struct value **) into = value;
  return good || wrong (r, name, "a list of texts");
}

static bool
is_plain (const char *text, size_t max, const char *allowed)
{
  const size_t len = strlen (text);

  return len <= max && strspn (text, allowed) == len;
}

static bool
read_name (struct reading *r, const char *name, const struct value *value, void *into)
{
  const char *text = value_cstring (value);

  *(const char **) into = text;
  return (text != NULL && text[0] != '\0' && text[0] != '-' && text[0] != '_'
          && is_plain (text, NAME_MAX_BYTES, "abcdefghijklmnopqrstuvwxyz0123456789_-"))
         || wrong (r, name, "1 to 32 of a-z, 0-9, '_' and '-', beginning with a letter or digit");
}

static bool
read_prefix (struct reading *r, const char *name, const struct value *value, void *into)
{
  const char *text = value_cstring (value);

  *(const char **) into = text;
  return (text != NULL
          && is_plain (text, PREFIX_MAX,
                       "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"))
         || wrong (r, name, "at most 32 of A-Z, a-z, 0-9, '_' and '-'");
}

static bool
read_path (struct reading *r, const char *name, const struct value *value, void *into)
{
  const char *text = value_cstring (value);

  *(const char **) into = text;
  return (text != NULL && text[0] == '/') || wrong (r, name, "the path of a file, from / on");
}

static bool
read_url (struct reading *r, const char *name, const struct value *value, void *into)
{
  const char *text = value_cstring (value);

  *(const char **) into = text;
  return (text != NULL && url_is_absolute (text))
         || wrong (r, name, "a URL like \"https://api.example.com/v1\", without user and query");
}

static bool
read_map (struct reading *r, const char *name, const struct value *value, void *into)
{
  *(const struct value **) into = value;
  return value_is (value, VALUE_OBJECT) || wrong (r, name, "an object");
}

/* One of two words; *into: it is the second. */
static bool
read_choice (struct reading *r, const char *name, const struct value *value, bool *into,
             const char *no, const char *yes, const char *expected)
{
  const char *text = value_cstring (value);

  *into = text != NULL && strcmp (text, yes) == 0;
  return *into || (text != NULL && strcmp (text, no) == 0) || wrong (r, name, expected);
}

static bool
read_names (struct reading *r, const char *name, const struct value *value, void *into)
{
  return read_choice (r, name, value, into, "operationId", "derive",
                      "\"operationId\" or \"derive\"");
}

static bool
read_group (struct reading *r, const char *name, const struct value *value, void *into)
{
  return read_choice (r, name, value, into, "tools", "search", "\"tools\" or \"search\"");
}

static bool
read_body (struct reading *r, const char *name, const struct value *value, void *into)
{
  return read_choice (r, name, value, into, "nested", "flat", "\"nested\" or \"flat\"");
}

static bool
read_int (struct reading *r, const char *name, const struct value *value, int64_t most, void *into)
{
  const double number = value_number (value);

  if (!value_is (value, VALUE_NUMBER) || number < 1 || number > (double) most
      || number != (double) (int64_t) number) {
    CLEANUP_TEXT struct text expected = { 0 };
    text_addf (&expected, "a whole number from 1 to %lld", (long long) most);
    return wrong (r, name, text_get (&expected));
  }
  *(int64_t *) into = (int64_t) number;
  return true;
}

static bool
read_timeout (struct reading *r, const char *name, const struct value *value, void *into)
{
  return read_int (r, name, value, 3600000, into);
}

static bool
read_tools_max (struct reading *r, const char *name, const struct value *value, void *into)
{
  return read_int (r, name, value, TOOLS_LIMIT, into);
}

static bool
read_bytes (struct reading *r, const char *name, const struct value *value, void *into)
{
  return read_int (r, name, value, 64 << 20, into);
}

static bool
read_pointer (struct reading *r, const char *name, const struct value *value, void *into)
{
  const char *text = value_cstring (value);

  *(const char **) into = text;
  return (text != NULL && (text[0] == '/' || text[0] == '\0'))
         || wrong (r, name, "a JSON pointer, like \"/items\"");
}

/* ---- objects ---- */

static bool
read_wanted (struct reading *r, const char *name, const struct value *value, void *into)
{
  struct wanted *wanted = into;

  return read_within (r, name, value,
                      (const struct key[]){ { "tags", read_texts, &wanted->tags },
                                            { "operations", read_texts, &wanted->operations },
                                            { "methods", read_texts, &wanted->methods },
                                            { "paths", read_texts, &wanted->paths },
                                            { .name = NULL } });
}

static bool
read_response (struct reading *r, const char *name, const struct value *value, void *into)
{
  struct trim *trim = into;
  int64_t bytes = (int64_t) trim->max_bytes;
  const bool good = read_within (r, name, value,
                                 (const struct key[]){ { "pointer", read_pointer, &trim->pointer },
                                                       { "fields", read_texts, &trim->fields },
                                                       { "max_bytes", read_bytes, &bytes },
                                                       { .name = NULL } });
  trim->max_bytes = (size_t) bytes;
  return good;
}

struct trim
config_trim (const struct value *response, struct trim otherwise)
{
  const struct value *pointer = value_get_z (response, "pointer");
  const struct value *fields = value_get_z (response, "fields");
  const struct value *bytes = value_get_z (response, "max_bytes");

  if (pointer != NULL)
    otherwise.pointer = value_cstring (pointer);
  if (fields != NULL)
    otherwise.fields = fields;
  if (bytes != NULL)
    otherwise.max_bytes = (size_t) value_number (bytes);
  return otherwise;
}

static bool
read_override (struct reading *r, const char *name, const struct value *value)
{
  struct trim trim = { 0 };
  const char *text;
  int64_t timeout;

  return read_within (r, name, value,
                      (const struct key[]){ { "name", read_prefix, &text },
                                            { "description", read_text, &text },
                                            { "timeout", read_timeout, &timeout },
                                            { "response", read_response, &trim },
                                            { .name = NULL } });
}

static bool
read_overrides (struct reading *r, const char *name, const struct value *value, void *into)
{
  const size_t len = strlen (r->where);
  bool good = value_is (value, VALUE_OBJECT) || wrong (r, name, "an object");

  (void) snprintf (r->where + len, sizeof r->where - len, "/%s", name);
  for (size_t i = 0; good && i < value->count; i++)
    good = read_override (r, value->members[i].name, value->members[i].value);
  r->where[len] = '\0';
  *(const struct value **) into = value;
  return good;
}

/* ---- a service ---- */

static bool
settle (struct reading *r)
{
  const struct service *s = r->service;

  if (s->name == NULL)
    return wrong (r, "name", "a name for the service");
  if ((s->inline_document == NULL) == (s->file == NULL))
    return wrong (r, "", "either \"document\" or \"file\"");
  if (s->inline_document != NULL && s->inline_document->type != VALUE_OBJECT
      && s->inline_document->type != VALUE_STRING)
    return wrong (r, "document", "an object, or a text in JSON or YAML");
  return !s->external_refs || s->file != NULL
         || wrong (r, "external_refs", "none where the document is inline");
}

bool
config_service (toolhost_build *build, struct service *service, const struct value *from,
                size_t index)
{
  struct reading r = { .build = build, .service = service };
  const struct key keys[] = {
    { "name", read_name, &service->name },
    { "document", read_value, &service->inline_document },
    { "file", read_path, &service->file },
    { "external_refs", read_bool, &service->external_refs },
    { "server", read_url, &service->server },
    { "server_variables", read_map, &service->server_variables },
    { "names", read_names, &service->derive },
    { "prefix", read_prefix, &service->prefix },
    { "strict", read_bool, &service->strict },
    { "include", read_wanted, &service->include },
    { "exclude", read_wanted, &service->exclude },
    { "deprecated", read_bool, &service->deprecated },
    { "group", read_group, &service->search },
    { "body", read_body, &service->flat },
    { "credentials", read_texts, &service->credentials },
    { "idempotency_keys", read_bool, &service->keys },
    { "output_schema", read_bool, &service->output_schema },
    { "timeout", read_timeout, &service->timeout_ms },
    { "tools_max", read_tools_max, &service->tools_max },
    { "response", read_response, &service->trim },
    { "operations", read_overrides, &service->overrides },
    { .name = NULL },
  };

  service->prefix = "";
  service->output_schema = true;
  service->timeout_ms = CONFIG_TIMEOUT_MS;
  service->tools_max = CONFIG_TOOLS_MAX;
  service->trim.max_bytes = CONFIG_ANSWER_MAX;
  (void) snprintf (r.where, sizeof r.where, "/services/%zu", index);
  return read_object (&r, from, keys) && settle (&r);
}

const struct value *
config_services (toolhost_build *build, struct values *pool, const char *config, size_t len)
{
  struct reading r = { .build = build };
  const struct value *root = value_parse (pool, config, len), *services = NULL;

  if (!read_object (
        &r, root, (const struct key[]){ { "services", read_value, &services }, { .name = NULL } }))
    return NULL;
  if (!value_is (services, VALUE_ARRAY) || services->count > CONFIG_SERVICES_MAX) {
    (void) wrong (&r, "services", "a list of at most 64 services");
    return NULL;
  }
  return services;
}
