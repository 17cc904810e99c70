#include <string.h>

#include "base/json_write.h"
#include "cli/answer.h"
#include "cli/command.h"
#include "cli/out.h"
#include "cli/said.h"
#include "cli/table.h"
#include "store/store.h"

static const char STATE_DIR[] = "/var/lib/toolhost";

static const struct table_column columns[] = {
  { .title = "STORE" },
  { .title = "" },
};

/* What is shown of the answer, row by row. */
static const struct {
  const char *title, *member;
} rows[] = {
  { "engine", "engine" },
  { "file", "file" },
  { "well", "well" },
  { "why not", "why" },
  { "bytes", "bytes" },
  { "of them empty", "free_bytes" },
  { "calls", "calls" },
  { "of them running", "running" },
  { "of them unknown", "unknown" },
  { "definitions", "definitions" },
  { "revision", "revision" },
  { "contexts", "contexts" },
  { "letters waiting", "letters" },
  { "records", "records" },
  { "forgotten", "forgotten" },
  { "commits", "commits" },
  { "acts", "acts" },
  { "acts that failed", "failures" },
  { "longest commit, us", "commit_max_us" },
};

static enum cli_exit
read_answer (const struct reply *reply, struct json_tape *tape, struct arena *arena)
{
  if (!json_read (tape, reply->body.data, reply->body.len, &answer_limits, arena)
      || !json_is (json_root (tape), JSON_OBJECT))
    return out_error (CLI_UNREACHABLE, "the daemon's answer is no JSON object");
  return CLI_OK;
}

static void
show_table (const struct said *said)
{
  struct table table = { .columns = columns, .columns_count = sizeof columns / sizeof *columns };
  const struct json_node *root = json_root (said->tape);
  CLEANUP_BUF struct buf text = { 0 };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *value = said_text (said, root, rows[i].member, NULL);
    if (value == NULL)
      continue;
    table_addf (&table, "%s", rows[i].title);
    table_addf (&table, "%s", value);
  }
  table_render (&table, out_width (stdout), &text);
  table_free (&table);
  out_text (text.data, text.len);
}

static enum cli_exit
show_store (const struct options *options, const struct reply *reply)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  enum cli_exit status;

  if (command_wants_json (options)) {
    out_text (reply->body.data, reply->body.len);
    return CLI_OK;
  }
  status = read_answer (reply, &tape, &arena);
  if (status == CLI_OK)
    show_table (&(struct said){ .tape = &tape, .arena = &arena });
  return status;
}

static enum cli_exit
show_copy (const struct options *options, const struct reply *reply)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  const struct said said = { .tape = &tape, .arena = &arena };
  const char *file;
  enum cli_exit status;

  if (command_wants_json (options)) {
    out_text (reply->body.data, reply->body.len);
    return CLI_OK;
  }
  status = read_answer (reply, &tape, &arena);
  if (status != CLI_OK)
    return status;
  file = said_text (&said, json_root (&tape), "file", "");
  out_text (file, strlen (file));
  return CLI_OK;
}

/* Without a daemon. */
static enum cli_exit
vacuum (const struct options *options, const char *folder)
{
  struct store_vacuumed vacuumed;
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };
  struct error err = { 0 };

  if (!store_vacuum (folder, &vacuumed, &err))
    return out_error (CLI_FAILED, "%s", err.text);
  if (!command_wants_json (options))
    buf_printf (&out, "%s/toolhost.db: %llu bytes, it had %llu", folder,
                (unsigned long long) vacuumed.after, (unsigned long long) vacuumed.before);
  else {
    jsonw_object (&w);
    jsonw_name_int (&w, "before", (int64_t) vacuumed.before);
    jsonw_name_int (&w, "after", (int64_t) vacuumed.after);
    jsonw_end (&w);
  }
  out_text (out.data, out.len);
  return CLI_OK;
}

static enum cli_exit
run (const struct options *options, char **words, int count)
{
  CLEANUP_BUF struct buf path = { 0 };
  struct reply reply = { 0 };
  bool copy = count != 0;
  enum cli_exit status;

  if (copy && strcmp (words[0], "vacuum") == 0)
    return vacuum (options, count == 2 ? words[1] : STATE_DIR);
  if (copy && strcmp (words[0], "backup") != 0)
    return out_error (CLI_USAGE, "expected nothing, backup and perhaps a name, or vacuum and "
                                 "perhaps a folder");
  buf_puts (&path, copy ? "/v1/store/backup" : "/v1/store");
  if (count == 2) {
    buf_puts (&path, "?name=");
    url_escape (&path, words[1]);
  }
  status = client_fetch (options, copy ? "POST" : "GET", buf_cstr (&path), &reply);
  if (status == CLI_OK)
    status = (copy ? show_copy : show_store) (options, &reply);
  reply_free (&reply);
  return status;
}

const struct command command_store = {
  .name = "store",
  .usage = "[backup [NAME] | vacuum [FOLDER]] [--json]",
  .summary = "show the durable store, or copy it while it serves",
  .details =
    "The store has the calls that have an id of their caller's, and what came of them.\n"
    "backup writes a copy to the folder backups of the daemon's state folder, under the\n"
    "name or one with the date, and prints where it is; it takes no other file's place.\n"
    "It needs the role manage: the local socket, as root or the daemon's user, or a key.\n"
    "vacuum makes the file anew without what is empty in it, while no daemon has it; FOLDER is\n"
    "the daemon's state folder, if it is not /var/lib/toolhost.  A file of this version gives\n"
    "back by itself what is empty, while the daemon serves.\n",
  .options = OPTIONS_DAEMON | OPTION_JSON,
  .most = 2,
  .run = run,
};
