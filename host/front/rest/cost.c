#include "front/rest/cost.h"

#include <string.h>

#include "base/json_tape.h"
#include "base/json_write.h"

/* A sum while it is made. */
struct costing {
  const struct provider *provider;
  const struct provider_format *format;
  struct json_writer w;
  uint64_t budget, bytes, tokens, fitting, fitting_tokens;
};

static size_t
bytes_of (const struct costing *c, const struct tool *tool)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf listed = { 0 };
  struct losses losses = { .list = NULL };
  struct json_tape tape;

  if (json_read (&tape, tool->mcp.data, tool->mcp.len, &json_default_limits, &arena))
    (void) project_tool (c->provider, c->format, &tape, json_root (&tape), &losses, NULL, &listed);
  losses_free (&losses);
  return listed.len;
}

static void
add_tool (struct costing *c, const struct tool *tool)
{
  size_t bytes = bytes_of (c, tool);
  uint64_t tokens = (bytes + COST_BYTES_PER_TOKEN - 1) / COST_BYTES_PER_TOKEN;
  bool fits = c->fitting_tokens + tokens <= c->budget;

  if (bytes == 0) /* it is not listed */
    return;
  jsonw_object (&c->w);
  jsonw_name_string (&c->w, "name", tool->name);
  jsonw_name_string (&c->w, "plugin", tool->plugin);
  jsonw_name_int (&c->w, "bytes", (int64_t) bytes);
  jsonw_name_int (&c->w, "tokens", (int64_t) tokens);
  if (c->budget != 0)
    jsonw_name_bool (&c->w, "fits", fits);
  jsonw_end (&c->w);
  c->bytes += bytes;
  c->tokens += tokens;
  if (fits) {
    c->fitting++;
    c->fitting_tokens += tokens;
  }
}

void
cost_put (struct buf *out, const struct providers *providers, const struct toolset *set,
          uint64_t budget)
{
  struct costing c = { .w = { .out = out }, .budget = budget };

  c.provider = providers_find (providers, "mcp", strlen ("mcp"), false, &c.format);
  jsonw_object (&c.w);
  jsonw_name (&c.w, "tools");
  jsonw_array (&c.w);
  for (size_t i = 0; i < set->count; i++)
    add_tool (&c, set->tools[i]);
  jsonw_end (&c.w);
  jsonw_name_int (&c.w, "bytes", (int64_t) c.bytes);
  jsonw_name_int (&c.w, "tokens", (int64_t) c.tokens);
  jsonw_name_string (&c.w, "estimate", "a token for each 4 bytes of a definition, rounded up");
  if (budget != 0) {
    jsonw_name_int (&c.w, "budget", (int64_t) budget);
    jsonw_name_int (&c.w, "fitting", (int64_t) c.fitting);
    jsonw_name_int (&c.w, "fitting_tokens", (int64_t) c.fitting_tokens);
  }
  jsonw_end (&c.w);
}
