#include <string.h>

#include "cli/command.h"
#include "cli/out.h"
#include "cli/said.h"
#include "cli/table.h"

static const struct table_column columns[] = {
  { .title = "TENANT" },
  { .title = "TOOLS", .right = true },
  { .title = "CHOICE" },
  { .title = "ROLES" },
  { .title = "RUNNING", .right = true },
  { .title = "QUEUED", .right = true },
  { .title = "PER MINUTE", .right = true },
  { .title = "REFUSED", .right = true },
};

/* "a, b" of an array of strings; `otherwise` where there is none. */
static void
join (const struct said *v, const struct json_node *list, const char *otherwise, struct buf *out)
{
  if (!json_is (list, JSON_ARRAY)) {
    buf_puts (out, otherwise);
    return;
  }
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n)) {
    const char *text = json_cstring (v->tape, n, v->arena);
    buf_printf (out, "%s%s", n != json_first (list) ? ", " : "", text != NULL ? text : "");
  }
}

/* "used/limit" */
static void
add_use (struct table *table, const struct said *v, const struct json_node *tenant,
         const char *used, const char *limit)
{
  const struct json_node *quotas = json_member (v->tape, tenant, "quotas");
  const char *most = said_text (v, quotas, limit, "-");

  table_addf (table, "%s/%s", said_text (v, tenant, used, "-"), most);
}

static void
add_row (struct table *table, const struct said *v, const struct json_node *tenant)
{
  const struct json_node *tools = json_member (v->tape, tenant, "tools");
  CLEANUP_BUF struct buf roles = { 0 };

  join (v, json_member (v->tape, tenant, "roles"), "-", &roles);
  table_addf (table, "%s", said_text (v, tenant, "name", "-"));
  table_addf (table, "%u", json_is (tools, JSON_ARRAY) ? tools->count : 0);
  table_addf (table, "%s", said_text (v, tenant, "tool_choice", "-"));
  table_addf (table, "%s", buf_cstr (&roles));
  add_use (table, v, tenant, "running", "running");
  add_use (table, v, tenant, "waiting", "queued");
  add_use (table, v, tenant, "last_minute", "per_minute");
  table_addf (table, "%s", said_text (v, tenant, "refused", "-"));
}

static void
add_problem (struct buf *out, const struct said *v, const struct json_node *tenant)
{
  const struct json_node *problem = json_member (v->tape, tenant, "problem");

  if (problem != NULL)
    buf_printf (out, "%s: tenants.d/%s.json is not in use: %s\n",
                said_text (v, tenant, "name", "-"), said_text (v, tenant, "name", "-"),
                said_text (v, tenant, "problem", "-"));
}

/* What each builder made, or why it made nothing. */
static void
add_builds (struct buf *out, const struct said *v, const struct json_node *tenant)
{
  const struct json_node *builds = json_member (v->tape, tenant, "builds");

  if (!json_is (builds, JSON_ARRAY))
    return;
  for (const struct json_node *n = json_first (builds); n != json_end (builds); n = json_next (n)) {
    const struct json_node *problem = json_member (v->tape, n, "problem");
    buf_printf (out, "%s, built by %s: ", said_text (v, n, "builder", "-"),
                said_text (v, n, "plugin", "-"));
    join (v, json_member (v->tape, n, "tools"), "", out);
    if (problem != NULL)
      buf_puts (out, said_text (v, n, "problem", "-"));
    buf_putc (out, '\n');
  }
}

static void
show_table (const struct said *v, const struct json_node *tenants, bool with_tools)
{
  struct table table = { .columns = columns, .columns_count = sizeof columns / sizeof *columns };
  CLEANUP_BUF struct buf text = { 0 };

  for (const struct json_node *n = json_first (tenants); n != json_end (tenants); n = json_next (n))
    add_row (&table, v, n);
  table_render (&table, out_width (stdout), &text);
  table_free (&table);
  for (const struct json_node *n = json_first (tenants); n != json_end (tenants);
       n = json_next (n)) {
    add_problem (&text, v, n);
    if (!with_tools)
      continue;
    buf_puts (&text, "tools: ");
    join (v, json_member (v->tape, n, "tools"), "", &text);
    buf_putc (&text, '\n');
    add_builds (&text, v, n);
  }
  out_text (text.data, text.len);
}

static enum cli_exit
show (const struct options *options, const struct reply *reply, bool one)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  const struct said view = { .tape = &tape, .arena = &arena };
  const struct json_node *tenants = said_list (&tape, &arena, reply, "tenants");
  const char *raw;
  size_t len;

  if (tenants == NULL)
    return CLI_UNREACHABLE;
  if (one && tenants->count != 1)
    return out_error (CLI_UNREACHABLE, "the daemon's answer is not one tenant");
  if (!command_wants_json (options))
    show_table (&view, tenants, one);
  else {
    raw = json_raw (&tape, one ? json_first (tenants) : json_root (&tape), &len);
    out_text (raw, len);
  }
  return CLI_OK;
}

