#include "cli/check_offers.h"

#include <stdio.h>

#include "base/json_write.h"
#include "cli/answer.h"
#include "cli/check_skills.h"

/* One of them while it is looked at. */
struct look {
  struct oneshot *host;
  const struct tool *offer;
  struct tool_report *found;
  struct json_tape tape; /* of its definition */
  struct arena arena;
  struct buf args; /* of the trial, as the report shows them */
};

/* ---- definitions ---- */

static bool
has (const struct look *l, const char *member)
{
  return json_member (&l->tape, json_root (&l->tape), member) != NULL;
}

static void
look_at_members (struct look *l)
{
  if (!has (l, "description"))
    tool_report_finding (l->found, LINT_WARNING, "/description",
                         "without a description a model can't tell what is there");
  if (l->offer->offer == OFFER_GUARD)
    return;
  if (l->offer->offer != OFFER_PROMPT && !has (l, "mimeType"))
    tool_report_finding (l->found, LINT_NOTE, "/mimeType",
                         "clients that are told no type have to guess it");
}

static void
look_at_arguments (struct look *l)
{
  const struct json_node *list = json_member (&l->tape, json_root (&l->tape), "arguments");
  unsigned index = 0;
  char pointer[64];

  if (list == NULL)
    return;
  for (const struct json_node *n = json_first (list); n != json_end (list);
       n = json_next (n), index++) {
    (void) snprintf (pointer, sizeof pointer, "/arguments/%u/description", index);
    if (json_member (&l->tape, n, "description") == NULL)
      tool_report_finding (l->found, LINT_WARNING, pointer,
                           "without a description nobody can tell what to write");
  }
}

/* ---- trials ---- */

static void
on_progress (void *ctx, double done, double total, const char *text, size_t len)
{
  (void) ctx;
  (void) done;
  (void) total;
  (void) text;
  (void) len;
}

/* Does what was read have the type that the definition says? */
static void
compare_types (struct look *l, const struct result *result)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  const struct json_node *said = json_member (&l->tape, json_root (&l->tape), "mimeType");
  const char *type = json_cstring (&l->tape, said, &l->arena);
  struct json_tape given;

  if (type == NULL
      || !json_read (&given, result->content, result->content_len, &answer_limits, &arena))
    return;
  for (const struct json_node *root = json_root (&given), *n = json_first (root);
       n != json_end (root); n = json_next (n))
    if (!json_equals (&given, json_member (&given, n, "mimeType"), type))
      tool_report_finding (l->found, LINT_WARNING, "/mimeType",
                           "what was read has another type, or none");
}

static void
on_done (void *ctx, const struct result *result)
{
  CLEANUP_BUF struct buf text = { 0 };
  struct look *l = ctx;

  if (result->error == CALL_OK)
    (void) answer_text (result->content, result->content_len, NULL, 0, &text);
  else
    buf_printf (&text, "%s: %.*s", result->code, (int) result->message_len, result->message);
  tool_report_example (l->found, l->args.data, l->args.len, result->error == CALL_OK,
                       buf_cstr (&text), text.len);
  if (result->error == CALL_OK && l->offer->offer == OFFER_RESOURCE)
    compare_types (l, result);
}

static void
try_it (struct look *l, enum call_kind kind)
{
  static const struct call_events events = { .progress = on_progress, .done = on_done };
  struct call_request request = {
    .kind = kind, .name = l->offer->name, .name_len = l->offer->name_len, .front = "cli"
  };

  oneshot_call (l->host, &request, &events, l);
}

/* Does the prompt need arguments? */
static bool
needs_arguments (const struct look *l)
{
  const struct json_node *list = json_member (&l->tape, json_root (&l->tape), "arguments");

  if (list == NULL)
    return false;
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n))
    if (json_is (json_member (&l->tape, n, "required"), JSON_TRUE))
      return true;
  return false;
}

static void
look_at (struct look *l)
{
  struct json_writer w = { .out = &l->args };

  look_at_members (l);
  look_at_arguments (l);
  jsonw_object (&w);
  if (l->offer->offer == OFFER_RESOURCE)
    jsonw_name_string (&w, "uri", l->offer->name);
  jsonw_end (&w);
  if (l->offer->offer == OFFER_RESOURCE)
    try_it (l, CALL_READ);
  else if (l->offer->offer == OFFER_PROMPT && !needs_arguments (l))
    try_it (l, CALL_PROMPT);
}

static void
check_one (struct oneshot *host, const struct tool *offer, struct report *report)
{
  CLEANUP_BUF struct buf name = { 0 };
  struct look l = { .host = host, .offer = offer };

  buf_printf (&name, "%s %s", offer_word (offer->offer), offer->name);
  l.found = report_tool (report, buf_cstr (&name), (offer->mcp.len + 3) / 4);
  if (json_read (&l.tape, offer->mcp.data, offer->mcp.len, &answer_limits, &l.arena))
    look_at (&l);
  buf_free (&l.args);
  arena_free (&l.arena);
}

void
check_offers (struct oneshot *host, struct report *report)
{
  const struct toolset *set = oneshot_toolset (host);

  for (size_t i = set->count; i < set->all; i++)
    if (set->tools[i]->offer == OFFER_SKILL)
      check_skill (host, set->tools[i], report);
    else if (set->tools[i]->skill == NULL)
      check_one (host, set->tools[i], report);
}
