#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json_write.h"
#include "cli/answer.h"
#include "cli/command.h"
#include "cli/indented.h"
#include "cli/input.h"
#include "cli/out.h"
#include "daemon/oneshot.h"
#include "daemon/paths.h"

extern char **environ;

/* ---- the header ---- */

static bool
read_pipe (int fd, struct buf *out)
{
  enum { PIECE = 64 * 1024 };
  ssize_t got;

  do {
    got = read (fd, buf_reserve (out, PIECE), PIECE);
    if (got > 0)
      out->len += (size_t) got;
  } while (got > 0 || (got < 0 && errno == EINTR));
  return got == 0;
}

static int
start_compiler (const char *path, int to, pid_t *pid)
{
  char *argv[] = { (char *) "cc",  (char *) "-E", (char *) "-x", (char *) "c",
                   (char *) "-CC", (char *) path, NULL };
  posix_spawn_file_actions_t actions;
  int error;

  (void) posix_spawn_file_actions_init (&actions);
  (void) posix_spawn_file_actions_adddup2 (&actions, to, STDOUT_FILENO);
  error = posix_spawnp (pid, "cc", &actions, NULL, argv, environ);
  (void) posix_spawn_file_actions_destroy (&actions);
  return error;
}

/* As `cc -E` gives it, comments and all. */
static bool
preprocess (const char *path, struct buf *out, struct error *err)
{
  CLEANUP_BUF struct buf plain = { 0 };
  int ends[2], error, status = 0;
  pid_t pid;

  buf_printf (&plain, "%s%s", path[0] == '-' && path[1] != '\0' ? "./" : "", path);
  if (pipe2 (ends, O_CLOEXEC) < 0)
    return error_set (err, "there is no pipe: %s", strerror (errno));
  error = start_compiler (buf_cstr (&plain), ends[1], &pid);
  (void) close (ends[1]);
  if (error == 0) {
    if (!read_pipe (ends[0], out))
      status = -1;
    while (waitpid (pid, &status, 0) < 0 && errno == EINTR)
      ;
  }
  (void) close (ends[0]);
  if (error != 0)
    return error_set (err, "cc can't be run: %s", strerror (error));
  return status == 0 || error_set (err, "cc -E could not preprocess it");
}

/* ---- the plugin ---- */

/* Where the plugin ffi is installed; NULL: nowhere. */
static char *
find_plugin (void)
{
  static const char *const names[] = { "ffi.plugin/ffi.so", "ffi.so" };
  char **dirs = paths_plugin_dirs (), *found = NULL;

  for (char **dir = dirs; *dir != NULL; dir++) {
    for (size_t i = 0; found == NULL && i < sizeof names / sizeof *names; i++) {
      CLEANUP_BUF struct buf path = { 0 };
      buf_printf (&path, "%s/%s", *dir, names[i]);
      if (access (buf_cstr (&path), R_OK) == 0)
        found = xstrdup (buf_cstr (&path));
    }
    free (*dir);
  }
  free (dirs);
  return found;
}

struct importing {
  const struct options *options;
  const char *header;
  FILE *output; /* NULL: standard output */
  enum cli_exit status;
};

/* Opened before the plugin is: started as root, the process then has no rights any more.  What it
 * holds stays until there is something to write. */
static bool
open_output (struct importing *in)
{
  const char *path = in->options->output;
  int fd = path != NULL ? open (path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666) : -1;

  in->output = fd >= 0 ? fdopen (fd, "w") : NULL;
  if (path != NULL && in->output == NULL)
    in->status = out_error (CLI_FAILED, "%s: %s", path, strerror (errno));
  return path == NULL || in->output != NULL;
}

/* ---- what came of it ---- */

static void
note_line (const struct importing *in, const struct json_tape *tape, const struct json_node *node,
           const char *key, struct arena *arena, struct buf *out)
{
  const char *name = json_cstring (tape, json_member (tape, node, "name"), arena);
  const char *text = json_cstring (tape, json_member (tape, node, key), arena);
  int64_t line = 0;

  (void) json_int64 (tape, json_member (tape, node, "line"), &line);
  buf_printf (out, "%s:%lld: %s%s%s%s\n", in->header, (long long) line, name != NULL ? name : "",
              name != NULL ? " " : "", strcmp (key, "why") == 0 ? "is left out: " : "- ",
              text != NULL ? text : "");
}

/* A line for each thing that a person has to look at. */
static void
tell_notes (const struct importing *in, const struct json_tape *tape, struct arena *arena)
{
  static const char *const lists[][2] = { { "left_out", "why" }, { "notes", "note" } };
  CLEANUP_BUF struct buf out = { 0 };

  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    const struct json_node *list = json_member (tape, json_root (tape), lists[i][0]);
    if (json_is (list, JSON_ARRAY))
      for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n))
        note_line (in, tape, n, lists[i][1], arena, &out);
  }
  if (out.len != 0)
    out_note (out.data, out.len);
}

