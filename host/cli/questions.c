#include "cli/questions.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_write.h"
#include "cli/args.h"
#include "cli/out.h"

/* One question, and its texts for as long as `arena`. */
struct question {
  const struct json_tape *tape;
  struct arena *arena;
  const char *key;
  const struct json_node *params, *form;
  bool by_url, sampling, roots;
};

static const char *
text_of (const struct question *q, const struct json_node *object, const char *member)
{
  const char *text = json_cstring (q->tape, json_member (q->tape, object, member), q->arena);
  return text != NULL ? text : "";
}

static struct question
read_question (const struct json_tape *tape, const struct json_node *name, struct arena *arena)
{
  const struct json_node *request = json_next (name);
  const struct json_node *method = json_member (tape, request, "method");
  struct question q = { .tape = tape, .arena = arena, .key = json_cstring (tape, name, arena) };

  q.params = json_member (tape, request, "params");
  q.form = json_member (tape, json_member (tape, q.params, "requestedSchema"), "properties");
  q.by_url = json_equals (tape, json_member (tape, q.params, "mode"), "url");
  q.sampling = json_equals (tape, method, "sampling/createMessage");
  q.roots = json_equals (tape, method, "roots/list");
  return q;
}

/* ---- showing ---- */

/* "name: string", with what else is known of a field. */
static void
show_field (const struct question *q, const struct json_node *name, struct buf *out)
{
  const struct json_node *field = json_next (name), *choice;
  const char *title = text_of (q, field, "title"), *description = text_of (q, field, "description");

  buf_printf (out, "  %s (%s)", json_cstring (q->tape, name, q->arena), text_of (q, field, "type"));
  if (*title != '\0' || *description != '\0')
    buf_printf (out, ": %s%s%s", title, *title != '\0' && *description != '\0' ? ", " : "",
                description);
  choice = json_member (q->tape, field, "enum");
  if (json_is (choice, JSON_ARRAY)) {
    size_t len;
    const char *raw = json_raw (q->tape, choice, &len);
    buf_printf (out, ", one of %.*s", (int) len, raw);
  }
  choice = json_member (q->tape, field, "default");
  if (choice != NULL) {
    size_t len;
    const char *raw = json_raw (q->tape, choice, &len);
    buf_printf (out, " [%.*s]", (int) len, raw);
  }
  buf_putc (out, '\n');
}

static void
show_question (const struct question *q, struct buf *out)
{
  if (q->roots)
    buf_printf (out, "%s: which folders do you work in?\n", q->key);
  else if (q->sampling) {
    size_t len;
    const char *raw = json_raw (q->tape, json_member (q->tape, q->params, "messages"), &len);
    buf_printf (out, "%s: what does a model say to %.*s\n", q->key, (int) len, raw);
  }
  else
    buf_printf (out, "%s: %s\n", q->key, text_of (q, q->params, "message"));
  if (q->by_url)
    buf_printf (out, "  open %s\n", text_of (q, q->params, "url"));
  for (const struct json_node *n = q->form != NULL ? json_first (q->form) : NULL;
       n != NULL && n != json_end (q->form); n = json_next (json_next (n)))
    show_field (q, n, out);
}

void
questions_show (const struct json_tape *tape, const struct json_node *requests, struct buf *out)
{
  CLEANUP_ARENA struct arena arena = { 0 };

  for (const struct json_node *n = json_first (requests); n != json_end (requests);
       n = json_next (json_next (n))) {
    struct question q = read_question (tape, n, &arena);
    show_question (&q, out);
  }
}

/* ---- answering ---- */

/* The line that is typed after a prompt, without its end; NULL: there is none any more. */
static char *
read_line (const char *prompt, FILE *in, FILE *out)
{
  CLEANUP_BUF struct buf shown = { 0 };
  char *line = NULL;
  size_t room = 0;
  ssize_t len;

  text_neutralise (&shown, prompt, strlen (prompt));
  (void) fprintf (out, "%s: ", buf_cstr (&shown));
  (void) fflush (out);
  len = getline (&line, &room, in);
  if (len < 0) {
    free (line);
    return NULL;
  }
  if (len > 0 && line[len - 1] == '\n')
    line[len - 1] = '\0';
  return line;
}

static bool
input_ended (const struct question *q, struct error *err)
{
  return error_set (err, "%s: the input ended before the answer", q->key);
}

/* The content of a form from "name=value" texts, with the types its schema asks for. */
static bool
build_content (const struct question *q, const char *const *pairs, size_t count, struct buf *json,
               struct error *err)
{
  CLEANUP_BUF struct buf definition = { 0 };
  struct args_source source = { .pairs = pairs, .pairs_count = count };
  size_t len;
  const char *schema =
    json_raw (q->tape, json_member (q->tape, q->params, "requestedSchema"), &len);

  buf_printf (&definition, "{\"inputSchema\":%.*s}", (int) len, schema);
  source.definition = definition.data;
  source.definition_len = definition.len;
  return args_build (&source, json, err);
}

static void
write_accepted (const char *content, size_t len, struct json_writer *w)
{
  jsonw_object (w);
  jsonw_name_string (w, "action", "accept");
  if (content != NULL)
    jsonw_name_raw (w, "content", content, len);
  jsonw_end (w);
}

