#include "cli/lint.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "cli/out.h"

enum {
  DESCRIPTION_LEAST = 20,  /* bytes: less says hardly more than the name */
  DESCRIPTION_MOST = 1024, /* characters OpenAI takes of a description */
  NAME_MOST = 64,          /* characters OpenAI and Anthropic take of a name */
  SIZE_MOST = 4000,        /* bytes of a definition, about 1,000 tokens in every request */
  PROPERTIES_MOST = 100,   /* in a strict schema of OpenAI, all levels together */
  STRICT_DEPTH_MOST = 5    /* levels of objects there */
};

struct lint {
  const struct json_tape *tape;
  lint_sink sink;
  void *ctx;
  struct arena arena;
  struct buf pointer; /* to where the walk stands */
  size_t properties;  /* seen so far */
  bool strict;        /* can still be sent to OpenAI as strict */
};

static void find (struct lint *l, enum lint_level level, const char *fmt, ...)
  __attribute__ ((format (printf, 3, 4)));

static void
find (struct lint *l, enum lint_level level, const char *fmt, ...)
{
  char message[512];
  va_list args;

  va_start (args, fmt);
  (void) vsnprintf (message, sizeof message, fmt, args);
  va_end (args);
  l->sink (l->ctx, level, buf_cstr (&l->pointer), message);
}

/* Append "/name" to the pointer, escaped; returns the length to go back to. */
static size_t
descend (struct lint *l, const char *name, size_t len)
{
  size_t was = l->pointer.len;

  buf_putc (&l->pointer, '/');
  for (size_t i = 0; i < len; i++)
    if (name[i] == '~' || name[i] == '/')
      buf_puts (&l->pointer, name[i] == '~' ? "~0" : "~1");
    else
      buf_putc (&l->pointer, name[i]);
  return was;
}

static void
ascend (struct lint *l, size_t was)
{
  l->pointer.len = was;
}

static size_t
characters (const char *text, size_t len)
{
  size_t count = 0;

  for (size_t i = 0; i < len; i++)
    count += ((unsigned char) text[i] & 0xc0) != 0x80;
  return count;
}

/* ---- the name and the description ---- */

