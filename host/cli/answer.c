#include "cli/answer.h"

#include <string.h>

#include "cli/out.h"
#include "cli/questions.h"

const struct json_limits answer_limits = {
  .depth = 512, .nodes = 64u << 20, .members = 1u << 20, .number_len = 64 * 1024
};

/* Bytes behind a base64 string. */
static size_t
decoded_size (const struct json_tape *tape, const struct json_node *data)
{
  size_t padding = 0;

  while (padding < 2 && padding < data->len
         && tape->text[data->start + data->len - 1 - padding] == '=')
    padding++;
  return data->len / 4 * 3 - (data->len >= 4 ? padding : 0);
}

/* What a content block that is no text is shown as. */
static void
describe_block (const struct json_tape *tape, const struct json_node *block, struct arena *arena,
                struct buf *out)
{
  const char *type = json_cstring (tape, json_member (tape, block, "type"), arena);
  const struct json_node *resource = json_member (tape, block, "resource");
  const struct json_node *owner = resource != NULL ? resource : block;
  const char *mime = json_cstring (tape, json_member (tape, owner, "mimeType"), arena);
  const char *uri = json_cstring (tape, json_member (tape, owner, "uri"), arena);
  const struct json_node *data = json_member (tape, owner, "data");

  if (data == NULL)
    data = json_member (tape, owner, "blob");

  buf_printf (out, "[%s", type != NULL ? type : "content");
  if (uri != NULL)
    buf_printf (out, " %s", uri);
  if (mime != NULL)
    buf_printf (out, " %s", mime);
  if (json_is (data, JSON_STRING))
    buf_printf (out, ", %zu bytes", decoded_size (tape, data));
  buf_putc (out, ']');
}

static void
append_block (const struct json_tape *tape, const struct json_node *block, struct arena *arena,
              struct buf *out)
{
  const struct json_node *message = json_member (tape, block, "content");
  const char *role = json_cstring (tape, json_member (tape, block, "role"), arena);
  const char *text;
  size_t len;

  if (out->len > 0 && out->data[out->len - 1] != '\n')
    buf_putc (out, '\n');
  if (message != NULL) {
    buf_printf (out, "%s: ", role != NULL ? role : "?");
    block = message;
  }
  text = json_string (tape, json_member (tape, block, "text"), arena, &len);
  if (text == NULL)
    text = json_string (tape, json_member (tape, json_member (tape, block, "resource"), "text"),
                        arena, &len);
  if (text != NULL)
    buf_append (out, text, len);
  else
    describe_block (tape, block, arena, out);
}

bool
answer_text (const char *content, size_t content_len, const char *structured, size_t structured_len,
             struct buf *out)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape = { 0 };
  const struct json_node *blocks = NULL;

  if (content != NULL) {
    if (!json_read (&tape, content, content_len, &answer_limits, &arena))
      return false;
    blocks = json_root (&tape);
  }
  if (json_is (blocks, JSON_ARRAY))
    for (const struct json_node *n = json_first (blocks); n != json_end (blocks); n = json_next (n))
      append_block (&tape, n, &arena, out);
  if (out->len == 0 && structured != NULL)
    buf_append (out, structured, structured_len);
  return true;
}

/* ---- a whole answer ---- */

static const char *
raw_member (const struct json_tape *tape, const struct json_node *object, const char *name,
            size_t *len)
{
  const struct json_node *node = json_member (tape, object, name);

  *len = 0;
  return node != NULL ? json_raw (tape, node, len) : NULL;
}

/* Of the members that there are the first. */
static const char *
first_member (const struct json_tape *tape, const struct json_node *object,
              const char *const *names, size_t *len)
{
  const char *raw = NULL;

  for (; raw == NULL && *names != NULL; names++)
    raw = raw_member (tape, object, *names, len);
  return raw;
}