/* Each field a line; an empty one leaves the field out, or takes its default. */
static bool
read_fields (const struct question *q, FILE *in, FILE *out, struct buf *pairs_text,
             struct error *err)
{
  for (const struct json_node *n = json_first (q->form); n != json_end (q->form);
       n = json_next (json_next (n))) {
    const char *name = json_cstring (q->tape, n, q->arena);
    const struct json_node *otherwise = json_member (q->tape, json_next (n), "default");
    CLEANUP_FREE char *line = read_line (name, in, out);
    if (line == NULL)
      return input_ended (q, err);
    if (*line != '\0')
      buf_printf (pairs_text, "%s=%s", name, line);
    else if (otherwise != NULL) {
      size_t len;
      const char *raw = json_raw (q->tape, otherwise, &len);
      buf_printf (pairs_text, "%s:=%.*s", name, (int) len, raw);
    }
    else
      continue;
    buf_putc (pairs_text, '\0');
  }
  return true;
}

static bool
answer_form (const struct question *q, FILE *in, FILE *out, struct json_writer *w,
             struct error *err)
{
  CLEANUP_BUF struct buf texts = { 0 };
  CLEANUP_BUF struct buf content = { 0 };
  const char *pairs[64];
  size_t count = 0;

  if (!read_fields (q, in, out, &texts, err))
    return false;
  for (const char *at = texts.data; at != NULL && at < texts.data + texts.len && count < 64;
       at += strlen (at) + 1)
    pairs[count++] = at;
  if (!build_content (q, pairs, count, &content, err))
    return false;
  write_accepted (content.data, content.len, w);
  return true;
}

static void
write_action (struct json_writer *w, const char *line)
{
  jsonw_object (w);
  jsonw_name_string (w, "action", *line == 'y' || *line == 'Y' ? "accept" : "decline");
  jsonw_end (w);
}

static void
write_sampled (struct json_writer *w, const char *line)
{
  jsonw_object (w);
  jsonw_name_string (w, "role", "assistant");
  jsonw_name (w, "content");
  jsonw_object (w);
  jsonw_name_string (w, "type", "text");
  jsonw_name_string (w, "text", line);
  jsonw_end (w);
  jsonw_name_string (w, "model", "person");
  jsonw_end (w);
}

/* Paths or file: URIs with blanks between them. */
static void
write_roots (struct json_writer *w, char *line)
{
  char *rest = line;

  jsonw_object (w);
  jsonw_name (w, "roots");
  jsonw_array (w);
  for (char *word; (word = strsep (&rest, " \t")) != NULL;) {
    if (*word == '\0')
      continue;
    jsonw_object (w);
    jsonw_name (w, "uri");
    jsonw_stringf (w, "%s%s", strncmp (word, "file://", 7) == 0 ? "" : "file://", word);
    jsonw_end (w);
  }
  jsonw_end (w);
  jsonw_end (w);
}

static bool
answer_question (const struct question *q, FILE *in, FILE *out, struct json_writer *w,
                 struct error *err)
{
  CLEANUP_FREE char *line = NULL;

  if (q->form != NULL)
    return answer_form (q, in, out, w, err);
  line = read_line (q->by_url     ? "opened, go on? [y/n]"
                    : q->sampling ? "the model's answer"
                                  : "folders",
                    in, out);
  if (line == NULL)
    return input_ended (q, err);
  if (q->by_url)
    write_action (w, line);
  else if (q->sampling)
    write_sampled (w, line);
  else
    write_roots (w, line);
  return true;
}

bool
questions_answer (const struct json_tape *tape, const struct json_node *requests, FILE *in,
                  FILE *out, struct buf *json, struct error *err)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_writer w = { .out = json };

  jsonw_object (&w);
  for (const struct json_node *n = json_first (requests); n != json_end (requests);
       n = json_next (json_next (n))) {
    struct question q = read_question (tape, n, &arena);
    CLEANUP_BUF struct buf shown = { 0 };
    CLEANUP_BUF struct buf harmless = { 0 };
    show_question (&q, &shown);
    text_neutralise (&harmless, shown.data, shown.len);
    (void) fputs (buf_cstr (&harmless), out);
    jsonw_name (&w, q.key);
    if (!answer_question (&q, in, out, &w, err))
      return false;
  }
  jsonw_end (&w);
  return true;
}

bool
questions_from_pairs (const struct json_tape *tape, const struct json_node *requests,
                      const char *const *pairs, size_t count, struct buf *json, struct error *err)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf content = { 0 };
  struct json_writer w = { .out = json };
  struct question q;

  if (requests->count != 1)
    return error_set (err, "--arg answers a single form; several questions take JSON");
  q = read_question (tape, json_first (requests), &arena);
  if (q.form == NULL)
    return error_set (err, "--arg answers a form, and %s is none", q.key);
  if (!build_content (&q, pairs, count, &content, err))
    return false;
  jsonw_object (&w);
  jsonw_name (&w, q.key);
  write_accepted (content.data, content.len, &w);
  jsonw_end (&w);
  return true;
}
