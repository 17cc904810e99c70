/* toolhost approvals, toolhost reject, and toolhost approve where a call needs a person's approval
 * (cmd_asks.c has the rest of that). */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/json_write.h"
#include "cli/approvals.h"
#include "cli/command.h"
#include "cli/out.h"
#include "cli/said.h"
#include "cli/table.h"

static const struct table_column columns[] = {
  { .title = "ID" },
  { .title = "STATE" },
  { .title = "TOOL" },
  { .title = "ARGUMENTS", .cut = true },
  { .title = "WHO ASKS" },
  { .title = "WHY", .cut = true },
  { .title = "AGE", .right = true },
  { .title = "LEFT", .right = true },
};

static const struct table_column rule_columns[] = {
  { .title = "ID" },          { .title = "TOOL" },   { .title = "ARGUMENTS", .cut = true },
  { .title = "WHOSE CALLS" }, { .title = "TENANT" }, { .title = "MADE BY" },
};

bool
approval_is_id (const char *word)
{
  return strncmp (word, "apr_", 4) == 0;
}

/* ---- a list ---- */

/* Seconds from then to now; 0 where it can't be told. */
static double
seconds_since (const char *when)
{
  struct tm tm = { 0 };

  if (strptime (when, "%Y-%m-%dT%H:%M:%S", &tm) == NULL)
    return 0;
  return difftime (time (NULL), timegm (&tm));
}

/* "12 s", "7 min", "3 h" */
static void
add_time (struct table *table, double seconds)
{
  const char *unit = seconds < 120 ? "s" : seconds < 7200 ? "min" : "h";

  table_addf (table, "%.0f %s",
              seconds < 120    ? seconds
              : seconds < 7200 ? seconds / 60
                               : seconds / 3600,
              unit);
}

static void
add_raw (struct table *table, const struct said *v, const struct json_node *object,
         const char *name, const char *otherwise)
{
  const struct json_node *value = json_member (v->tape, object, name);
  size_t len = strlen (otherwise);
  const char *raw = value != NULL ? json_raw (v->tape, value, &len) : otherwise;

  table_add (table, raw, len);
}

static void
add_approval (struct table *table, const struct said *v, const struct json_node *approval)
{
  const double left = -seconds_since (said_text (v, approval, "expires", ""));

  table_addf (table, "%s", said_text (v, approval, "id", "-"));
  table_addf (table, "%s", said_text (v, approval, "state", "-"));
  table_addf (table, "%s", said_text (v, approval, "tool", "-"));
  add_raw (table, v, approval, "arguments", "-");
  table_addf (table, "%s", said_text (v, approval, "principal", "-"));
  table_addf (table, "%s", said_text (v, approval, "reason", "-"));
  add_time (table, seconds_since (said_text (v, approval, "created", "")));
  if (strcmp (said_text (v, approval, "state", "-"), "pending") == 0)
    add_time (table, left > 0 ? left : 0);
  else
    table_addf (table, "-");
}

static void
add_rule (struct table *table, const struct said *v, const struct json_node *rule)
{
  table_addf (table, "%s", said_text (v, rule, "id", "-"));
  table_addf (table, "%s", said_text (v, rule, "tool", "-"));
  add_raw (table, v, rule, "arguments", "any");
  table_addf (table, "%s", said_text (v, rule, "principal", "-"));
  table_addf (table, "%s", said_text (v, rule, "tenant", "-"));
  table_addf (table, "%s", said_text (v, rule, "made_by", "-"));
}

/* What is listed, and how. */
struct listed {
  const char *member, *nothing;
  const struct table_column *columns;
  size_t columns_count;
  void (*add) (struct table *table, const struct said *v, const struct json_node *item);
};
static const struct listed approvals = { "approvals", "nothing waits for approval", columns,
                                         sizeof columns / sizeof *columns, add_approval };
static const struct listed rules = { "rules", "no rule stands", rule_columns,
                                     sizeof rule_columns / sizeof *rule_columns, add_rule };

static enum cli_exit
show (const struct listed *listed, const struct reply *reply)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf text = { 0 };
  struct table table = { .columns = listed->columns, .columns_count = listed->columns_count };
  struct json_tape tape;
  const struct said v = { .tape = &tape, .arena = &arena };
  const struct json_node *list = said_list (&tape, &arena, reply, listed->member);

  if (list == NULL)
    return CLI_UNREACHABLE;
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n))
    listed->add (&table, &v, n);
  if (list->count == 0)
    buf_puts (&text, listed->nothing);
  else
    table_render (&table, out_width (stdout), &text);
  out_plain (text.data, text.len);
  if (list->count == 0)
    out_plain ("\n", 1);
  table_free (&table);
  return CLI_OK;
}

