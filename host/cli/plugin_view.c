#include "cli/plugin_view.h"

#include <inttypes.h>
#include <string.h>

/* ---- pieces ---- */

/* Rounded up: what is left is never 0. */
static void
put_duration (struct buf *out, int64_t ms)
{
  if (ms < 1000)
    buf_printf (out, "%" PRId64 " ms", ms);
  else if (ms < 120 * 1000)
    buf_printf (out, "%" PRId64 " s", (ms + 999) / 1000);
  else
    buf_printf (out, "%" PRId64 " min", (ms + 59999) / 60000);
}

void
plugin_state (const struct said *view, const struct json_node *plugin, struct buf *out)
{
  const int64_t left = said_number (view, plugin, "retry_after_ms");

  for (const char *c = said_text (view, plugin, "state", ""); *c != '\0'; c++)
    buf_putc (out, *c == '_' ? ' ' : *c);
  if (left == 0)
    return;
  buf_puts (out, ", ");
  put_duration (out, left);
}

void
plugin_crashes (const struct said *view, const struct json_node *plugin, struct buf *out)
{
  const char *reason = said_text (view, plugin, "most_frequent_failure", "");

  buf_puts (out, said_text (view, plugin, "crashes", ""));
  if (said_number (view, plugin, "crashes") != 0 && reason[0] != '\0')
    buf_printf (out, ", mostly %s", reason);
}

void
plugin_sandbox (const struct said *view, const struct json_node *plugin, struct buf *out)
{
  const struct json_node *list = json_member (view->tape, plugin, "guarantees");
  unsigned met = 0, all = 0;
  const char *by;

  if (!json_is (list, JSON_OBJECT))
    return;
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n)) {
    n = json_next (n); /* from the name to the value */
    all++;
    by = said_value (view, n, "");
    met += by != NULL && by[0] != '\0';
  }
  buf_printf (out, "%u of %u", met, all);
}

void
plugin_guarantees (const struct said *view, const struct json_node *plugin, struct buf *out)
{
  const struct json_node *list = json_member (view->tape, plugin, "guarantees");

  if (!json_is (list, JSON_OBJECT))
    return;
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n)) {
    const char *name = said_value (view, n, ""), *by;
    n = json_next (n);
    by = said_value (view, n, "");
    buf_printf (out, "  %-20s  %s\n", name, by != NULL && by[0] != '\0' ? by : "not met");
  }
}

/* ---- the whole ---- */

static void
put_line (struct buf *out, const char *label, const char *text)
{
  if (text[0] != '\0')
    buf_printf (out, "%-12s  %s\n", label, text);
}

static void
put_built (const struct said *view, const struct json_node *plugin, struct buf *out,
           const char *label,
           void (*build) (const struct said *, const struct json_node *, struct buf *))
{
  CLEANUP_BUF struct buf text = { 0 };

  build (view, plugin, &text);
  put_line (out, label, buf_cstr (&text));
}

/* A line with the strings of a list. */
static void
put_list (const struct said *view, const struct json_node *plugin, struct buf *out,
          const char *label, const char *member)
{
  const struct json_node *list = json_member (view->tape, plugin, member);
  CLEANUP_BUF struct buf text = { 0 };

  if (!json_is (list, JSON_ARRAY))
    return;
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n))
    buf_printf (&text, "%s%s", text.len != 0 ? ", " : "", said_value (view, n, ""));
  put_line (out, label, buf_cstr (&text));
}

static void
put_work (const struct said *view, const struct json_node *plugin, struct buf *out)
{
  const char *draining = said_text (view, plugin, "draining", "");

  buf_printf (out, "%-12s  %s", "workers", said_text (view, plugin, "workers", ""));
  if (said_number (view, plugin, "draining") != 0)
    buf_printf (out, ", and %s of older generations", draining);
  buf_printf (out, "\n%-12s  %s running, %s waiting, %s so far\n", "calls",
              said_text (view, plugin, "running", ""), said_text (view, plugin, "queued", ""),
              said_text (view, plugin, "calls", ""));
}

/* What runs beside its workers. */
static void
put_programs (const struct said *view, const struct json_node *plugin, struct buf *out)
{
  const struct json_node *list = json_member (view->tape, plugin, "programs");

  if (!json_is (list, JSON_ARRAY) || json_first (list) == json_end (list))
    return;
  buf_puts (out, "\nprograms beside its workers\n");
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n))
    buf_printf (out, "  %-19s  %s for %s s (pid %s, of worker %s)\n",
                said_text (view, n, "name", ""), said_text (view, n, "state", ""),
                said_text (view, n, "since_s", ""), said_text (view, n, "pid", ""),
                said_text (view, n, "worker", ""));
}

static void
put_ends (const struct said *view, const struct json_node *plugin, struct buf *out)
{
  const struct json_node *list = json_member (view->tape, plugin, "last_ends");

  if (!json_is (list, JSON_ARRAY) || json_first (list) == json_end (list))
    return;
  buf_puts (out, "\nlast ends of its workers\n");
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n))
    buf_printf (out, "  %s  %-19s  %s (pid %s, generation %s)\n", said_text (view, n, "at", ""),
                said_text (view, n, "reason", ""), said_text (view, n, "why", ""),
                said_text (view, n, "pid", ""), said_text (view, n, "generation", ""));
}

/* A group of the policy on a line, without the braces. */
static void
put_policy (const struct said *view, const struct json_node *plugin, struct buf *out)
{
  const struct json_node *policy = json_member (view->tape, plugin, "policy");

  if (!json_is (policy, JSON_OBJECT))
    return;
  buf_puts (out, "\npolicy in force\n");
  for (const struct json_node *n = json_first (policy); n != json_end (policy); n = json_next (n)) {
    const char *name = said_value (view, n, "");
    n = json_next (n);
    buf_printf (out, "  %-12s  %s\n", name, said_value (view, n, ""));
  }
}

void
plugin_detail (const struct said *view, const struct json_node *plugin, struct buf *out)
{
  static const char *const lines[] = { "name", "version", "description", "file", "sha256", NULL };

  for (const char *const *name = lines; *name != NULL; name++)
    put_line (out, *name, said_text (view, plugin, *name, ""));
  put_built (view, plugin, out, "state", plugin_state);
  put_line (out, "generation", said_text (view, plugin, "generation", ""));
  if (json_member (view->tape, plugin, "workers") != NULL)
    put_work (view, plugin, out);
  put_built (view, plugin, out, "crashes", plugin_crashes);
  put_line (out, "overdue", said_text (view, plugin, "overdue", ""));
  put_list (view, plugin, out, "tools", "tools");
  put_list (view, plugin, out, "resources", "resources");
  put_list (view, plugin, out, "templates", "templates");
  put_list (view, plugin, out, "prompts", "prompts");
  put_list (view, plugin, out, "skills", "skills");
  put_list (view, plugin, out, "guards", "guards");
  put_list (view, plugin, out, "problems", "problems");
  put_line (out, "suggests", said_text (view, plugin, "suggested_policy", ""));
  put_programs (view, plugin, out);
  put_ends (view, plugin, out);
  if (json_member (view->tape, plugin, "guarantees") != NULL)
    buf_puts (out, "\nguarantees\n");
  plugin_guarantees (view, plugin, out);
  put_policy (view, plugin, out);
}
