#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/json_write.h"
#include "cli/answer.h"
#include "cli/backup.h"
#include "cli/client.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/out.h"
#include "cli/said.h"

/* ---- what the daemon does ---- */

/* Ask, and read a text of the answer, malloced. */
static enum cli_exit
ask_text (struct client *client, const char *method, const char *path, const char *member,
          char **text)
{
  const struct request request = { .method = method, .path = path, .patient = true };
  CLEANUP_ARENA struct arena arena = { 0 };
  struct reply reply = { 0 };
  struct error err = { 0 };
  struct json_tape tape;
  enum cli_exit status = CLI_OK;

  *text = NULL;
  if (!client_ask (client, &request, &reply, &err))
    status = out_error (CLI_UNREACHABLE, "%s", err.text);
  else if (reply.status / 100 != 2)
    status = client_refused (&reply);
  else if (json_read (&tape, reply.body.data, reply.body.len, &answer_limits, &arena)) {
    const char *said =
      said_text (&(struct said){ .tape = &tape, .arena = &arena }, json_root (&tape), member, NULL);
    *text = said != NULL ? xstrdup (said) : NULL;
  }
  reply_free (&reply);
  return status;
}

/* The folder that the daemon keeps its state in. */
static enum cli_exit
find_state (struct client *client, char **state_dir)
{
  enum cli_exit status = ask_text (client, "GET", "/v1/store", "file", state_dir);
  char *slash;

  if (status != CLI_OK)
    return status;
  slash = *state_dir != NULL ? strrchr (*state_dir, '/') : NULL;
  if (slash == NULL)
    return out_error (CLI_FAILED,
                      "the daemon keeps its state in memory: there is nothing to back up");
  *slash = '\0';
  return CLI_OK;
}

static enum cli_exit
copy_store (struct client *client, char **copy)
{
  char path[120];

  (void) snprintf (path, sizeof path, "/v1/store/backup?name=for-backup-%lld-%ld.db",
                   (long long) time (NULL), (long) getpid ());
  return ask_text (client, "POST", path, "file", copy);
}

/* ---- what is said ---- */

static uint64_t
bytes_of (const struct backup *backup)
{
  uint64_t bytes = 0;

  for (size_t i = 0; i < backup->count; i++)
    bytes += backup->files[i].bytes;
  return bytes;
}

static void
put_proof (struct json_writer *w, const struct backup_proof *proof)
{
  jsonw_name_bool (w, "whole", true);
  jsonw_name_int (w, "calls", (int64_t) proof->calls);
  jsonw_name_int (w, "audit_records", (int64_t) proof->records);
  if (proof->records == 0)
    return;
  jsonw_name_int (w, "audit_first", (int64_t) proof->first);
  jsonw_name_int (w, "audit_last", (int64_t) proof->last);
  jsonw_name_string (w, "audit_head", proof->head);
}

static void
describe_proof (struct buf *out, const struct backup_proof *proof)
{
  buf_printf (out, "\nwhole: %llu calls in the store, ", (unsigned long long) proof->calls);
  if (proof->records == 0)
    buf_puts (out, "no audit");
  else
    buf_printf (out, "records %llu to %llu of the audit\nhead: %s",
                (unsigned long long) proof->first, (unsigned long long) proof->last, proof->head);
}

/* `proof`: NULL, or what was proved. */
static void
say (const struct options *options, const char *folder, const struct backup *backup,
     const struct backup_proof *proof)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  if (!command_wants_json (options)) {
    buf_printf (&out, "%s: %zu files, %llu bytes, of %s", folder, backup->count,
                (unsigned long long) bytes_of (backup), backup->made);
    if (proof != NULL)
      describe_proof (&out, proof);
    out_text (out.data, out.len);
    return;
  }
  jsonw_object (&w);
  jsonw_name_string (&w, "folder", folder);
  jsonw_name_string (&w, "made", backup->made);
  jsonw_name_int (&w, "files", (int64_t) backup->count);
  jsonw_name_int (&w, "bytes", (int64_t) bytes_of (backup));
  if (proof != NULL)
    put_proof (&w, proof);
  jsonw_end (&w);
  out_text (out.data, out.len);
}

