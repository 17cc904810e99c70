#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>

#include "audit/reader.h"
#include "base/json_tape.h"
#include "base/json_write.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/out.h"
#include "cli/table.h"

static const char FOLDER[] = "/var/lib/toolhost/audit";

/* What a record has to say to be shown: the members of this name, as they are. */
static const char *const members[] = { "event",   "tenant", "principal", "tool",
                                       "outcome", "call",   "session" };

enum { MEMBERS = sizeof members / sizeof *members };

struct wish {
  const char *folder;
  const char *is[MEMBERS];
  char since[40], until[40]; /* "": any time; as records have it */
  const char *head;
  uint64_t limit;
  struct audit_key key;
};

enum form { AS_LINES, AS_TABLE, AS_CSV };

struct showing {
  const struct wish *wish;
  enum form as;
  struct table table;
  uint64_t shown;
};

/* ---- what is wanted ---- */

/* A time, or how long ago: "2026-01-31", "2026-01-31T12:00:00Z", "90m", "36h", "7d". */
static bool
read_time (const char *text, char time_text[40])
{
  char *end;
  const double number = strtod (text, &end);
  static const char units[] = "smhd";
  static const long seconds[] = { 1, 60, 3600, 86400 };
  const char *unit = *end != '\0' ? strchr (units, *end) : NULL;
  time_t then;
  struct tm tm;

  if (unit != NULL && end[1] == '\0' && end != text && number >= 0 && number < 1e9) {
    then = time (NULL) - (time_t) (number * (double) seconds[unit - units]);
    gmtime_r (&then, &tm);
    return strftime (time_text, 40, "%Y-%m-%dT%H:%M:%S", &tm) != 0;
  }
  if (strlen (text) < 4 || strlen (text) > 24 || strspn (text, "0123456789-:.TZ") != strlen (text))
    return false;
  (void) strcpy (time_text, text);
  return true;
}

static enum cli_exit
read_key (struct wish *wish, const char *path)
{
  CLEANUP_BUF struct buf text = { 0 };
  struct error err = { 0 };

  if (input_read (path, &text, &err) && audit_key_read (&wish->key, text.data, text.len, &err))
    return CLI_OK;
  return out_error (CLI_BAD_DOCUMENT, "%s: %s", path, err.text);
}

static enum cli_exit
read_pair (struct wish *wish, const char *word, const char *value)
{
  const size_t len = (size_t) (value - word) - 1;

  for (size_t i = 0; i < MEMBERS; i++)
    if (strlen (members[i]) == len && strncmp (word, members[i], len) == 0) {
      wish->is[i] = value;
      return CLI_OK;
    }
  if (strncmp (word, "since=", 6) == 0 || strncmp (word, "until=", 6) == 0) {
    if (read_time (value, *word == 's' ? wish->since : wish->until))
      return CLI_OK;
    return out_error (CLI_USAGE, "%s: expected a time like 2026-01-31T12:00:00Z, or 90m, 36h, 7d",
                      word);
  }
  if (strncmp (word, "head=", 5) == 0) {
    wish->head = value;
    return CLI_OK;
  }
  if (strncmp (word, "key_file=", 9) == 0)
    return read_key (wish, value);
  if (strncmp (word, "limit=", 6) == 0 && strspn (value, "0123456789") == strlen (value)) {
    wish->limit = strtoull (value, NULL, 10);
    return CLI_OK;
  }
  return out_error (CLI_USAGE,
                    "%s: expected event=, tenant=, principal=, tool=, outcome=, call=, session=, "
                    "since=, until=, limit=, head= or key_file=",
                    word);
}

static enum cli_exit
read_words (struct wish *wish, char **words, int count)
{
  enum cli_exit status = CLI_OK;

  for (int i = 0; i < count && status == CLI_OK; i++) {
    const char *equals = strchr (words[i], '=');
    if (equals != NULL)
      status = read_pair (wish, words[i], equals + 1);
    else
      wish->folder = words[i];
  }
  return status;
}

/* ---- records ---- */

static const char *
text_of (const struct json_tape *tape, const char *name, struct arena *arena)
{
  const struct json_node *node = json_member (tape, json_root (tape), name);
  size_t len;
  const char *text;

  if (!json_is (node, JSON_STRING))
    return NULL;
  text = json_string (tape, node, arena, &len);
  return arena_strndup (arena, text, len);
}

