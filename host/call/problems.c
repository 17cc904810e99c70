#include "call/problems.h"

#include "base/json_write.h"

enum { TEXT_MAX = 2000 }; /* and room for the line that says how many more */

size_t
problems_count (const struct schema_report *report)
{
  return report->count + report->more;
}

/* What of `len` bytes fits into `room` without cutting a character. */
static size_t
fitting (const char *text, size_t len, size_t room)
{
  if (len <= room)
    return len;
  while (room != 0 && ((unsigned char) text[room] & 0xC0) == 0x80)
    room--;
  return room;
}

/* False: it does not fit any more.  The first one always does, if only its begin. */
static bool
add_line (const struct schema_problem *p, const char *whole, bool first, struct buf *text)
{
  CLEANUP_BUF struct buf line = { 0 };
  size_t room = text->len < TEXT_MAX ? TEXT_MAX - text->len : 0;

  buf_printf (&line, "\n- %s: %s", *p->pointer != '\0' ? p->pointer : whole, p->message);
  if (line.len > room && !first)
    return false;
  buf_append (text, line.data, fitting (line.data, line.len, room));
  return true;
}

void
problems_text (const struct schema_report *report, const char *whole, struct buf *text)
{
  size_t told = 0;

  while (told < report->count && add_line (&report->problems[told], whole, told == 0, text))
    told++;
  if (told != problems_count (report))
    buf_printf (text, "\nand %zu more", problems_count (report) - told);
}

static void
name_text (struct json_writer *w, const char *name, const char *text)
{
  if (text != NULL)
    jsonw_name_string (w, name, text);
}

void
problems_json (const struct schema_report *report, struct buf *json)
{
  struct json_writer w = { .out = json };

  jsonw_array (&w);
  for (size_t i = 0; i < report->count; i++) {
    const struct schema_problem *p = &report->problems[i];
    jsonw_object (&w);
    jsonw_name_string (&w, "instancePath", p->pointer);
    jsonw_name_string (&w, "message", p->message);
    name_text (&w, "schemaPath", p->schema_pointer);
    name_text (&w, "keyword", p->keyword);
    name_text (&w, "expected", p->expected);
    name_text (&w, "got", p->got);
    name_text (&w, "suggestion", p->suggestion);
    jsonw_end (&w);
  }
  jsonw_end (&w);
}

static const char *
text_of (const struct json_tape *tape, const struct json_node *problem, const char *member,
         struct arena *arena)
{
  const char *text = json_cstring (tape, json_member (tape, problem, member), arena);
  return text != NULL ? text : "";
}

void
problems_read (struct schema_report *report, const char *json, size_t len, struct arena *arena)
{
  const struct json_node *list;
  struct json_tape tape;

  if (!json_read (&tape, json, len, &json_default_limits, arena))
    return;
  list = json_root (&tape);
  if (list->type != JSON_ARRAY)
    return;
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n)) {
    if (report->count == SCHEMA_MAX_PROBLEMS) {
      report->more++;
      continue;
    }
    report->problems[report->count++] =
      (struct schema_problem){ .pointer = text_of (&tape, n, "pointer", arena),
                               .message = text_of (&tape, n, "message", arena),
                               .keyword = "validate" };
  }
}
