/* All tools of a toolset, as a request to a provider has them. */
#include <string.h>

#include "catalog/project/walk.h"

/* A request while it is put together. */
struct request {
  const struct provider *p, *strict; /* one of them may be NULL */
  const struct provider_format *format, *strict_format;
  bool wants_strict;
  uint32_t strict_tools;
  struct project_figures used; /* of what the provider allows for strict tools of one request */
  struct json_writer tools;
  struct json_writer left_out;
  size_t count;
  const char *choice; /* of the toolset; "auto" where the chosen tool is left out */
};

/* Does one more strict tool fit? */
static bool
fits (const struct request *r, const struct project_figures *figures)
{
  const struct provider_limits *limits = &r->strict->limits;

  return (limits->request_tools == 0 || r->strict_tools < limits->request_tools)
         && (limits->optional == 0 || r->used.optional + figures->optional <= limits->optional)
         && (limits->unions == 0 || r->used.unions + figures->unions <= limits->unions);
}

static bool
add_strict (struct request *r, const struct json_tape *tape)
{
  CLEANUP_BUF struct buf one = { 0 };
  struct losses losses = { .list = NULL };
  struct project_figures figures;
  bool good =
    project_tool (r->strict, r->strict_format, tape, json_root (tape), &losses, &figures, &one)
    && fits (r, &figures);

  losses_free (&losses);
  if (!good)
    return false;
  r->strict_tools++;
  r->used.optional += figures.optional;
  r->used.unions += figures.unions;
  jsonw_raw (&r->tools, one.data, one.len);
  return true;
}

static void
leave_out (struct request *r, const struct tool *tool, const struct losses *losses)
{
  const struct loss *loss = losses_refusal (losses);

  if (strcmp (r->choice, tool->name) == 0)
    r->choice = "auto";
  jsonw_object (&r->left_out);
  jsonw_name_string (&r->left_out, "name", tool->name);
  jsonw_name_string (&r->left_out, "pointer", loss != NULL ? loss->pointer : "");
  jsonw_name_string (&r->left_out, "message",
                     loss != NULL ? loss->sentence : "the definition is beyond what is read");
  jsonw_end (&r->left_out);
}

static bool
add_plain (struct request *r, const struct json_tape *tape, struct losses *losses)
{
  CLEANUP_BUF struct buf one = { 0 };

  if (!project_tool (r->p, r->format, tape, json_root (tape), losses, NULL, &one))
    return false;
  jsonw_raw (&r->tools, one.data, one.len);
  return true;
}

static void
add_tool (struct request *r, const struct tool *tool)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  struct losses losses = { .list = NULL };
  bool read = json_read (&tape, tool->mcp.data, tool->mcp.len, &json_default_limits, &arena);
  bool strict = r->strict != NULL && (r->wants_strict || tool->strict);

  if (read && ((strict && add_strict (r, &tape)) || add_plain (r, &tape, &losses)))
    r->count++;
  else
    leave_out (r, tool, &losses);
  losses_free (&losses);
}

/* A part of the request; "$tools" stands for the list of tools, "$name" for the chosen one. */
static void
put_part (const struct provider *p, const struct json_node *part, const struct buf *tools,
          const char *chosen, struct json_writer *w)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  bool object = part->type == JSON_OBJECT;
  size_t len;

  if (json_equals (&p->tape, part, "$tools")) {
    jsonw_raw (w, tools->data, tools->len);
    return;
  }
  if (json_equals (&p->tape, part, "$name")) {
    jsonw_string (w, chosen);
    return;
  }
  if (!object && part->type != JSON_ARRAY) {
    const char *raw = json_raw (&p->tape, part, &len);
    jsonw_raw (w, raw, len);
    return;
  }
  object ? jsonw_object (w) : jsonw_array (w);
  for (const struct json_node *n = json_first (part); n != json_end (part); n = json_next (n)) {
    if (object) {
      jsonw_name (w, json_cstring (&p->tape, n, &arena));
      n = json_next (n);
    }
    put_part (p, n, tools, chosen, w);
  }
  jsonw_end (w);
}

/* What says it in the provider's words. */
static const struct json_node *
choice_of (const struct request *r)
{
  const struct provider_format *format = r->format;
  const struct json_node *wanted = format->named;

  if (r->count == 0 || strcmp (r->choice, "none") == 0)
    return format->none;
  if (strcmp (r->choice, "auto") == 0)
    return format->some;
  if (strcmp (r->choice, "required") == 0)
    wanted = format->required;
  return wanted != NULL ? wanted : format->some;
}

static void
put_request (const struct request *r, const struct buf *left_out, struct buf *out)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  jsonw_name (&w, "tools");
  put_part (r->p, r->format->tools, r->tools.out, NULL, &w);
  jsonw_name (&w, "tool_choice");
  put_part (r->p, choice_of (r), r->tools.out, r->choice, &w);
  if (left_out->len > strlen ("[]"))
    jsonw_name_raw (&w, "left_out", left_out->data, left_out->len);
  jsonw_end (&w);
}

bool
project_toolset (const struct providers *providers, const char *format, size_t len, bool strict,
                 const struct toolset *set, struct buf *out)
{
  CLEANUP_BUF struct buf tools = { 0 };
  CLEANUP_BUF struct buf left_out = { 0 };
  struct request r = { .wants_strict = strict,
                       .tools = { .out = &tools },
                       .left_out = { .out = &left_out },
                       .choice = toolset_choice (set) };

  r.p = providers_find (providers, format, len, false, &r.format);
  r.strict = providers_find (providers, format, len, true, &r.strict_format);
  if (r.p == NULL || (strict && r.strict == NULL))
    return false;
  jsonw_array (&r.tools);
  jsonw_array (&r.left_out);
  for (size_t i = 0; i < set->count; i++)
    add_tool (&r, set->tools[i]);
  jsonw_end (&r.tools);
  jsonw_end (&r.left_out);
  put_request (&r, &left_out, out);
  return true;
}