/* The path of what a word means. */
static void
make_path (const char *word, struct buf *path)
{
  buf_puts (path, "/v1/approvals");
  if (word == NULL)
    buf_puts (path, "?state=pending");
  else if (strcmp (word, "rules") == 0 || approval_is_id (word)) {
    buf_putc (path, '/');
    url_escape (path, word);
  }
  else if (strcmp (word, "all") != 0) {
    buf_puts (path, "?state=");
    url_escape (path, word);
  }
}

static enum cli_exit
run_approvals (const struct options *options, char **words, int count)
{
  const char *word = count > 0 ? words[0] : NULL;
  CLEANUP_BUF struct buf path = { 0 };
  struct reply reply = { 0 };
  enum cli_exit status;

  make_path (word, &path);
  status = client_fetch (options, "GET", buf_cstr (&path), &reply);
  if (status == CLI_OK && (command_wants_json (options) || (word != NULL && approval_is_id (word))))
    out_text (reply.body.data, reply.body.len);
  else if (status == CLI_OK)
    status = show (word != NULL && strcmp (word, "rules") == 0 ? &rules : &approvals, &reply);
  reply_free (&reply);
  return status;
}

const struct command command_approvals = {
  .name = "approvals",
  .usage = "[STATE | all | APPROVAL_ID | rules] [--json]",
  .summary = "show the calls that wait for a person's approval",
  .details = "STATE is pending (what is shown without it), approved, rejected, expired or\n"
             "withdrawn.  With an id: all that is known of it, and what its call gave.\n"
             "rules: what was approved for good.\n",
  .options = OPTIONS_DAEMON | OPTION_JSON,
  .most = 1,
  .run = run_approvals,
};

/* ---- deciding ---- */

static void
print_decided (const struct options *options, const char *id, const char *done,
               const struct reply *reply)
{
  CLEANUP_BUF struct buf text = { 0 };

  if (command_wants_json (options)) {
    out_text (reply->body.data, reply->body.len);
    return;
  }
  buf_printf (&text, "%s %s", done, id);
  out_text (text.data, text.len);
}

static enum cli_exit
send (const struct options *options, const char *id, const struct buf *body, const char *done)
{
  CLEANUP_BUF struct buf path = { 0 };
  struct reply reply = { 0 };
  struct error err = { 0 };
  struct client *client = client_open (options, &err);
  enum cli_exit status = CLI_OK;

  if (client == NULL)
    return out_error (CLI_USAGE, "%s", err.text);
  buf_puts (&path, "/v1/approvals/");
  url_escape (&path, id);
  struct request request = {
    .method = "POST", .path = buf_cstr (&path), .body = body->data, .body_len = body->len
  };
  if (!client_ask (client, &request, &reply, &err))
    status = out_error (CLI_UNREACHABLE, "%s", err.text);
  else if (reply.status != 200)
    status = client_refused (&reply);
  else
    print_decided (options, id, done, &reply);
  reply_free (&reply);
  client_close (client);
  return status;
}

enum cli_exit
approval_approve (const struct options *options, const char *id)
{
  CLEANUP_BUF struct buf body = { 0 };
  struct json_writer w = { .out = &body };

  jsonw_object (&w);
  jsonw_name_string (&w, "decision", options->decline ? "reject" : "approve");
  if (options->remember != NULL)
    jsonw_name_string (&w, "remember", options->remember);
  jsonw_end (&w);
  return send (options, id, &body, options->decline ? "rejected" : "approved");
}

static enum cli_exit
drop_rule (const struct options *options, const char *id)
{
  CLEANUP_BUF struct buf path = { 0 }, text = { 0 };
  struct reply reply = { 0 };
  enum cli_exit status;

  buf_puts (&path, "/v1/approvals/rules/");
  url_escape (&path, id);
  status = client_fetch (options, "DELETE", buf_cstr (&path), &reply);
  reply_free (&reply);
  if (status != CLI_OK)
    return status;
  buf_printf (&text, command_wants_json (options) ? "{\"dropped\":\"%s\"}" : "dropped %s", id);
  out_text (text.data, text.len);
  return CLI_OK;
}

static enum cli_exit
run_reject (const struct options *options, char **words, int count)
{
  CLEANUP_BUF struct buf body = { 0 };
  struct json_writer w = { .out = &body };

  if (strncmp (words[0], "rul_", 4) == 0 && count == 1)
    return drop_rule (options, words[0]);
  jsonw_object (&w);
  jsonw_name_string (&w, "decision", "reject");
  if (count > 1)
    jsonw_name_string (&w, "text", words[1]);
  jsonw_end (&w);
  return send (options, words[0], &body, "rejected");
}

const struct command command_reject = {
  .name = "reject",
  .usage = "APPROVAL_ID [TEXT] | RULE_ID [--json]",
  .summary = "reject a call that waits for approval, or drop a rule",
  .details = "The text is for who calls.  Of a rule (rul_...) that stands: such calls are asked\n"
             "about again.\n",
  .options = OPTIONS_DAEMON | OPTION_JSON,
  .least = 1,
  .most = 2,
  .run = run_reject,
};
