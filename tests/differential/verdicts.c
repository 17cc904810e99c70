/* verdicts - our answers, for differ.mjs.  Reads lines {"schema": …, "dialect": "draft-07",
 * "values": [ … ]}; the dialect may be missing.  Answers each with a line: "refused: WHY", or a
 * character for each value: 1 valid, 0 not, ? too costly, ! with and without a report not alike. */
#include <stdio.h>
#include <string.h>

#include "schema/schema.h"

static const struct json_limits limits = {
  .depth = 200, .nodes = 1000000, .members = 100000, .number_len = 10000
};

static char
verdict (const struct schema *schema, const struct json_tape *tape, const struct json_node *value,
         struct arena *arena)
{
  struct schema_report report;
  bool quick = schema_validate (schema, tape, value, NULL, arena);

  if (schema_validate (schema, tape, value, &report, arena) != quick)
    return '!';
  if (quick)
    return '1';
  return strstr (report.problems[0].message, "too costly") != NULL ? '?' : '0';
}

static void
answer (const struct json_tape *tape, const struct json_node *line, struct buf *out)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  const struct json_node *values = json_member (tape, line, "values");
  struct schema_options options = { 0 };
  struct error err = { "" };
  struct schema *schema;

  if (json_equals (tape, json_member (tape, line, "dialect"), "draft-07"))
    options.dialect = SCHEMA_DRAFT_07;
  schema = schema_compile (tape, json_member (tape, line, "schema"), &options, &err);
  if (schema == NULL) {
    buf_printf (out, "refused: %s", err.text);
    return;
  }
  for (const struct json_node *n = json_first (values); n != json_end (values); n = json_next (n)) {
    buf_putc (out, verdict (schema, tape, n, &arena));
    arena_reset (&arena);
  }
  schema_free (schema);
}

static void
read_and_answer (const char *text, size_t len, struct buf *out)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  if (!json_read (&tape, text, len, &limits, &arena))
    buf_printf (out, "refused: byte %zu: %s", tape.offset, tape.problem);
  else if (json_member (&tape, json_root (&tape), "schema") == NULL
           || !json_is (json_member (&tape, json_root (&tape), "values"), JSON_ARRAY))
    buf_puts (out, "refused: expected schema and values");
  else
    answer (&tape, json_root (&tape), out);
}

int
main (void)
{
  CLEANUP_BUF struct buf out = { 0 };
  CLEANUP_FREE char *line = NULL;
  size_t room = 0;

  for (ssize_t len; (len = getline (&line, &room, stdin)) > 0;) {
    out.len = 0;
    read_and_answer (line, (size_t) len, &out);
    buf_putc (&out, '\n');
    if (fwrite (out.data, 1, out.len, stdout) != out.len || fflush (stdout) != 0)
      return 1;
  }
  return 0;
}
