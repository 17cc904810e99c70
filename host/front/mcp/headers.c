#include "front/mcp/headers.h"

#include <stdio.h>

#include "base/base64.h"
#include "front/mcp/methods.h"

static bool
same (struct slice a, struct slice b)
{
  return a.len == b.len && (a.len == 0 || memcmp (a.data, b.data, a.len) == 0);
}

/* What a header value stands for, when it is wrapped as =?base64?…?=; data NULL: badly wrapped. */
static struct slice
unwrapped (struct slice header, struct arena *arena)
{
  static const char open[] = "=?base64?", close[] = "?=";
  const size_t open_len = sizeof open - 1, close_len = sizeof close - 1;
  struct slice decoded;
  size_t len;
  char *room;

  if (header.len < open_len + close_len || memcmp (header.data, open, open_len) != 0
      || memcmp (header.data + header.len - close_len, close, close_len) != 0)
    return header;
  len = header.len - open_len - close_len;
  room = arena_alloc (arena, base64_room (len));
  decoded.data = room;
  if (!base64_decode (BASE64_PADDED, header.data + open_len, len, room, &decoded.len))
    return (struct slice){ NULL, 0 };
  return decoded;
}

bool
mcp_header_equals (struct slice header, struct slice text, struct arena *arena)
{
  if (header.data == NULL)
    return false;
  header = unwrapped (header, arena);
  return header.data != NULL && same (header, text);
}

static bool
mismatch (struct mcp_fault *fault, struct slice header, const char *name, const char *member)
{
  return mcp_fault_set (fault, MCP_HEADER_MISMATCH, 400,
                        header.data == NULL ? "Header mismatch: %s is missing; it must repeat %s"
                                            : "Header mismatch: %s differs from %s",
                        name, member);
}

static bool
check_envelope (const struct http_exchange *x, const struct mcp_message *m, struct mcp_fault *fault)
{
  (void) x;
  return mcp_check_envelope (m, fault);
}

static bool
check_version_header (const struct http_exchange *x, const struct mcp_message *m,
                      struct mcp_fault *fault)
{
  struct slice header = http_header (x, "mcp-protocol-version");

  return (header.data != NULL && json_equals_len (&m->tape, m->version, header.data, header.len))
         || mismatch (fault, header, "MCP-Protocol-Version",
                      "_meta[\"" MCP_META "protocolVersion\"]");
}

static bool
check_version (const struct http_exchange *x, const struct mcp_message *m, struct mcp_fault *fault)
{
  (void) x;
  return mcp_check_version (m, fault);
}

static bool
check_method (const struct http_exchange *x, const struct mcp_message *m, struct mcp_fault *fault)
{
  struct slice header = http_header (x, "mcp-method");

  return (header.data != NULL && same (header, m->method))
         || mismatch (fault, header, "Mcp-Method", "method");
}

static bool
check_name (const struct http_exchange *x, const struct mcp_message *m, struct mcp_fault *fault)
{
  const char *member = mcp_named_by (MCP_MODERN, m->method);
  struct slice header, name;
  char what[32];

  if (member == NULL)
    return true;
  name = mcp_param_text (m, member);
  if (name.data == NULL) /* the method itself will say what it misses */
    return true;
  header = http_header (x, "mcp-name");
  if (mcp_header_equals (header, name, m->arena))
    return true;
  (void) snprintf (what, sizeof what, "params.%s", member);
  return mismatch (fault, header, "Mcp-Name", what);
}

static bool
check_known (const struct http_exchange *x, const struct mcp_message *m, struct mcp_fault *fault)
{
  (void) x;
  return mcp_check_method (MCP_MODERN, m->method, fault);
}

/* ---- arguments as headers ---- */

/* Numbers by their value, truth by its word, text as it is. */
static bool
stands_for (struct slice header, const struct mcp_message *m, const struct json_node *value)
{
  struct json_tape tape;
  struct slice text;

  if (json_is (value, JSON_STRING)) {
    text.data = json_string (&m->tape, value, m->arena, &text.len);
    return mcp_header_equals (header, text, m->arena);
  }
  header = unwrapped (header, m->arena);
  return header.data != NULL
         && json_read (&tape, header.data, header.len, &json_default_limits, m->arena)
         && json_same (&tape, json_root (&tape), &m->tape, value);
}

static bool
check_argument (const struct http_exchange *x, const struct mcp_message *m,
                const struct mirrored *mirrored, struct mcp_fault *fault)
{
  const struct json_node *value =
    m->arguments != NULL
      ? json_pointer (&m->tape, m->arguments, mirrored->pointer, strlen (mirrored->pointer))
      : NULL;
  struct slice header;
  char what[64];

  if (value == NULL || json_is (value, JSON_NULL))
    return true;
  header = http_header (x, mirrored->header);
  if (header.data != NULL && stands_for (header, m, value))
    return true;
  (void) snprintf (what, sizeof what, "the argument %.40s", mirrored->pointer);
  return mismatch (fault, header, mirrored->header, what);
}

static bool
check_arguments (const struct http_exchange *x, const struct mcp_message *m,
                 const struct toolset *set, struct mcp_fault *fault)
{
  struct slice name;
  const struct tool *tool;

  if (!slice_is (m->method, "tools/call"))
    return true;
  name = mcp_text (m, m->name);
  tool = name.data != NULL ? toolset_find (set, name.data, name.len) : NULL;
  for (size_t i = 0; tool != NULL && i < tool->mirrored.count; i++)
    if (!check_argument (x, m, &tool->mirrored.list[i], fault))
      return false;
  return true;
}

/* ---- all ---- */

bool
mcp_check_modern (const struct http_exchange *x, const struct mcp_message *m,
                  const struct toolset *set, struct mcp_fault *fault)
{
  static bool (*const ladder[]) (const struct http_exchange *x, const struct mcp_message *m,
                                 struct mcp_fault *fault) = { check_envelope, check_version_header,
                                                              check_version,  check_method,
                                                              check_name,     check_known };

  for (size_t i = 0; i < sizeof ladder / sizeof ladder[0]; i++)
    if (!ladder[i](x, m, fault))
      return false;
  return check_arguments (x, m, set, fault);
}
