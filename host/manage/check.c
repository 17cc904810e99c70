/* check.c - what the plugin that builds it says of a document. */
#include <string.h>

#include "base/json_tape.h"
#include "manage/manage_parts.h"

static const char CHECK[] = "actions_check";

/* Where a problem stands in the document; NULL: in another one. */
static const char *
own_pointer (const struct work *work, const char *pointer)
{
  const char *own = work->kind == DEFINITION_TOOL ? "/tools/0" : "/endpoints/0";
  const size_t len = strlen (own);

  if (strncmp (pointer, own, len) == 0 && (pointer[len] == '/' || pointer[len] == '\0'))
    return pointer + len;
  return strncmp (pointer, "/tools/", 7) != 0 && strncmp (pointer, "/endpoints/", 11) != 0 ? pointer
                                                                                           : NULL;
}

static void
take_problem (struct work *work, const struct json_tape *tape, const struct json_node *node,
              struct arena *arena)
{
  const char *pointer = json_cstring (tape, json_member (tape, node, "pointer"), arena);
  const char *code = json_cstring (tape, json_member (tape, node, "code"), arena);
  const char *message = json_cstring (tape, json_member (tape, node, "message"), arena);

  pointer = own_pointer (work, pointer != NULL ? pointer : "");
  if (pointer != NULL)
    work_problem (work, pointer, code != NULL ? code : "invalid", message != NULL ? message : "",
                  json_cstring (tape, json_member (tape, node, "hint"), arena));
}

/* A member as it stands in the answer; nothing, if it is not there. */
static void
copy_member (const struct json_tape *tape, const char *name, struct buf *out)
{
  const struct json_node *node = json_member (tape, json_root (tape), name);
  const char *raw;
  size_t len;

  if (node == NULL)
    return;
  raw = json_raw (tape, node, &len);
  buf_append (out, raw, len);
}

/* False: it is no answer of a check. */
static bool
take_check (struct work *work, const char *text, size_t len)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  const struct json_node *problems;
  struct json_tape tape;

  if (text == NULL || !json_read (&tape, text, len, &documents_limits, &arena))
    return false;
  problems = json_member (&tape, json_root (&tape), "problems");
  if (!json_is (problems, JSON_ARRAY))
    return false;
  for (const struct json_node *n = json_first (problems); n != json_end (problems);
       n = json_next (n))
    take_problem (work, &tape, n, &arena);
  copy_member (&tape, "definitions", &work->shown);
  copy_member (&tape, "warnings", &work->warnings);
  return true;
}

static void
on_checked (void *ctx, const struct result *result)
{
  struct work *work = ctx;

  if (result == NULL)
    work_refuse (work, 503, "actions_unavailable",
                 "No plugin that builds declarative tools is there: install the plugin actions");
  else if (result->error != CALL_OK)
    work_answer (work, &(struct manage_answer){ .status = call_error_info (result->error)->http,
                                                .code = call_error_info (result->error)->code,
                                                .message = result->message,
                                                .retry_after_ms = result->retry_after_ms });
  else if (!take_check (work, result->structured, result->structured_len))
    work_refuse (work, 502, "actions_unavailable", "The plugin's check gave no answer of a check");
  else
    work_conclude (work);
}

/* An endpoint is checked beside the others, a tool with all of them. */
void
work_check (struct work *work)
{
  const struct manage_needs *needs = &work->manage->needs;
  const bool tool = work->kind == DEFINITION_TOOL;
  bool strict;
  CLEANUP_BUF struct buf arguments = { 0 };
  CLEANUP_BUF struct buf endpoints = { 0 };
  struct composed c = { .count = 0 };

  needs->compose (needs->ctx, work->tenant, &c);
  compose_put_endpoints (&c, tool ? NULL : work->name, &endpoints);
  strict = c.strict;
  composed_free (&c);
  buf_puts (&arguments, "{\"tools\":[");
  if (tool)
    buf_append (&arguments, work->document.data, work->document.len);
  buf_puts (&arguments, "],\"endpoints\":[");
  if (!tool) {
    buf_append (&arguments, work->document.data, work->document.len);
    if (endpoints.len > 2)
      buf_putc (&arguments, ',');
  }
  buf_append (&arguments, endpoints.data + 1, endpoints.len - 1);
  buf_puts (&arguments, strict ? ",\"strict_templates\":true}" : "}");
  sandboxed_call (&needs->sandboxed, work->tenant, CHECK, &arguments, on_checked, work);
}
