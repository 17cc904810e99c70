#include "cli/lint.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_write.h"
#include "catalog/strict.h"
#include "cli/out.h"

enum {
  DESCRIPTION_LEAST = 20, /* bytes: less says hardly more than the name */
  NAME_MOST = 64,         /* characters OpenAI and Anthropic take of a name */
  SIZE_MOST = 4000        /* bytes of a definition, about 1,000 tokens in every request */
};

struct lint {
  const struct json_tape *tape;
  lint_sink sink;
  void *ctx;
  struct arena arena;
  struct buf pointer; /* to where the walk stands */
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

static void
ascend (struct lint *l, size_t was)
{
  l->pointer.len = was;
}

/* ---- the name and the description ---- */

static void
lint_name (struct lint *l, const struct json_node *tool)
{
  static const char snake[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
  const char *name = json_cstring (l->tape, json_member (l->tape, tool, "name"), &l->arena);
  size_t was = json_pointer_add (&l->pointer, "name", 4);

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
  size_t was = json_pointer_add (&l->pointer, "description", 11);

  if (text == NULL || len == 0)
    find (l, LINT_ERROR, "there is no description: a model chooses tools by it");
  else if (len < DESCRIPTION_LEAST)
    find (l, LINT_WARNING, "%zu characters say little: when to use it, what it returns?", len);
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
    size_t was = json_pointer_add (&l->pointer, name, len);
    if (object) {
      lint_text (l, n);
      n = json_next (n);
    }
    lint_texts (l, n);
    ascend (l, was);
  }
}

/* ---- the input schema ---- */

static void lint_schema (struct lint *l, const struct json_node *schema);

static void
lint_property (struct lint *l, const struct json_node *name, const struct json_node *value)
{
  size_t len;
  const char *text = json_string (l->tape, name, &l->arena, &len);
  size_t was = json_pointer_add (&l->pointer, text, len);

  if (json_is (value, JSON_OBJECT)
      && !json_is (json_member (l->tape, value, "description"), JSON_STRING))
    find (l, LINT_WARNING, "the parameter has no description");
  lint_schema (l, value);
  ascend (l, was);
}

static void
lint_properties (struct lint *l, const struct json_node *schema)
{
  const struct json_node *properties = json_member (l->tape, schema, "properties");
  size_t was = json_pointer_add (&l->pointer, "properties", 10);

  if (json_is (properties, JSON_OBJECT))
    for (const struct json_node *name = json_first (properties); name != json_end (properties);
         name = json_next (json_next (name)))
      lint_property (l, name, json_next (name));
  ascend (l, was);
}

/* The schemas below a keyword: one, a list of them, or one for each name. */
static void
lint_below (struct lint *l, const struct json_node *schema, const char *keyword, bool named)
{
  const struct json_node *value = json_member (l->tape, schema, keyword);
  size_t was = json_pointer_add (&l->pointer, keyword, strlen (keyword));

  if (!named && json_is (value, JSON_OBJECT))
    lint_schema (l, value);
  else if (named ? json_is (value, JSON_OBJECT) : json_is (value, JSON_ARRAY))
    for (const struct json_node *n = json_first (value); n != json_end (value); n = json_next (n)) {
      if (named)
        n = json_next (n);
      lint_schema (l, n);
    }
  ascend (l, was);
}

static void
lint_schema (struct lint *l, const struct json_node *schema)
{
  if (!json_is (schema, JSON_OBJECT))
    return;
  if (json_equals (l->tape, json_member (l->tape, schema, "type"), "object"))
    lint_properties (l, schema);
  lint_below (l, schema, "items", false);
  lint_below (l, schema, "anyOf", false);
  lint_below (l, schema, "$defs", true);
  lint_below (l, schema, "definitions", true);
}

static void
lint_input (struct lint *l, const struct json_node *tool)
{
  size_t was = json_pointer_add (&l->pointer, "inputSchema", 11);

  lint_schema (l, json_member (l->tape, tool, "inputSchema"));
  ascend (l, was);
}

void
lint_tool (const struct json_tape *tape, const struct json_node *tool, lint_sink sink, void *ctx)
{
  struct lint l = { .tape = tape, .sink = sink, .ctx = ctx };

  lint_name (&l, tool);
  lint_description (&l, tool);
  lint_size (&l, tool);
  lint_input (&l, tool);
  lint_texts (&l, tool);
  arena_free (&l.arena);
  buf_free (&l.pointer);
}

void
lint_strict_off (const struct json_tape *tape, const struct json_node *tool, lint_sink sink,
                 void *ctx)
{
  CLEANUP_BUF struct buf text = { 0 };
  struct error why = { "" };

  if (strict_suits (tape, tool, &why))
    return;
  buf_printf (&text, "\"auto\" is off: %s", why.text);
  sink (ctx, LINT_NOTE, "/toolhost/strict", buf_cstr (&text));
}

/* ---- what providers of models take ---- */

/* Has a profile that renders for the same format, and came before, lost the same? */
static bool
is_known_loss (const struct providers *providers, const struct losses *losses, size_t profile,
               const struct loss *loss)
{
  for (size_t i = 0; i < profile; i++) {
    if (strcmp (providers->list[i].formats[0].name, providers->list[profile].formats[0].name) != 0)
      continue;
    for (size_t n = 0; n < losses[i].count; n++) {
      const struct loss *other = &losses[i].list[n];
      if (strcmp (other->pointer, loss->pointer) == 0
          && strcmp (other->sentence, loss->sentence) == 0)
        return true;
    }
  }
  return false;
}

/* A tool that is refused has no other losses: they would be those of a form nobody gets. */
static void
tell_losses (const struct providers *providers, const struct losses *losses, size_t profile,
             lint_loss_sink sink, void *ctx)
{
  const struct provider *p = &providers->list[profile];

  for (size_t i = 0; i < losses[profile].count; i++) {
    const struct loss *loss = &losses[profile].list[i];
    bool refused = loss->kind == LOSS_REFUSED;
    if (refused == losses[profile].refused && !is_known_loss (providers, losses, profile, loss))
      sink (ctx, refused && !p->strict ? LINT_WARNING : LINT_NOTE, p, loss);
  }
}

void
lint_providers (const struct json_tape *tape, const struct json_node *tool,
                const struct providers *providers, lint_loss_sink sink, void *ctx)
{
  struct losses *losses = xcalloc (providers->count, sizeof *losses);

  for (size_t i = 0; i < providers->count; i++) {
    CLEANUP_BUF struct buf out = { 0 };
    const struct provider *p = &providers->list[i];
    (void) project_tool (p, &p->formats[0], tape, tool, &losses[i], NULL, &out);
    tell_losses (providers, losses, i, sink, ctx);
  }
  for (size_t i = 0; i < providers->count; i++)
    losses_free (&losses[i]);
  free (losses);
}

const char *
lint_level_name (enum lint_level level)
{
  static const char *const names[] = { "note", "warning", "error" };

  return names[level];
}
