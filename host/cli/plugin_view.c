#include "cli/plugin_view.h"

#include <inttypes.h>
#include <string.h>

/* ---- pieces ---- */

static const char *
text_of (const struct plugin_view *view, const struct json_node *node)
{
  const char *raw;
  size_t len;

  if (node == NULL || node->type == JSON_NULL)
    return "";
  if (node->type == JSON_STRING)
    return json_cstring (view->tape, node, view->arena);
  raw = json_raw (view->tape, node, &len);
  return arena_strndup (view->arena, raw, len);
}

const char *
plugin_text (const struct plugin_view *view, const struct json_node *object, const char *member)
{
  const char *text = text_of (view, json_member (view->tape, object, member));
  return text != NULL ? text : ""; /* a string with U+0000 */
}

int64_t
plugin_number (const struct plugin_view *view, const struct json_node *object, const char *member)
{
  const struct json_node *node = json_member (view->tape, object, member);
  int64_t value = 0;

  return json_int64 (view->tape, node, &value) ? value : 0;
}

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
plugin_state (const struct plugin_view *view, const struct json_node *plugin, struct buf *out)
{
  const int64_t left = plugin_number (view, plugin, "retry_after_ms");

  for (const char *c = plugin_text (view, plugin, "state"); *c != '\0'; c++)
    buf_putc (out, *c == '_' ? ' ' : *c);
  if (left == 0)
    return;
  buf_puts (out, ", ");
  put_duration (out, left);
}

void
plugin_crashes (const struct plugin_view *view, const struct json_node *plugin, struct buf *out)
{
  const char *reason = plugin_text (view, plugin, "most_frequent_failure");

  buf_puts (out, plugin_text (view, plugin, "crashes"));
  if (plugin_number (view, plugin, "crashes") != 0 && reason[0] != '\0')
    buf_printf (out, ", mostly %s", reason);
}

void
plugin_sandbox (const struct plugin_view *view, const struct json_node *plugin, struct buf *out)
{
  const struct json_node *list = json_member (view->tape, plugin, "guarantees");
  unsigned met = 0, all = 0;
  const char *by;

  if (!json_is (list, JSON_OBJECT))
    return;
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n)) {
    n = json_next (n); /* from the name to the value */
    all++;
    by = text_of (view, n);
    met += by != NULL && by[0] != '\0';
  }
  buf_printf (out, "%u of %u", met, all);
}

void
plugin_guarantees (const struct plugin_view *view, const struct json_node *plugin, struct buf *out)
{
  const struct json_node *list = json_member (view->tape, plugin, "guarantees");

  if (!json_is (list, JSON_OBJECT))
    return;
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n)) {
    const char *name = text_of (view, n), *by;
    n = json_next (n);
    by = text_of (view, n);
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
put_built (const struct plugin_view *view, const struct json_node *plugin, struct buf *out,
           const char *label,
           void (*build) (const struct plugin_view *, const struct json_node *, struct buf *))
{
  CLEANUP_BUF struct buf text = { 0 };

  build (view, plugin, &text);
  put_line (out, label, buf_cstr (&text));
}

/* A line with the strings of a list. */
static void
put_list (const struct plugin_view *view, const struct json_node *plugin, struct buf *out,
          const char *label, const char *member)
{
  const struct json_node *list = json_member (view->tape, plugin, member);
  CLEANUP_BUF struct buf text = { 0 };

  if (!json_is (list, JSON_ARRAY))
    return;
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n))
    buf_printf (&text, "%s%s", text.len != 0 ? ", " : "", text_of (view, n));
  put_line (out, label, buf_cstr (&text));
}

static void
put_work (const struct plugin_view *view, const struct json_node *plugin, struct buf *out)
{
  const char *draining = plugin_text (view, plugin, "draining");

  buf_printf (out, "%-12s  %s", "workers", plugin_text (view, plugin, "workers"));
  if (plugin_number (view, plugin, "draining") != 0)
    buf_printf (out, ", and %s of older generations", draining);
  buf_printf (out, "\n%-12s  %s running, %s waiting, %s so far\n", "calls",
              plugin_text (view, plugin, "running"), plugin_text (view, plugin, "queued"),
              plugin_text (view, plugin, "calls"));
}

static void
put_ends (const struct plugin_view *view, const struct json_node *plugin, struct buf *out)
{
  const struct json_node *list = json_member (view->tape, plugin, "last_ends");

  if (!json_is (list, JSON_ARRAY) || json_first (list) == json_end (list))
    return;
  buf_puts (out, "\nlast ends of its workers\n");
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n))
    buf_printf (out, "  %s  %-19s  %s (pid %s, generation %s)\n", plugin_text (view, n, "at"),
                plugin_text (view, n, "reason"), plugin_text (view, n, "why"),
                plugin_text (view, n, "pid"), plugin_text (view, n, "generation"));
}

/* A group of the policy on a line, without the braces. */
static void
put_policy (const struct plugin_view *view, const struct json_node *plugin, struct buf *out)
{
  const struct json_node *policy = json_member (view->tape, plugin, "policy");

  if (!json_is (policy, JSON_OBJECT))
    return;
  buf_puts (out, "\npolicy in force\n");
  for (const struct json_node *n = json_first (policy); n != json_end (policy); n = json_next (n)) {
    const char *name = text_of (view, n);
    n = json_next (n);
    buf_printf (out, "  %-12s  %s\n", name, text_of (view, n));
  }
}

void
plugin_detail (const struct plugin_view *view, const struct json_node *plugin, struct buf *out)
{
  static const char *const lines[] = { "name", "version", "description", "file", "sha256", NULL };

  for (const char *const *name = lines; *name != NULL; name++)
    put_line (out, *name, plugin_text (view, plugin, *name));
  put_built (view, plugin, out, "state", plugin_state);
  put_line (out, "generation", plugin_text (view, plugin, "generation"));
  if (json_member (view->tape, plugin, "workers") != NULL)
    put_work (view, plugin, out);
  put_built (view, plugin, out, "crashes", plugin_crashes);
  put_line (out, "overdue", plugin_text (view, plugin, "overdue"));
  put_list (view, plugin, out, "tools", "tools");
  put_list (view, plugin, out, "resources", "resources");
  put_list (view, plugin, out, "templates", "templates");
  put_list (view, plugin, out, "prompts", "prompts");
  put_list (view, plugin, out, "skills", "skills");
  put_list (view, plugin, out, "problems", "problems");
  put_line (out, "suggests", plugin_text (view, plugin, "suggested_policy"));
  put_ends (view, plugin, out);
  if (json_member (view->tape, plugin, "guarantees") != NULL)
    buf_puts (out, "\nguarantees\n");
  plugin_guarantees (view, plugin, out);
  put_policy (view, plugin, out);
}