static bool
is_wanted (const struct wish *wish, const struct json_tape *tape, struct arena *arena)
{
  const char *ts = text_of (tape, "ts", arena);

  if (ts == NULL || (wish->since[0] != '\0' && strcmp (ts, wish->since) < 0)
      || (wish->until[0] != '\0' && strcmp (ts, wish->until) >= 0))
    return false;
  for (size_t i = 0; i < MEMBERS; i++) {
    const char *text = wish->is[i] != NULL ? text_of (tape, members[i], arena) : NULL;
    if (wish->is[i] != NULL && (text == NULL || strcmp (text, wish->is[i]) != 0))
      return false;
  }
  return true;
}

static const char *const shown_members[] = { "seq",       "ts",   "event",   "tenant",
                                             "principal", "tool", "outcome", "call" };
static const struct table_column columns[] = {
  { .title = "SEQ", .right = true },
  { .title = "TIME" },
  { .title = "EVENT" },
  { .title = "TENANT", .cut = true },
  { .title = "PRINCIPAL", .cut = true },
  { .title = "TOOL", .cut = true },
  { .title = "OUTCOME" },
  { .title = "CALL", .cut = true },
};

enum { SHOWN = sizeof shown_members / sizeof *shown_members };

/* The member as text: a string, or what else stands there as JSON. */
static const char *
cell_of (const struct json_tape *tape, const char *name, struct arena *arena, size_t *len)
{
  const struct json_node *node = json_member (tape, json_root (tape), name);

  *len = 0;
  if (node == NULL)
    return "";
  return json_is (node, JSON_STRING) ? json_string (tape, node, arena, len)
                                     : json_raw (tape, node, len);
}

/* As RFC 4180 has it. */
static void
put_csv (struct buf *out, const char *text, size_t len)
{
  const bool quoted = memchr (text, ',', len) != NULL || memchr (text, '"', len) != NULL
                      || memchr (text, '\n', len) != NULL || memchr (text, '\r', len) != NULL;

  if (!quoted) {
    buf_append (out, text, len);
    return;
  }
  buf_putc (out, '"');
  for (size_t i = 0; i < len; i++) {
    if (text[i] == '"')
      buf_putc (out, '"');
    buf_putc (out, text[i]);
  }
  buf_putc (out, '"');
}

static void
show_record (struct showing *showing, const struct json_tape *tape, struct arena *arena)
{
  CLEANUP_BUF struct buf row = { 0 };

  for (size_t i = 0; i < SHOWN; i++) {
    size_t len;
    const char *cell = cell_of (tape, shown_members[i], arena, &len);
    if (showing->as == AS_TABLE)
      table_add (&showing->table, cell, len);
    else {
      if (i != 0)
        buf_putc (&row, ',');
      put_csv (&row, cell, len);
    }
  }
  if (showing->as == AS_CSV) {
    buf_puts (&row, "\r\n");
    out_plain (row.data, row.len);
  }
}

static bool
on_record (void *ctx, const char *line, size_t len)
{
  struct showing *showing = ctx;
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  if (!json_read (&tape, line, len, &json_default_limits, &arena)
      || !is_wanted (showing->wish, &tape, &arena))
    return true;
  if (showing->as == AS_LINES) {
    out_plain (line, len);
    out_plain ("\n", 1);
  }
  else
    show_record (showing, &tape, &arena);
  return ++showing->shown != showing->wish->limit;
}

static enum cli_exit
query (const struct wish *wish, enum form as)
{
  struct showing showing = { .wish = wish,
                             .as = as,
                             .table = { .columns = columns, .columns_count = SHOWN } };
  const struct audit_reading reading = { .key = &wish->key, .record = on_record, .ctx = &showing };
  CLEANUP_BUF struct buf text = { 0 };
  struct audit_read found;
  struct error err = { 0 };
  bool good;

  if (as == AS_CSV)
    out_plain ("seq,ts,event,tenant,principal,tool,outcome,call\r\n", 49);
  good = audit_read (wish->folder, &reading, &found, &err);
  if (as == AS_TABLE) {
    table_render (&showing.table, out_width (stdout), &text);
    out_text (text.data, text.len);
  }
  table_free (&showing.table);
  return good ? CLI_OK : out_error (CLI_FAILED, "%s/%s", wish->folder, err.text);
}

/* ---- is it whole? ---- */

