#include "cli/made.h"

#include "cli/answer.h"
#include "cli/out.h"
#include "cli/said.h"

bool
made_open (struct made *made, const struct options *options)
{
  struct error err = { 0 };

  made->tenant = options->tenant != NULL ? options->tenant : "default";
  made->client = client_open (options, &err);
  if (made->client == NULL)
    (void) out_error (CLI_USAGE, "%s", err.text);
  return made->client != NULL;
}

void
made_close (struct made *made)
{
  client_close (made->client);
}

void
made_path (const struct made *made, enum definition_kind kind, const char *name, const char *more,
           struct buf *out)
{
  buf_puts (out, "/v1/tenants/");
  url_escape (out, made->tenant);
  buf_puts (out, kind == DEFINITION_TOOL ? "/tools" : "/endpoints");
  if (name != NULL) {
    buf_putc (out, '/');
    url_escape (out, name);
  }
  buf_puts (out, more);
  (void) buf_cstr (out);
}

bool
made_ask (const struct made *made, const char *method, const char *path, const char *expected,
          const struct buf *body, struct reply *reply)
{
  const struct request request = { .method = method,
                                   .path = path,
                                   .header = expected,
                                   .body = body != NULL ? body->data : NULL,
                                   .body_len = body != NULL ? body->len : 0 };
  struct error err = { 0 };

  if (client_ask (made->client, &request, reply, &err))
    return true;
  (void) out_error (CLI_UNREACHABLE, "%s", err.text);
  return false;
}

enum cli_exit
made_fetch (const struct made *made, const char *method, const char *path, const struct buf *body,
            struct reply *reply)
{
  if (!made_ask (made, method, path, NULL, body, reply))
    return CLI_UNREACHABLE;
  return reply->status / 100 == 2 ? CLI_OK : client_refused (reply);
}

bool
made_problems (const struct reply *reply, struct buf *out)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  const struct said said = { &tape, &arena };
  const struct json_node *list = NULL;

  if (json_read (&tape, reply->body.data, reply->body.len, &answer_limits, &arena))
    list = json_member (&tape, json_root (&tape), "problems");
  if (!json_is (list, JSON_ARRAY) || list->count == 0)
    return false;
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n)) {
    const char *pointer = said_text (&said, n, "pointer", "");
    const char *hint = said_text (&said, n, "hint", NULL);
    buf_printf (out, "    %s%s%s%s%s\n", pointer, *pointer != '\0' ? ": " : "",
                said_text (&said, n, "message", ""), hint != NULL ? "; " : "",
                hint != NULL ? hint : "");
  }
  return true;
}