void
answer_repairs (const struct json_tape *tape, const struct json_node *repairs, struct buf *out)
{
  CLEANUP_ARENA struct arena arena = { 0 };

  if (!json_is (repairs, JSON_ARRAY))
    return;
  for (const struct json_node *n = json_first (repairs); n != json_end (repairs);
       n = json_next (n)) {
    const char *rule = json_cstring (tape, json_member (tape, n, "rule"), &arena);
    const char *pointer = json_cstring (tape, json_member (tape, n, "pointer"), &arena);
    const char *note = json_cstring (tape, json_member (tape, n, "note"), &arena);
    buf_printf (out, "mended %s (%s): %s\n",
                pointer != NULL && *pointer != '\0' ? pointer : "the arguments",
                rule != NULL ? rule : "?", note != NULL ? note : "");
  }
}

static void
print_repairs (const struct json_tape *tape, const struct json_node *root)
{
  CLEANUP_BUF struct buf text = { 0 };

  answer_repairs (tape, json_member (tape, root, "repairs"), &text);
  if (text.len != 0)
    out_note (text.data, text.len);
}

static void
print_text (const struct json_tape *tape, const struct json_node *root)
{
  CLEANUP_BUF struct buf text = { 0 };
  size_t content_len, structured_len;
  const char *content = first_member (
    tape, root, (const char *const[]){ "content", "contents", "messages", NULL }, &content_len);
  const char *structured = raw_member (tape, root, "structured", &structured_len);

  (void) answer_text (content, content_len, structured, structured_len, &text);
  if (text.len > 0)
    out_text (text.data, text.len);
}

static enum cli_exit
print_error (const struct json_tape *tape, const struct json_node *error, long http,
             struct arena *arena)
{
  static const struct {
    const char *code, *shows;
  } lists[] = { { "tool_not_found", "list shows the tools" },
                { "resource_not_found", "resources shows the resources" },
                { "prompt_not_found", "prompts shows the prompts" } };
  CLEANUP_BUF struct buf text = { 0 };
  const char *code = json_cstring (tape, json_member (tape, error, "code"), arena);
  const char *message = json_cstring (tape, json_member (tape, error, "message"), arena);

  buf_printf (&text, "%s: %s", code != NULL ? code : "error",
              message != NULL && *message != '\0' ? message : "no reason was given");
  enum cli_exit status = exit_for_error (code, http);
  for (size_t i = 0; code != NULL && i < sizeof lists / sizeof *lists; i++)
    if (strcmp (lists[i].code, code) == 0)
      buf_printf (&text, " toolhost %s there are.", lists[i].shows);
  return out_error (status, "%s", buf_cstr (&text));
}

/* The call waits: what for, and how to go on. */
static enum cli_exit
print_ask (const struct json_tape *tape, const struct json_node *ask, struct arena *arena)
{
  CLEANUP_BUF struct buf text = { 0 };
  const struct json_node *requests = json_member (tape, ask, "requests");
  const char *id = json_cstring (tape, json_member (tape, ask, "id"), arena);

  buf_puts (&text, "the tool asks\n");
  if (json_is (requests, JSON_OBJECT))
    questions_show (tape, requests, &text);
  buf_printf (&text, "answer with: toolhost approve %s\n", id != NULL ? id : "ASK_ID");
  out_note (text.data, text.len);
  return CLI_ASKS;
}

enum cli_exit
answer_print (const char *json, size_t len, long http, bool as_json)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  if (!json_read (&tape, json, len, &answer_limits, &arena)
      || json_root (&tape)->type != JSON_OBJECT)
    return out_error (CLI_UNREACHABLE, "the daemon's answer is not a JSON object%s",
                      http / 100 != 2 ? "; is it toolhostd that listens there?" : "");

  const struct json_node *error = json_member (&tape, json_root (&tape), "error");
  const char *code = json_cstring (&tape, json_member (&tape, error, "code"), &arena);

  if (as_json)
    out_text (json, len);
  else {
    print_repairs (&tape, json_root (&tape));
    print_text (&tape, json_root (&tape));
  }
  if (json_equals (&tape, json_member (&tape, json_root (&tape), "status"), "input_required"))
    return as_json ? CLI_ASKS
                   : print_ask (&tape, json_member (&tape, json_root (&tape), "ask"), &arena);
  if (!json_is (error, JSON_OBJECT))
    return http / 100 == 2 ? CLI_OK : exit_for_error (NULL, http);
  return as_json ? exit_for_error (code, http) : print_error (&tape, error, http, &arena);
}