/* ---- the two ways ---- */

static enum cli_exit
make_of (const struct options *options, struct client *client, const char *dest)
{
  CLEANUP_FREE char *state_dir = NULL, *copy = NULL;
  struct backup backup = { .made = NULL };
  struct error err = { 0 };
  enum cli_exit status = find_state (client, &state_dir);

  if (status == CLI_OK)
    status = copy_store (client, &copy);
  if (status != CLI_OK)
    return status;
  if (copy == NULL)
    return out_error (CLI_UNREACHABLE, "the daemon does not say where its copy is");
  if (access (copy, R_OK) != 0)
    return out_error (CLI_FAILED, "%s: %s; run this as root or as the daemon's user", copy,
                      strerror (errno));
  if (backup_make (state_dir, copy, dest, &backup, &err))
    say (options, dest, &backup, NULL);
  else
    status = out_error (CLI_FAILED, "there is no backup: %s", err.text);
  if (unlink (copy) != 0)
    status = out_error (CLI_FAILED, "%s: %s; it is not needed any more", copy, strerror (errno));
  backup_free (&backup);
  return status;
}

static enum cli_exit
make (const struct options *options, const char *dest)
{
  struct error err = { 0 };
  struct client *client;
  enum cli_exit status;
  struct stat st;

  if (lstat (dest, &st) == 0)
    return out_error (CLI_USAGE, "%s is there already: a backup takes no other's place", dest);
  client = client_open (options, &err);
  if (client == NULL)
    return out_error (CLI_USAGE, "%s", err.text);
  status = make_of (options, client, dest);
  client_close (client);
  return status;
}

static enum cli_exit
verify (const struct options *options, const char *folder)
{
  CLEANUP_BUF struct buf text = { 0 };
  struct backup backup = { .made = NULL };
  struct audit_key key = { .len = 0 };
  struct backup_proof proof;
  struct error err = { 0 };
  enum cli_exit status = CLI_OK;

  if (options->audit_key != NULL
      && !(input_read (options->audit_key, &text, &err)
           && audit_key_read (&key, text.data, text.len, &err)))
    return out_error (CLI_USAGE, "--audit-key %s: %s", options->audit_key, err.text);
  if (backup_verify (folder, &key, &backup, &proof, &err))
    say (options, folder, &backup, &proof);
  else
    status = out_error (CLI_FAILED, "%s", err.text);
  explicit_bzero (&key, sizeof key);
  backup_free (&backup);
  return status;
}

static enum cli_exit
run (const struct options *options, char **words, int count)
{
  (void) count;
  if (options->audit_key != NULL && !options->verify)
    return out_error (CLI_USAGE, "--audit-key is for --verify");
  return options->verify ? verify (options, words[0]) : make (options, words[0]);
}

const struct command command_backup = {
  .name = "backup",
  .usage = "FOLDER | --verify FOLDER [--audit-key FILE] [--json]",
  .summary = "copy a daemon's state while it serves, and prove a copy whole",
  .details =
    "Makes the folder, with a consistent copy of the durable store, the files of the audit,\n"
    "the pins of tenants, and a manifest with the hash of each.  It has its name only when it\n"
    "is whole and on the disk.  The daemon goes on; it must be on this machine, and its files\n"
    "be readable: run this as root or as its user.\n"
    "--verify needs no daemon: files are compared with the manifest, the store is checked\n"
    "from its first page to its last, and the audit record by record.\n"
    "How to go back to one is in docs/store.md, the configuration is not part of it.\n",
  .options = OPTION_SOCKET | OPTION_JSON | OPTION_BACKUP,
  .least = 1,
  .most = 1,
  .run = run,
};
