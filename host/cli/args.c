#include "cli/args.h"

#include <string.h>

#include "base/json_tape.h"
#include "base/json_write.h"
#include "cli/input.h"

bool
args_read (const char *word, struct buf *out, struct error *err)
{
  const char *path = word[0] == '@' ? word + 1 : word;

  if (word[0] != '@' && strcmp (word, "-") != 0) {
    buf_puts (out, word);
    return true;
  }
  return input_read (path, out, err) || error_wrap (err, "%s: ", input_name (path));
}

/* ---- pairs ---- */

struct pair {
  const char *name;
  size_t name_len;
  const char *value;
  bool json; /* ":=" */
};

static bool
split (const char *text, struct pair *pair, struct error *err)
{
  const char *equals = strchr (text, '=');

  if (equals == NULL || equals == text || (equals == text + 1 && *text == ':'))
    return error_set (err, "--arg: expected NAME=VALUE or NAME:=JSON, got \"%s\"", text);
  pair->json = equals[-1] == ':';
  pair->name = text;
  pair->name_len = (size_t) (equals - text) - (pair->json ? 1 : 0);
  pair->value = equals + 1;
  return true;
}

/* Does one of the pairs before `end` have this name? */
static bool
named_before (const struct args_source *source, size_t end, const char *name, size_t len)
{
  for (size_t i = 0; i < end; i++) {
    struct pair other;
    if (split (source->pairs[i], &other, NULL) && other.name_len == len
        && memcmp (other.name, name, len) == 0)
      return true;
  }
  return false;
}

/* May the argument be text, as far as its schema says in the plain way ("type")? */
static bool
takes_text (const struct args_source *source, const struct pair *pair, struct arena *arena)
{
  struct json_tape tape;

  if (source->definition == NULL
      || !json_read (&tape, source->definition, source->definition_len, &json_default_limits,
                     arena))
    return true;

  const struct json_node *schema = json_member (&tape, json_root (&tape), "inputSchema");
  const struct json_node *properties = json_member (&tape, schema, "properties");
  const struct json_node *property =
    json_member_len (&tape, properties, pair->name, pair->name_len);
  const struct json_node *type = json_member (&tape, property, "type");

  if (!json_is (type, JSON_ARRAY))
    return type == NULL || json_equals (&tape, type, "string");
  for (const struct json_node *n = json_first (type); n != json_end (type); n = json_next (n))
    if (json_equals (&tape, n, "string"))
      return true;
  return false;
}

static bool
write_pair (struct json_writer *w, const struct args_source *source, const struct pair *pair,
            struct error *err)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  size_t len = strlen (pair->value);
  bool try_json = pair->json || !takes_text (source, pair, &arena);
  bool is_json = try_json && json_read (&tape, pair->value, len, &json_default_limits, &arena);

  if (pair->json && !is_json)
    return error_set (err, "--arg %.*s: not JSON: byte %zu: %s", (int) pair->name_len, pair->name,
                      tape.offset, tape.problem);
  jsonw_name_len (w, pair->name, pair->name_len);
  if (is_json)
    jsonw_raw (w, pair->value, len);
  else
    jsonw_string_len (w, pair->value, len);
  return true;
}

static bool
write_pairs (struct json_writer *w, const struct args_source *source, struct error *err)
{
  for (size_t i = 0; i < source->pairs_count; i++) {
    struct pair pair;
    if (!split (source->pairs[i], &pair, err))
      return false;
    if (named_before (source, i, pair.name, pair.name_len))
      return error_set (err, "--arg %.*s was given twice", (int) pair.name_len, pair.name);
    if (!write_pair (w, source, &pair, err))
      return false;
  }
  return true;
}

/* ---- the object ---- */

static void
write_members (struct json_writer *w, const struct args_source *source,
               const struct json_tape *tape, struct arena *arena)
{
  const struct json_node *root = json_root (tape);

  for (const struct json_node *name = json_first (root); name != json_end (root);) {
    const struct json_node *value = json_next (name);
    size_t name_len, raw_len;
    const char *text = json_string (tape, name, arena, &name_len);
    const char *raw = json_raw (tape, value, &raw_len);
    if (!named_before (source, source->pairs_count, text, name_len)) {
      jsonw_name_len (w, text, name_len);
      jsonw_raw (w, raw, raw_len);
    }
    name = json_next (value);
  }
}

bool
args_build (const struct args_source *source, struct buf *out, struct error *err)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape = { 0 };
  struct json_writer w = { .out = out };

  if (source->json != NULL
      && !json_read (&tape, source->json, source->json_len, &json_default_limits, &arena))
    return error_set (err, "the arguments are not JSON: byte %zu: %s", tape.offset, tape.problem);
  if (source->json != NULL && json_root (&tape)->type != JSON_OBJECT)
    return error_set (err, "the arguments are not a JSON object, as in '{\"text\":\"hello\"}'");
  jsonw_object (&w);
  if (source->json != NULL)
    write_members (&w, source, &tape, &arena);
  if (!write_pairs (&w, source, err))
    return false;
  jsonw_end (&w);
  return true;
}

bool
args_is_text (const struct args_source *source)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  if (source->json == NULL || source->pairs_count != 0
      || !utf8_valid (source->json, source->json_len))
    return false;
  return !json_read (&tape, source->json, source->json_len, &json_default_limits, &arena)
         || json_root (&tape)->type == JSON_STRING;
}
