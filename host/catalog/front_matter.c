#include "catalog/front_matter.h"

#include <regex.h>
#include <yaml.h>

#include "base/json_tape.h"
#include "base/json_write.h"
#include "base/utf8.h"

enum { DEPTH_MAX = 8, DESCRIPTION_MAX = 1024, COMPATIBILITY_MAX = 500 };

bool
skill_name_ok (const char *name, size_t len)
{
  if (len == 0 || len > SKILL_NAME_MAX || name[0] == '-' || name[len - 1] == '-')
    return false;
  for (size_t i = 0; i < len; i++)
    if (!((name[i] >= 'a' && name[i] <= 'z') || (name[i] >= '0' && name[i] <= '9')
          || (name[i] == '-' && name[i - 1] != '-')))
      return false;
  return true;
}

/* ---- which part of the text it is ---- */

/* The line that begins at `at` is "---", perhaps with blanks after it: where the next one begins.
 */
static const char *
after_dashes (const char *at, const char *end)
{
  if (end - at < 3 || memcmp (at, "---", 3) != 0)
    return NULL;
  for (at += 3; at < end && (*at == ' ' || *at == '\t' || *at == '\r'); at++)
    ;
  return at == end ? at : *at == '\n' ? at + 1 : NULL;
}

static bool
find_yaml (const char *text, size_t len, const char **yaml, size_t *yaml_len, struct error *err)
{
  const char *end = text + len, *start = after_dashes (text, end);

  if (len >= 3 && memcmp (text, "\xEF\xBB\xBF", 3) == 0)
    return error_set (err, "line 1: it begins with a byte order mark; save it without one");
  if (start == NULL)
    return error_set (err, "line 1: expected --- and front matter with name and description");
  for (const char *line = start; line < end;) {
    const char *stop = memchr (line, '\n', (size_t) (end - line));
    if (after_dashes (line, end) != NULL) {
      *yaml = start;
      *yaml_len = (size_t) (line - start);
      return true;
    }
    line = stop != NULL ? stop + 1 : end;
  }
  return error_set (err, "its front matter has no end: a line --- within the first %d bytes",
                    FRONT_MATTER_MAX);
}

/* ---- from YAML to JSON ---- */

/* Plain scalars that readers of YAML 1.1 and of 1.2 take for different values. */
static const char UNSURE[] =
  "^([-+]?(0[xob][0-9a-fA-F_]+|[.]?[0-9][0-9_]*[.]?[0-9_]*([eE][-+]?[0-9]+)?"
  "|[0-9][0-9_]*(:[0-5]?[0-9])+([.][0-9_]*)?|[.](inf|Inf|INF|nan|NaN|NAN))"
  "|[0-9]{4}-[0-9][0-9]?-[0-9][0-9]?([Tt ].*)?"
  "|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF|<<|=)$";
/* Numbers that are the same to all of them, and to JSON. */
static const char NUMBER[] = "^-?(0|[1-9][0-9]*)([.][0-9]+)?$";

struct reader {
  yaml_parser_t yaml;
  struct json_writer w;
  struct error *err;
  regex_t unsure, number;
  unsigned depth;
};

static void
reader_cleanup (struct reader *r)
{
  yaml_parser_delete (&r->yaml);
  regfree (&r->unsure);
  regfree (&r->number);
}

/* The dashes are the file's first line. */
static bool
refuse (struct reader *r, const yaml_mark_t *mark, const char *what)
{
  return error_set (r->err, "line %zu: %s", mark->line + 2, what);
}

static bool
next_event (struct reader *r, yaml_event_t *event)
{
  if (yaml_parser_parse (&r->yaml, event))
    return true;
  return refuse (r, &r->yaml.problem_mark,
                 r->yaml.problem != NULL ? r->yaml.problem : "this is no YAML");
}

static bool
is_one_of (const char *text, const char *const *words)
{
  for (; *words != NULL; words++)
    if (strcmp (text, *words) == 0)
      return true;
  return false;
}

static bool
is_null (const char *text)
{
  return is_one_of (text, (const char *const[]){ "", "~", "null", "Null", "NULL", NULL });
}

static bool
is_true (const char *text)
{
  return is_one_of (text, (const char *const[]){ "true", "True", "TRUE", NULL });
}

static bool
is_false (const char *text)
{
  return is_one_of (text, (const char *const[]){ "false", "False", "FALSE", NULL });
}

