#include "schema/repair/repair.h"

#include <string.h>

#include "schema/explain/line.h"
#include "schema/explain/place.h"
#include "schema/repair/work.h"

enum {
  PASSES = 6, /* what is in a text, or under another name, is mended in a later pass */
  TRIAL_PASSES = 2
};

/* ---- names ---- */

static const char *const mode_names[] = {
  [REPAIR_OFF] = "off", [REPAIR_SAFE] = "safe", [REPAIR_LENIENT] = "lenient"
};

const char *
repair_mode_name (enum repair_mode mode)
{
  return mode_names[mode];
}

bool
repair_mode_find (const char *name, size_t len, enum repair_mode *mode)
{
  for (size_t i = 0; i < sizeof mode_names / sizeof *mode_names; i++)
    if (strlen (mode_names[i]) == len && memcmp (mode_names[i], name, len) == 0) {
      *mode = (enum repair_mode) i;
      return true;
    }
  return false;
}

const char *
repair_rule_name (enum repair_rule rule)
{
  static const char *const names[REPAIR_RULES] = {
    [REPAIR_WHOLE] = "whole",     [REPAIR_STRINGIFIED] = "stringified",
    [REPAIR_SCALAR] = "scalar",   [REPAIR_NULL] = "null",
    [REPAIR_NOTHING] = "nothing", [REPAIR_WRAP] = "wrap",
    [REPAIR_CASE] = "case",       [REPAIR_NAME] = "name",
    [REPAIR_EXTRA] = "extra",     [REPAIR_SYNTAX] = "syntax"
  };

  return (unsigned) rule < REPAIR_RULES ? names[rule] : "?";
}

/* ---- going over a value ---- */

bool
mend_once (struct mender *m, const struct rule *rule, const struct json_tape *tape,
           const struct json_node *value, struct buf *out)
{
  m->k->tape = tape;
  m->root = value;
  edits_begin (&m->edits, tape, value, m->arena);
  walk_rule (m, rule, value);
  return m->edits.count != 0 && !m->k->gave_up && edits_write (&m->edits, out);
}

static bool
try_passes (struct mender *m, const struct rule *rule, const char *json, size_t len)
{
  for (unsigned pass = 0;; pass++) {
    struct json_tape *tape = arena_alloc (m->arena, sizeof *tape);
    CLEANUP_BUF struct buf out = { 0 };
    if (!json_read (tape, json, len, &json_default_limits, m->arena))
      return false;
    m->k->tape = tape;
    if (check_rule (m->k, rule, json_root (tape)))
      return true;
    if (pass == TRIAL_PASSES || !mend_once (m, rule, tape, json_root (tape), &out))
      return false;
    json = arena_strndup (m->arena, out.data, out.len);
    len = out.len;
  }
}

bool
mend_try (const struct mender *m, const struct rule *rule, const char *json, size_t len)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct mender trial = { .k = m->k, .mode = m->mode, .trial = true, .arena = &arena };
  const struct json_tape *tape = m->k->tape;
  bool good = try_passes (&trial, rule, json, len);

  m->k->tape = tape;
  return good;
}

/* ---- what was done ---- */

/* A name of the value as it is, or as it is going to be. */
static bool
is_secret_name (const struct mender *m, const struct json_node *name)
{
  const struct words *secrets = &m->k->schema->secret_names;
  const struct edit *edit = edit_of (&m->edits, name);

  if (words_find (secrets, m->k->tape, name) != WORDS_NONE)
    return true;
  for (uint32_t i = 0; edit != NULL && edit->text != NULL && i < secrets->count; i++)
    if (edit->len == secrets->list[i].len + 2
        && memcmp (edit->text + 1, secrets->list[i].text, edit->len - 2) == 0)
      return true;
  return false;
}

static bool
is_secret (const struct mender *m, const struct json_node *target)
{
  const struct json_node *at = m->root;
  const struct json_node *name;
  uint32_t index;

  if (m->k->schema->root->secret)
    return true;
  while (at != target) {
    at = place_step (at, target, &name, &index);
    if (name == NULL)
      continue;
    if (is_secret_name (m, name))
      return true;
    if (place_is_name (at, target))
      return false;
  }
  return false;
}

/* The JSON that now stands there, as it would be shown. */
static void
add_json (struct line *line, const char *json, size_t len)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  if (json_read (&tape, json, len, &json_default_limits, &arena))
    line_add_value (line, &tape, json_root (&tape), LINE_PIECE);
}