struct head {
  const char *wanted;
  bool seen;
};

static bool
look_for_head (void *ctx, const char *line, size_t len)
{
  struct head *head = ctx;
  const size_t wanted = strlen (head->wanted);

  head->seen =
    head->seen || (len > wanted + 2 && memcmp (line + len - wanted - 2, head->wanted, wanted) == 0);
  return true;
}

static void
show_whole (const struct options *options, const struct audit_read *found)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };
  const bool any = found->records != 0;

  if (!command_wants_json (options)) {
    if (!any)
      buf_puts (&out, "There are no records.");
    else
      buf_printf (&out, "whole: records %llu to %llu in %llu file%s%s\nhead: %s",
                  (unsigned long long) found->first, (unsigned long long) found->link.seq,
                  (unsigned long long) found->segments, found->segments == 1 ? "" : "s",
                  found->torn != 0 ? ", one with a piece that was never a record" : "",
                  found->link.hash);
    out_text (out.data, out.len);
    return;
  }
  jsonw_object (&w);
  jsonw_name_bool (&w, "whole", true);
  jsonw_name_int (&w, "records", (int64_t) found->records);
  jsonw_name_int (&w, "first", (int64_t) found->first);
  jsonw_name_int (&w, "last", (int64_t) found->link.seq);
  jsonw_name_int (&w, "files", (int64_t) found->segments);
  jsonw_name_int (&w, "torn", (int64_t) found->torn);
  if (any)
    jsonw_name_string (&w, "head", found->link.hash);
  jsonw_end (&w);
  out_text (out.data, out.len);
}

static enum cli_exit
verify (const struct options *options, const struct wish *wish)
{
  struct head head = { .wanted = wish->head };
  const struct audit_reading reading = { .key = &wish->key,
                                         .record = wish->head != NULL ? look_for_head : NULL,
                                         .ctx = &head };
  struct audit_read found;
  struct error err = { 0 };

  if (!audit_read (wish->folder, &reading, &found, &err))
    return out_error (CLI_FAILED, "%s/%s", wish->folder, err.text);
  if (wish->head != NULL && !head.seen)
    return out_error (CLI_FAILED,
                      "%s: the record with the hash %s is not there: the chain was made anew, or "
                      "ends before it",
                      wish->folder, wish->head);
  if (found.records != 0 && !found.anchored)
    return out_error (CLI_FAILED,
                      "%s: it begins with record %llu, and no record tells that those before it "
                      "were removed for their age or size",
                      wish->folder, (unsigned long long) found.first);
  show_whole (options, &found);
  return CLI_OK;
}

/* ---- the command ---- */

static enum cli_exit
run (const struct options *options, char **words, int count)
{
  struct wish wish = { .folder = FOLDER };
  enum cli_exit status = read_words (&wish, words + 1, count - 1);
  const char *act = words[0];

  if (status != CLI_OK)
    return status;
  if (strcmp (act, "verify") == 0)
    status = verify (options, &wish);
  else if (strcmp (act, "query") == 0)
    status = query (&wish, command_wants_json (options) ? AS_LINES : AS_TABLE);
  else if (strcmp (act, "export") == 0)
    status = query (&wish, options->json ? AS_LINES : AS_CSV);
  else
    status = out_error (CLI_USAGE, "%s: expected verify, query or export", act);
  explicit_bzero (&wish.key, sizeof wish.key);
  return status;
}

const struct command command_audit = {
  .name = "audit",
  .usage = "verify|query|export [FOLDER] [NAME=VALUE]... [--json]",
  .summary = "prove the audit whole, and read it",
  .details =
    "The audit has a record of each call, decision and change, in files of the daemon's state\n"
    "folder; FOLDER is that folder's audit, if it is not /var/lib/toolhost/audit.\n"
    "verify   checks every record against the one before it, and prints the hash of the last:\n"
    "         kept elsewhere and given again as head=HASH it shows that nothing was made anew\n"
    "query    shows records: event=, tenant=, principal=, tool=, outcome=, call=, session= are\n"
    "         what they say; since= and until= a time, or how long ago (90m, 36h, 7d); limit=N\n"
    "export   writes the same as CSV, or with --json as the records stand\n"
    "Each checks what it reads; key_file=FILE is the daemon's audit.key_file.\n",
  .options = OPTION_JSON,
  .least = 1,
  .most = 32,
  .run = run,
};