/* ---- what is pinned ---- */

static const struct table_column pin_columns[] = {
  { .title = "NAME" },
  { .title = "STATE" },
  { .title = "PINNED" },
  { .title = "PENDING" },
};

static void
add_pin (struct table *table, const struct said *v, const struct json_node *pin)
{
  static const char *const members[] = { "name", "state", "pinned", "pending" };

  for (size_t i = 0; i < sizeof members / sizeof *members; i++)
    table_addf (table, "%s", said_text (v, pin, members[i], "-"));
}

static void
show_pin_table (const struct said *v, const struct json_node *root, const struct json_node *pins)
{
  struct table table = { .columns = pin_columns,
                         .columns_count = sizeof pin_columns / sizeof *pin_columns };
  CLEANUP_BUF struct buf text = { 0 };

  for (const struct json_node *n = json_first (pins); n != json_end (pins); n = json_next (n))
    add_pin (&table, v, n);
  table_render (&table, out_width (stdout), &text);
  table_free (&table);
  if (json_member (v->tape, root, "problem") != NULL)
    buf_printf (&text, "nothing is served that was not accepted since: %s\n",
                said_text (v, root, "problem", "-"));
  out_text (text.data, text.len);
}

static enum cli_exit
show_pins (const struct options *options, const struct reply *reply)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  const struct said view = { .tape = &tape, .arena = &arena };
  const struct json_node *pins = said_list (&tape, &arena, reply, "pins");

  if (pins == NULL)
    return CLI_UNREACHABLE;
  if (command_wants_json (options))
    out_text (reply->body.data, reply->body.len);
  else
    show_pin_table (&view, json_root (&tape), pins);
  return CLI_OK;
}

static enum cli_exit
list_pins (const struct options *options, const char *tenant)
{
  CLEANUP_BUF struct buf path = { 0 };
  struct reply reply = { 0 };
  enum cli_exit status;

  buf_puts (&path, "/v1/tenants/");
  url_escape (&path, tenant);
  buf_puts (&path, "/pins");
  status = client_fetch (options, "GET", buf_cstr (&path), &reply);
  if (status == CLI_OK)
    status = show_pins (options, &reply);
  reply_free (&reply);
  return status;
}

/* `digest`: only if this waits; NULL: whatever does. */
static enum cli_exit
accept_pending (const struct options *options, const char *tenant, const char *name,
                const char *digest)
{
  CLEANUP_BUF struct buf path = { 0 };

  buf_puts (&path, "/v1/tenants/");
  url_escape (&path, tenant);
  buf_puts (&path, "/pins/accept?name=");
  url_escape (&path, name);
  if (digest != NULL) {
    buf_puts (&path, "&digest=");
    url_escape (&path, digest);
  }
  return command_post (options, buf_cstr (&path), "accepted", name);
}

/* ---- the command ---- */

static enum cli_exit
run (const struct options *options, char **words, int count)
{
  CLEANUP_BUF struct buf path = { 0 };
  struct reply reply = { 0 };
  enum cli_exit status;

  if (count == 2 && strcmp (words[0], "pins") == 0)
    return list_pins (options, words[1]);
  if (count >= 3 && strcmp (words[0], "accept") == 0)
    return accept_pending (options, words[1], words[2], count == 4 ? words[3] : NULL);
  if (count >= 2)
    return out_error (CLI_USAGE, "expected a tenant, or pins and one, or accept, one and a tool");
  buf_puts (&path, "/v1/tenants");
  if (count == 1) {
    buf_putc (&path, '/');
    url_escape (&path, words[0]);
  }
  status = client_fetch (options, "GET", buf_cstr (&path), &reply);
  if (status == CLI_OK)
    status = show (options, &reply, count == 1);
  reply_free (&reply);
  return status;
}

const struct command command_tenants = {
  .name = "tenants",
  .usage = "[NAME | pins NAME | accept NAME TOOL [DIGEST]] [--json]",
  .summary = "show the tenants, their toolsets and what they use of their quotas",
  .details =
    "Those with a file in tenants.d; all others are served as the tenant default is.\n"
    "RUNNING, QUEUED and PER MINUTE are what is used and what may be.  With a name: which tools.\n"
    "pins shows what is pinned for a tenant, and what is another since; accept lets it in,\n"
    "with a digest only if that is what waits.\n"
    "Needs the role manage: the local socket, as root or the daemon's user, or a key.\n",
  .options = OPTIONS_DAEMON | OPTION_JSON,
  .most = 4,
  .run = run,
};
