#include "front/mcp/headers.h"

#include "front/mcp/base64.h"
#include "front/mcp/methods.h"

static bool
same (struct slice a, struct slice b)
{
  return a.len == b.len && (a.len == 0 || memcmp (a.data, b.data, a.len) == 0);
}

bool
mcp_header_equals (struct slice header, struct slice text, struct arena *arena)
{
  static const char open[] = "=?base64?", close[] = "?=";
  const size_t open_len = sizeof open - 1, close_len = sizeof close - 1;
  struct slice decoded;
  size_t len;
  char *room;

  if (header.data == NULL)
    return false;
  if (header.len < open_len + close_len || memcmp (header.data, open, open_len) != 0
      || memcmp (header.data + header.len - close_len, close, close_len) != 0)
    return same (header, text);
  len = header.len - open_len - close_len;
  room = arena_alloc (arena, base64_room (len));
  decoded.data = room;
  return base64_decode (BASE64_PADDED, header.data + open_len, len, room, &decoded.len)
         && same (decoded, text);
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

  if (member == NULL)
    return true;
  name = mcp_param_text (m, member);
  if (name.data == NULL) /* the method itself will say what it misses */
    return true;
  header = http_header (x, "mcp-name");
  return mcp_header_equals (header, name, m->arena)
         || mismatch (fault, header, "Mcp-Name", "params.name");
}

bool
mcp_check_modern (const struct http_exchange *x, const struct mcp_message *m,
                  struct mcp_fault *fault)
{
  static bool (*const ladder[]) (const struct http_exchange *x, const struct mcp_message *m,
                                 struct mcp_fault *fault) = { check_envelope, check_version_header,
                                                              check_version, check_method,
                                                              check_name };

  for (size_t i = 0; i < sizeof ladder / sizeof ladder[0]; i++)
    if (!ladder[i](x, m, fault))
      return false;
  return true;
}