static bool
put_plain (struct reader *r, const yaml_event_t *event, const char *text, size_t len)
{
  if (is_null (text))
    jsonw_null (&r->w);
  else if (is_true (text) || is_false (text))
    jsonw_bool (&r->w, is_true (text));
  else if (regexec (&r->number, text, 0, NULL, 0) == 0)
    jsonw_raw (&r->w, text, len);
  else if (regexec (&r->unsure, text, 0, NULL, 0) == 0)
    return refuse (r, &event->start_mark,
                   "readers of YAML differ in what this value is; put it in quotes");
  else
    jsonw_string_len (&r->w, text, len);
  return true;
}

static bool
put_scalar (struct reader *r, const yaml_event_t *event)
{
  const char *text = (const char *) event->data.scalar.value;
  const size_t len = event->data.scalar.length;

  if (event->data.scalar.anchor != NULL || event->data.scalar.tag != NULL)
    return refuse (r, &event->start_mark, "anchors and tags are not taken; write the value alone");
  if (strlen (text) != len)
    return refuse (r, &event->start_mark, "a text holds U+0000");
  if (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
    return put_plain (r, event, text, len);
  jsonw_string_len (&r->w, text, len);
  return true;
}

/* A key is a text to every reader. */
static bool
put_key (struct reader *r, const yaml_event_t *event)
{
  const char *text = (const char *) event->data.scalar.value;
  const bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;

  if (event->type != YAML_SCALAR_EVENT || event->data.scalar.anchor != NULL
      || event->data.scalar.tag != NULL || strlen (text) != event->data.scalar.length
      || (plain
          && (is_null (text) || is_true (text) || is_false (text)
              || regexec (&r->number, text, 0, NULL, 0) == 0
              || regexec (&r->unsure, text, 0, NULL, 0) == 0)))
    return refuse (r, &event->start_mark, "a key has to be a text; put it in quotes");
  jsonw_name_len (&r->w, text, event->data.scalar.length);
  return true;
}

static bool put_value (struct reader *r, const yaml_event_t *event);

/* The items of a sequence, or the keys and values of a mapping, up to its end. */
static bool
put_items (struct reader *r, yaml_event_type_t last)
{
  bool good = true, more = true, key = last == YAML_MAPPING_END_EVENT;

  while (good && more) {
    yaml_event_t event;
    if (!next_event (r, &event))
      return false;
    more = event.type != last;
    if (more)
      good = key ? put_key (r, &event) : put_value (r, &event);
    key = last == YAML_MAPPING_END_EVENT && !key;
    yaml_event_delete (&event);
  }
  return good;
}

static bool
put_container (struct reader *r, const yaml_event_t *event, yaml_event_type_t last)
{
  bool good;

  if (++r->depth > DEPTH_MAX)
    return refuse (r, &event->start_mark, "it is nested more than 8 deep");
  if (last == YAML_MAPPING_END_EVENT)
    jsonw_object (&r->w);
  else
    jsonw_array (&r->w);
  good = put_items (r, last);
  if (good)
    jsonw_end (&r->w);
  r->depth--;
  return good;
}

static bool
put_value (struct reader *r, const yaml_event_t *event)
{
  const yaml_char_t *anchor = NULL, *tag = NULL;

  switch (event->type) {
  case YAML_SCALAR_EVENT:
    return put_scalar (r, event);
  case YAML_MAPPING_START_EVENT:
    anchor = event->data.mapping_start.anchor;
    tag = event->data.mapping_start.tag;
    break;
  case YAML_SEQUENCE_START_EVENT:
    anchor = event->data.sequence_start.anchor;
    tag = event->data.sequence_start.tag;
    break;
  default:
    return refuse (r, &event->start_mark, "aliases are not taken; write the value itself");
  }
  if (anchor != NULL || tag != NULL)
    return refuse (r, &event->start_mark, "anchors and tags are not taken; write the value alone");
  return put_container (r, event,
                        event->type == YAML_MAPPING_START_EVENT ? YAML_MAPPING_END_EVENT
                                                                : YAML_SEQUENCE_END_EVENT);
}

/* One document, and that a mapping. */
static bool
put_document (struct reader *r)
{
  static const yaml_event_type_t order[] = { YAML_STREAM_START_EVENT, YAML_DOCUMENT_START_EVENT,
                                             YAML_MAPPING_START_EVENT, YAML_DOCUMENT_END_EVENT,
                                             YAML_STREAM_END_EVENT };
  bool good = true;

  for (size_t i = 0; good && i < sizeof order / sizeof order[0]; i++) {
    yaml_event_t event;
    if (!next_event (r, &event))
      return false;
    if (event.type != order[i])
      good = refuse (r, &event.start_mark, "expected keys with values, such as name: a-name");
    else if (event.type == YAML_MAPPING_START_EVENT)
      good = put_value (r, &event);
    yaml_event_delete (&event);
  }
  return good;
}

static bool
yaml_to_json (const char *text, size_t len, struct buf *out, struct error *err)
{
  __attribute__ ((cleanup (reader_cleanup))) struct reader r = { .w = { .out = out }, .err = err };

  /* The patterns are constants: compiling them fails for want of memory alone. */
  if (!yaml_parser_initialize (&r.yaml)
      || regcomp (&r.unsure, UNSURE, REG_EXTENDED | REG_NOSUB) != 0
      || regcomp (&r.number, NUMBER, REG_EXTENDED | REG_NOSUB) != 0)
    return error_set (err, "there is no memory to read it");
  yaml_parser_set_encoding (&r.yaml, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string (&r.yaml, (const unsigned char *) text, len);
  return put_document (&r);
}

/* ---- what the fields must be ---- */

static size_t
characters (const char *text, size_t len)
{
  size_t count = 0;

  for (const char *at = text; at < text + len; at += utf8_sequence (at, text + len))
    count++;
  return count;
}

/* A field that is a text of 1 to `most` characters. */
static bool
check_text (const struct json_tape *tape, const char *field, bool required, size_t most,
            struct error *err)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  const struct json_node *value = json_member (tape, json_root (tape), field);
  size_t len, count;
  const char *text;

  if (value == NULL)
    return !required || error_set (err, "/%s: it is missing", field);
  text = json_string (tape, value, &arena, &len);
  if (text == NULL)
    return error_set (err, "/%s: expected a text; put it in quotes", field);
  count = characters (text, len);
  if (strspn (text, " \t\r\n") >= len)
    return error_set (err, "/%s: it is empty", field);
  return count <= most
         || error_set (err, "/%s: it has %zu characters, %zu are the most", field, count, most);
}

static bool
check_name (const struct json_tape *tape, const char *name, struct error *err)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  const char *text = json_cstring (tape, json_member (tape, json_root (tape), "name"), &arena);

  if (text == NULL)
    return error_set (err, "/name: it is missing, or no text");
  if (!skill_name_ok (text, strlen (text)))
    return error_set (err, "/name: %.80s: expected 1 to 64 of a-z 0-9 and single hyphens inside",
                      text);
  return strcmp (text, name) == 0
         || error_set (err, "/name: %.80s: expected the name of its folder, %s", text, name);
}