static void
lint_name (struct lint *l, const struct json_node *tool)
{
  static const char snake[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
  const char *name = json_cstring (l->tape, json_member (l->tape, tool, "name"), &l->arena);
  size_t was = descend (l, "name", 4);

  if (name == NULL || *name == '\0')
    find (l, LINT_ERROR, "there is no name");
  else if (strlen (name) > NAME_MOST)
    find (l, LINT_ERROR, "OpenAI and Anthropic take at most %d characters, got %zu", NAME_MOST,
          strlen (name));
  else if (strspn (name, snake) != strlen (name))
    find (l, LINT_NOTE, "models do best with names in lower_case_with_underscores");
  ascend (l, was);
}

static void
lint_description (struct lint *l, const struct json_node *tool)
{
  size_t len;
  const char *text =
    json_string (l->tape, json_member (l->tape, tool, "description"), &l->arena, &len);
  size_t was = descend (l, "description", 11);

  if (text == NULL || len == 0)
    find (l, LINT_ERROR, "there is no description: a model chooses tools by it");
  else if (len < DESCRIPTION_LEAST)
    find (l, LINT_WARNING, "%zu characters say little: when to use it, what it returns?", len);
  else if (characters (text, len) > DESCRIPTION_MOST)
    find (l, LINT_WARNING, "OpenAI takes at most %d characters, got %zu", DESCRIPTION_MOST,
          characters (text, len));
  ascend (l, was);
}

static void
lint_size (struct lint *l, const struct json_node *tool)
{
  size_t len;

  (void) json_raw (l->tape, tool, &len);
  if (len > SIZE_MOST)
    find (l, LINT_WARNING, "the definition takes about %zu tokens of every request", len / 4);
}

/* ---- texts that hide something ---- */

static void
lint_text (struct lint *l, const struct json_node *node)
{
  size_t len;
  const char *text = json_string (l->tape, node, &l->arena, &len);

  for (size_t at = 0; text != NULL && at < len;) {
    unsigned long c;
    at += text_decode (text + at, len - at, &c);
    if (text_is_harmful (c) && c != '\r' && c != 0x200d) {
      find (l, LINT_ERROR, "holds the invisible or direction-changing character U+%04lX", c);
      return;
    }
  }
}

/* Every string of the value, names of members as well. */
static void
lint_texts (struct lint *l, const struct json_node *value)
{
  bool object = value->type == JSON_OBJECT;
  size_t index = 0;

  if (value->type == JSON_STRING)
    lint_text (l, value);
  if (value->type != JSON_OBJECT && value->type != JSON_ARRAY)
    return;
  for (const struct json_node *n = json_first (value); n != json_end (value); n = json_next (n)) {
    char number[24];
    size_t len = (size_t) snprintf (number, sizeof number, "%zu", index++);
    const char *name = object ? json_string (l->tape, n, &l->arena, &len) : number;
    size_t was = descend (l, name, len);
    if (object) {
      lint_text (l, n);
      n = json_next (n);
    }
    lint_texts (l, n);
    ascend (l, was);
  }
}

/* ---- the input schema ---- */

static void lint_schema (struct lint *l, const struct json_node *schema, unsigned depth);

static void
not_strict (struct lint *l, const char *why)
{
  if (l->strict)
    find (l, LINT_NOTE, "OpenAI's strict mode can't take it: %s", why);
  l->strict = false;
}

static bool
is_required (struct lint *l, const struct json_node *schema, const char *name, size_t len)
{
  const struct json_node *required = json_member (l->tape, schema, "required");

  if (!json_is (required, JSON_ARRAY))
    return false;
  for (const struct json_node *n = json_first (required); n != json_end (required);
       n = json_next (n))
    if (json_equals_len (l->tape, n, name, len))
      return true;
  return false;
}

static void
lint_property (struct lint *l, const struct json_node *schema, const struct json_node *name,
               const struct json_node *value, unsigned depth)
{
  size_t len;
  const char *text = json_string (l->tape, name, &l->arena, &len);
  size_t was = descend (l, text, len);

  l->properties++;
  if (json_is (value, JSON_OBJECT)
      && !json_is (json_member (l->tape, value, "description"), JSON_STRING))
    find (l, LINT_WARNING, "the parameter has no description");
  if (!is_required (l, schema, text, len))
    not_strict (l, "every property must be in \"required\" (make it nullable instead)");
  lint_schema (l, value, depth);
  ascend (l, was);
}

static void
lint_object (struct lint *l, const struct json_node *schema, unsigned depth)
{
  const struct json_node *properties = json_member (l->tape, schema, "properties");

  if (!json_is (json_member (l->tape, schema, "additionalProperties"), JSON_FALSE))
    not_strict (l, "an object without \"additionalProperties\": false");
  if (depth > STRICT_DEPTH_MOST)
    not_strict (l, "objects are nested too deeply");
  if (!json_is (properties, JSON_OBJECT))
    return;
  size_t was = descend (l, "properties", 10);
  for (const struct json_node *name = json_first (properties); name != json_end (properties);) {
    const struct json_node *value = json_next (name);
    lint_property (l, schema, name, value, depth + 1);
    name = json_next (value);
  }
  ascend (l, was);
}

/* Keywords that strict mode refuses at every level. */
static const char *const never_strict[] = { "oneOf",
                                            "allOf",
                                            "not",
                                            "if",
                                            "patternProperties",
                                            "propertyNames",
                                            "unevaluatedProperties",
                                            "dependentRequired",
                                            "dependentSchemas",
                                            NULL };

/* The schemas below a keyword: one, a list of them, or one for each name. */
static void
lint_below (struct lint *l, const struct json_node *schema, const char *keyword, bool named,
            unsigned depth)
{
  const struct json_node *value = json_member (l->tape, schema, keyword);
  size_t was = descend (l, keyword, strlen (keyword));

  if (!named && json_is (value, JSON_OBJECT))
    lint_schema (l, value, depth);
  else if (named ? json_is (value, JSON_OBJECT) : json_is (value, JSON_ARRAY))
    for (const struct json_node *n = json_first (value); n != json_end (value); n = json_next (n)) {
      if (named)
        n = json_next (n);
      lint_schema (l, n, depth);
    }
  ascend (l, was);
}

static void
lint_schema (struct lint *l, const struct json_node *schema, unsigned depth)
{
  if (!json_is (schema, JSON_OBJECT))
    return;
  for (const char *const *word = never_strict; *word != NULL; word++)
    if (json_member (l->tape, schema, *word) != NULL) {
      char why[64];
      (void) snprintf (why, sizeof why, "\"%s\" is not supported there", *word);
      not_strict (l, why);
    }
  if (json_equals (l->tape, json_member (l->tape, schema, "type"), "object"))
    lint_object (l, schema, depth);
  lint_below (l, schema, "items", false, depth);
  lint_below (l, schema, "anyOf", false, depth);
  lint_below (l, schema, "$defs", true, depth);
  lint_below (l, schema, "definitions", true, depth);
}

static void
lint_input (struct lint *l, const struct json_node *tool)
{
  size_t was = descend (l, "inputSchema", 11);

  lint_schema (l, json_member (l->tape, tool, "inputSchema"), 1);
  if (l->properties > PROPERTIES_MOST)
    not_strict (l, "over 100 properties");
  ascend (l, was);
}

void
lint_tool (const struct json_tape *tape, const struct json_node *tool, lint_sink sink, void *ctx)
{
  struct lint l = { .tape = tape, .sink = sink, .ctx = ctx, .strict = true };

  lint_name (&l, tool);
  lint_description (&l, tool);
  lint_size (&l, tool);
  lint_input (&l, tool);
  lint_texts (&l, tool);
  arena_free (&l.arena);
  buf_free (&l.pointer);
}

const char *
lint_level_name (enum lint_level level)
{
  static const char *const names[] = { "note", "warning", "error" };

  return names[level];
}
