#include "cli/verdict.h"

#include "base/json_mend.h"

const struct json_limits verdict_limits = {
  .depth = 1024, .nodes = 64u << 20, .members = 1u << 20, .number_len = 64 * 1024
};

/* Read it as it is, or else as it was meant. */
static bool
read_text (struct verdict *v, struct json_tape *tape, enum repair_mode mode, const char *text,
           size_t len, struct arena *arena)
{
  CLEANUP_BUF struct buf mended = { 0 };
  CLEANUP_BUF struct buf what = { 0 };

  if (json_read (tape, text, len, &verdict_limits, arena))
    return true;
  v->fault = tape->problem;
  v->byte = tape->offset;
  v->place = caret_find (text, len, tape->offset);
  if (v->line != 0)
    v->place.line = v->line;
  if (mode == REPAIR_OFF
      || json_mend (text, len, mode == REPAIR_LENIENT, &verdict_limits, &mended, &what)
           != JSON_MENDED)
    return false;
  v->syntax = arena_strndup (arena, buf_cstr (&what), what.len);
  return json_read (tape, arena_strndup (arena, mended.data, mended.len), mended.len,
                    &verdict_limits, arena);
}

/* The value on one line. */
static void
keep_value (struct verdict *v, const struct json_tape *tape, struct arena *arena)
{
  size_t len;
  const char *text = json_raw (tape, json_root (tape), &len);
  char *line = arena_alloc (arena, len + 1);
  bool quoted = false;

  v->value = line;
  for (size_t i = 0; i < len; i++) {
    if (!quoted && strchr (" \t\r\n", text[i]) != NULL)
      continue;
    *line++ = text[i];
    if (quoted && text[i] == '\\')
      *line++ = text[++i];
    else if (text[i] == '"')
      quoted = !quoted;
  }
  v->value_len = (size_t) (line - v->value);
}

void
verdict_of (struct verdict *v, const struct schema *schema, enum repair_mode mode, const char *text,
            size_t len, struct arena *arena)
{
  struct json_tape tape;

  if (!read_text (v, &tape, mode, text, len, arena))
    v->kind = VERDICT_NOT_JSON;
  else if (schema_validate (schema, &tape, json_root (&tape), &v->report, arena))
    v->kind = v->syntax != NULL ? VERDICT_REPAIRED : VERDICT_VALID;
  else if (mode == REPAIR_OFF
           || !schema_repair (schema, &tape, json_root (&tape), mode, &v->repaired, arena)) {
    v->kind = VERDICT_INVALID;
    v->repaired = (struct repaired){ .count = 0 };
  }
  else {
    v->kind = VERDICT_REPAIRED;
    tape = v->repaired.tape;
  }
  if (v->kind == VERDICT_REPAIRED)
    keep_value (v, &tape, arena);
}