static bool
check_metadata (const struct json_tape *tape, struct error *err)
{
  static const char reserved[] = "io.modelcontextprotocol/";
  CLEANUP_ARENA struct arena arena = { 0 };
  const struct json_node *metadata = json_member (tape, json_root (tape), "metadata");

  if (metadata == NULL)
    return true;
  if (!json_is (metadata, JSON_OBJECT))
    return error_set (err, "/metadata: expected keys with texts");
  for (const struct json_node *n = json_first (metadata); n != json_end (metadata);
       n = json_next (json_next (n))) {
    const char *key = json_cstring (tape, n, &arena);
    if (strncmp (key, reserved, sizeof reserved - 1) == 0)
      return error_set (err, "/metadata: %.80s: the prefix %s is reserved", key, reserved);
    if (!json_is (json_next (n), JSON_STRING))
      return error_set (err, "/metadata/%.80s: expected a text; put it in quotes", key);
  }
  return true;
}

static bool
check_fields (const struct json_tape *tape, const char *name, struct error *err)
{
  return check_name (tape, name, err)
         && check_text (tape, "description", true, DESCRIPTION_MAX, err)
         && check_text (tape, "license", false, DESCRIPTION_MAX, err)
         && check_text (tape, "compatibility", false, COMPATIBILITY_MAX, err)
         && check_text (tape, "allowed-tools", false, FRONT_MATTER_MAX, err)
         && check_metadata (tape, err);
}

bool
front_matter_read (const char *text, size_t len, const char *name, struct buf *out,
                   struct error *err)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  const size_t was = out->len;
  struct json_tape tape;
  const char *yaml = NULL;
  size_t yaml_len = 0;

  if (!find_yaml (text, len < FRONT_MATTER_MAX ? len : FRONT_MATTER_MAX, &yaml, &yaml_len, err)
      || !yaml_to_json (yaml, yaml_len, out, err))
    return false;
  if (!json_read (&tape, out->data + was, out->len - was, &json_default_limits, &arena))
    return error_set (err, "its front matter has a key twice, or too many");
  return check_fields (&tape, name, err);
}