static enum cli_exit
write_out (const struct importing *in, const struct buf *text)
{
  bool good;

  if (in->output == NULL) {
    out_text (text->data, text->len);
    return CLI_OK;
  }
  good = ftruncate (fileno (in->output), 0) == 0
         && fwrite (text->data, 1, text->len, in->output) == text->len && fflush (in->output) == 0;
  return good ? CLI_OK : out_error (CLI_FAILED, "%s: %s", in->options->output, strerror (errno));
}

/* What a tenant's feature "functions" takes: types and functions, without the rest. */
static void
write_feature (const struct json_tape *tape, struct buf *out)
{
  static const char *const names[] = { "types", "functions" };

  buf_puts (out, "{\n");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    buf_printf (out, "%s  \"%s\": ", i == 0 ? "" : ",\n", names[i]);
    indented_write (tape, json_member (tape, json_root (tape), names[i]), 1, out);
  }
  buf_puts (out, "\n}\n");
}

static void
on_done (void *ctx, const struct result *result)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf text = { 0 };
  struct importing *in = ctx;
  struct json_tape tape;

  if (result->error != CALL_OK)
    in->status =
      out_error (CLI_FAILED, "%s: %.*s", in->header, (int) result->message_len, result->message);
  else if (!json_read (&tape, result->structured, result->structured_len, &answer_limits, &arena)
           || !json_is (json_member (&tape, json_root (&tape), "functions"), JSON_ARRAY))
    in->status = out_error (CLI_FAILED, "%s: the answer is too large", in->header);
  else {
    write_feature (&tape, &text);
    in->status = write_out (in, &text);
    tell_notes (in, &tape, &arena);
  }
}

static void
on_progress (void *ctx, double done, double total, const char *text, size_t len)
{
  (void) ctx;
  (void) done;
  (void) total;
  (void) text;
  (void) len;
}

/* ---- the command ---- */

static void
write_arguments (const struct options *options, const struct buf *header, struct buf *out)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  jsonw_name (&w, "text");
  jsonw_string_len (&w, header->data, header->len);
  if (options->library != NULL)
    jsonw_name_string (&w, "library", options->library);
  if (options->symbol != NULL)
    jsonw_name_string (&w, "symbols", options->symbol);
  jsonw_end (&w);
}

static enum cli_exit
import_in (struct oneshot *host, const struct buf *header, struct importing *in)
{
  static const struct call_events events = { .progress = on_progress, .done = on_done };
  static const char name[] = "ffi_import";
  CLEANUP_BUF struct buf args = { 0 };
  struct call_request request = { .name = name, .name_len = sizeof name - 1, .front = "cli" };

  write_arguments (in->options, header, &args);
  request.args = args.data;
  request.args_len = args.len;
  if (!oneshot_call_internal (host, "functions", &request, &events, in))
    return out_error (CLI_BAD_PLUGIN, "the plugin has no tool %s", name);
  return in->status;
}

static enum cli_exit
import (struct importing *in)
{
  const struct options *options = in->options;
  CLEANUP_FREE char *found = options->plugin == NULL ? find_plugin () : NULL;
  const char *plugin = options->plugin != NULL ? options->plugin : found;
  CLEANUP_BUF struct buf header = { 0 };
  struct error err = { 0 };
  struct oneshot *host;
  bool good = options->preprocess ? preprocess (in->header, &header, &err)
                                  : input_read (in->header, &header, &err);

  if (!good)
    return out_error (CLI_BAD_DOCUMENT, "%s: %s", input_name (in->header), err.text);
  if (!utf8_valid (header.data != NULL ? header.data : "", header.len))
    return out_error (CLI_BAD_DOCUMENT, "%s: it is no text in UTF-8", input_name (in->header));
  if (plugin == NULL)
    return out_error (CLI_BAD_PLUGIN, "the plugin ffi is not installed; --plugin names its file");
  if (!open_output (in))
    return in->status;
  host = oneshot_open_builder (plugin, &err);
  if (host == NULL)
    return out_error (CLI_BAD_PLUGIN, "%s: %s", plugin, err.text);
  in->status = import_in (host, &header, in);
  oneshot_close (host);
  return in->status;
}

static enum cli_exit
run (const struct options *options, char **words, int count)
{
  struct importing in = { .options = options };

  if (strcmp (words[0], "import") != 0)
    return out_error (CLI_USAGE, "ffi: expected import, got \"%s\"", words[0]);
  if (count != 2)
    return out_error (CLI_USAGE, "ffi import: expected a header");
  in.header = words[1];
  in.status = import (&in);
  if (in.output != NULL)
    (void) fclose (in.output);
  return in.status;
}

const struct command command_ffi = {
  .name = "ffi",
  .usage = "import HEADER [--library NAME] [--symbol PATTERN] [--preprocess] [--output FILE]",
  .summary = "propose tools for the functions of a C header",
  .details =
    "Prints what a tenant's feature \"functions\" takes: types, and a document for each\n"
    "function that can be one as it is declared.  What is left out, and what C does not\n"
    "say and was guessed, is told on standard error with its line.  The header is read in\n"
    "a sandbox, by the plugin ffi; \"-\" is standard input.  No daemon is needed.\n",
  .options = OPTION_IMPORT | OPTION_HELP,
  .least = 1,
  .most = 2,
  .run = run,
};