static void
add_change (struct line *line, const struct mender *m, const struct json_node *node,
            const struct edit *edit)
{
  if (edit->rule != REPAIR_NAME && is_secret (m, node)) {
    line_add (line, "was mended (not shown)");
    return;
  }
  line_add (line, edit->rule == REPAIR_NAME ? "was named " : "was ");
  if (edit->rule == REPAIR_SCALAR)
    line_add (line, node->type == JSON_STRING ? "the text " : "the number ");
  line_add_value (line, m->k->tape, node, LINE_PIECE);
  line_add (line, ", taken as ");
  if (edit->rule == REPAIR_SCALAR && node->type == JSON_NUMBER)
    line_add (line, "the text ");
  else if (edit->rule == REPAIR_SCALAR && strchr ("tf", edit->text[0]) == NULL)
    line_add (line, "the number ");
  add_json (line, edit->text, edit->len);
}

static bool
holds_array (const struct edit *edit)
{
  const char *p = edit->text;

  while (*p != '[' && *p != '{')
    p++;
  return *p == '[';
}

static void
add_note (struct line *line, const struct mender *m, const struct json_node *node,
          const struct edit *edit)
{
  static const char *const notes[REPAIR_RULES] = {
    [REPAIR_NULL] = "was null, and is optional: left out",
    [REPAIR_NOTHING] = "was a word for nothing, and is optional: left out",
    [REPAIR_WRAP] = "was one value, taken as an array of it",
    [REPAIR_EXTRA] = "is not known here: left out"
  };

  if (edit->rule == REPAIR_WHOLE && node->type == JSON_NULL)
    line_add (line, "was null, taken as an empty object");
  else if (edit->rule == REPAIR_WHOLE || edit->rule == REPAIR_STRINGIFIED)
    line_add (line, "was text that holds an %1$s, taken as that %1$s",
              holds_array (edit) ? "array" : "object");
  else if (notes[edit->rule] != NULL)
    line_add (line, "%s", notes[edit->rule]);
  else
    add_change (line, m, node, edit);
}

static const char *
keep (struct line *line, struct arena *arena)
{
  /* a cut may have gone through a character */
  while (!utf8_valid (line->text, line->len))
    line->len--;
  return arena_strndup (arena, line->text, line->len);
}

static void
tell (const struct mender *m, const struct json_node *node, const struct edit *edit,
      struct repaired *out, struct arena *arena)
{
  struct repair *repair = &out->list[out->count];
  struct line pointer = { .len = 0 };
  struct line note = { .len = 0 };

  out->by_rule[edit->rule]++;
  if (out->count == REPAIRS_TOLD) {
    out->more++;
    return;
  }
  out->count++;
  line_add_pointer (&pointer, m->k->tape, m->root, node);
  add_note (&note, m, node, edit);
  repair->rule = edit->rule;
  repair->pointer = keep (&pointer, arena);
  repair->note = keep (&note, arena);
}

static void
tell_all (const struct mender *m, struct repaired *out, struct arena *arena)
{
  const struct json_node *end = json_end (m->root);

  for (const struct json_node *n = m->root; n != end;) {
    const struct edit *edit = edit_of (&m->edits, n);
    if (edit != NULL)
      tell (m, n, edit, out, arena);
    n += edit != NULL ? n->skip : 1;
  }
}

/* ---- the whole ---- */

/* The value of a pass is the tape of the one before. */
static bool
mend (struct mender *m, const struct json_tape *tape, const struct json_node *value,
      struct repaired *out, struct arena *arena)
{
  const struct schema *schema = m->k->schema;

  for (unsigned pass = 0; pass < PASSES; pass++) {
    CLEANUP_BUF struct buf text = { 0 };
    if (!mend_once (m, schema->root, tape, value, &text))
      return false;
    tell_all (m, out, arena);
    if (!json_read (&out->tape, arena_strndup (arena, text.data, text.len), text.len,
                    &json_default_limits, arena))
      return false;
    tape = &out->tape;
    value = json_root (tape);
    m->k->tape = tape;
    if (check_rule (m->k, schema->root, value) && schema_validate (schema, tape, value, NULL, NULL))
      return true;
    arena_reset (m->arena);
  }
  return false;
}

bool
schema_repair (const struct schema *schema, const struct json_tape *tape,
               const struct json_node *value, enum repair_mode mode, struct repaired *out,
               struct arena *arena)
{
  CLEANUP_ARENA struct arena work = { 0 };
  struct checker k = checker_for (schema, tape);
  struct mender m = { .k = &k, .mode = mode, .arena = &work };
  bool good;

  memset (out, 0, sizeof *out);
  if (mode == REPAIR_OFF)
    return false;
  good = mend (&m, tape, value, out, arena);
  if (!good)
    memset (out, 0, sizeof *out);
  return good;
}
