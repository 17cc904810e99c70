/* toolhost-worker - runs one plugin: closes the sandbox on itself, then loads it, then serves
 * calls.
 *
 * Started by toolhostd, which has put it into fresh namespaces.  Everything up to the fork runs as
 * pid 1 of them. */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "worker/build.h"
#include "worker/building.h"
#include "worker/control.h"
#include "worker/crash.h"
#include "worker/crew.h"
#include "worker/hello.h"
#include "worker/init.h"
#include "worker/load.h"
#include "worker/outbox.h"
#include "worker/plugin.h"
#include "worker/segments.h"
#include "worker/serve.h"
#include "worker/system_calls.h"

/* Say why, and end. */
static void __attribute__ ((noreturn))
give_up (int status, const char *reason, const struct error *err)
{
  control_bye (reason, err->text);
  _exit (status);
}

/* Before the fork init's report is ours to make, too. */
static void __attribute__ ((noreturn))
give_up_early (int status, const char *reason, const struct error *err)
{
  control_bye (reason, err->text);
  init_tell (status);
  _exit (status);
}

/* ---- by hand ---------------------------------------------------------------------------- */

static const char usage[] =
  "toolhost-worker runs one plugin in a sandbox; it is started by toolhostd, "
  "not by hand.\n"
  "  --system-calls   which system calls it is left with, and why\n"
  "  --version\n";

static int
options (int argc, char **argv)
{
  if (argc == 2 && strcmp (argv[1], "--version") == 0) {
    (void) printf ("toolhost-worker %s (build %s)\n", PACKAGE_VERSION, TOOLHOST_BUILD_ID);
    return EXIT_SUCCESS;
  }
  if (argc == 2 && strcmp (argv[1], "--help") == 0) {
    (void) fputs (usage, stdout);
    return EXIT_SUCCESS;
  }
  if (argc == 2 && strcmp (argv[1], "--system-calls") == 0) {
    system_calls_print (stdout, PROCESSOR_OURS);
    return EXIT_SUCCESS;
  }
  (void) fputs (usage, stderr);
  return WORKER_EXIT_USAGE;
}

static bool
has_control_socket (void)
{
  int type = 0;
  socklen_t len = sizeof type;

  return getsockopt (FD_CONTROL, SOL_SOCKET, SO_TYPE, &type, &len) == 0 && type == SOCK_SEQPACKET;
}

/* ---- pid 1 ------------------------------------------------------------------------------ */

/* What did not fit the frame; NULL: it can't be read. */
static const char *
read_large_hello (int fd, struct arena *arena, size_t *len)
{
  struct stat st;
  char *text;
  size_t got = 0;
  ssize_t n = 1;

  if (fd < 0 || fstat (fd, &st) < 0 || st.st_size <= 0)
    return NULL;
  *len = (size_t) st.st_size;
  text = arena_alloc (arena, *len);
  while (got < *len && (n = pread (fd, text + got, *len - got, (off_t) got)) > 0)
    got += (size_t) n;
  return got == *len ? text : NULL;
}

/* The text of the first frame, which lives in the arena; NULL: it is no HELLO. */
static const char *
receive_hello (struct arena *arena, size_t *len)
{
  struct datagram in = { .data = arena_alloc (arena, FRAME_MAX) };
  struct frame_head head;
  const char *payload;
  bool good = control_receive (&in) && frame_next (in.data, in.len, &head, &payload, len) > 0
              && head.kind == FRAME_HELLO && (in.fds_count == 0 || segments_keep (&in));

  if (good && (head.flags & FRAME_FD) != 0) {
    CLEANUP_FD int fd = datagram_take_fd (&in);
    payload = read_large_hello (fd, arena, len);
  }
  datagram_end (&in);
  return good ? payload : NULL;
}

/* A worker without its rings would be none; a program has no use for them. */
static bool
has_rings (void)
{
  return fcntl (FD_DOWN, F_GETFD) >= 0 && fcntl (FD_UP, F_GETFD) >= 0;
}

static void
read_hello (struct hello *hello, struct arena *arena)
{
  struct error err = { { 0 } };
  size_t len;
  const char *text = receive_hello (arena, &len);

  if (text == NULL)
    error_set (&err, "the first frame is no HELLO, or brings no shared memory");
  else if (hello_read (hello, text, len, arena, &err)
           && strcmp (hello->build, TOOLHOST_BUILD_ID) != 0)
    error_set (&err,
               "this toolhost-worker is of build %s, the daemon of build %.64s: install both "
               "together",
               TOOLHOST_BUILD_ID, hello->build);
  else if (err.text[0] == '\0' && hello->program.command == NULL && !has_rings ())
    error_set (&err, "the first frame brings no shared memory");
  if (err.text[0] != '\0')
    give_up_early (WORKER_EXIT_PROTOCOL, "exit", &err);
}

static void
change_root (struct sandbox_plan *plan)
{
  struct error err = { { 0 } };

  (void) setsid (); /* a terminal's Ctrl-C is the daemon's business */
  sandbox_volunteer ();
  sandbox_namespaces (plan);
  sandbox_cgroup (plan);
  if (!sandbox_root (plan, FD_PLUGIN, &err))
    give_up_early (WORKER_EXIT_SANDBOX, "sandbox", &err);
  if (plan->namespaces)
    (void) close (FD_PLUGIN);
  (void) close_range (FD_UP + 1, ~0U, 0);
}

/* ---- pid 2 ------------------------------------------------------------------------------ */

static void
close_sandbox (struct sandbox_plan *plan)
{
  struct error err = { { 0 } };

  if (!sandbox_limits (plan, &err) || !sandbox_privileges (&err))
    give_up (WORKER_EXIT_SANDBOX, "sandbox", &err);
  sandbox_code (plan);
  if (!sandbox_landlock (plan, &err) || !sandbox_seccomp (plan, &err)
      || !guarantees_hold (plan, &err))
    give_up (WORKER_EXIT_SANDBOX, "sandbox", &err);
}

static void
say_hello (const struct sandbox_plan *plan)
{
  CLEANUP_BUF struct buf text = { 0 };
  struct json_writer w = { .out = &text };

  jsonw_object (&w);
  jsonw_name_string (&w, "build", TOOLHOST_BUILD_ID);
  jsonw_name (&w, "guarantees");
  guarantees_tell (plan, &w);
  jsonw_end (&w);
  control_text (FRAME_HELLO, text.data, text.len);
}

static bool
build (const struct hello *hello, struct crew *crew, struct plugin *plugin, struct error *err)
{
  struct tool_call *call = building_begin (crew, hello->build_ms);
  bool good = plugin_build (plugin, &crew->host, hello->feature, hello->feature_config,
                            hello->feature_config_len, call, err);

  building_end (crew);
  return good;
}

static void
load (const struct hello *hello, const char *path, struct crew *crew, struct plugin *plugin)
{
  toolhost_plugin_entry_fn entry;
  struct error err = { { 0 } };

  crew->host.call_service = hello->call_service;
  crew->secrets = hello->secrets;
  if (!load_entry (path, hello->plugin, &entry, &err)
      || !plugin_start (plugin, entry, &crew->host, hello->plugin, hello->config, hello->config_len,
                        &err)
      || (hello->feature != NULL && !build (hello, crew, plugin, &err)))
    give_up (WORKER_EXIT_LOAD, "load", &err);
  crash_loaded (); /* before there is another thread that may crash */
  if (!crew_start (crew, plugin, hello->threads, &err))
    give_up (WORKER_EXIT_LOAD, "load", &err);
}

static void
describe (const struct plugin *plugin)
{
  CLEANUP_BUF struct buf text = { 0 };
  struct json_writer w = { .out = &text };

  plugin_describe (plugin, &w);
  control_text (FRAME_DESCRIBE, text.data, text.len);
}

/* glibc reserves 64 MiB of address space for each arena, and address space is what is limited. */
static void
spare_address_space (uint64_t memory)
{
  const uint64_t per_arena = 256 << 20;
  uint64_t arenas = memory / per_arena;

  (void) mallopt (M_ARENA_MAX, arenas < 1 ? 1 : arenas > 64 ? 64 : (int) arenas);
}

/* Become the program: that the control socket is closed by it tells the daemon that it runs. */
static void __attribute__ ((noreturn)) run_program (struct hello *hello)
{
  const struct hello_program *program = &hello->program;
  struct error err = { { 0 } };

  (void) close_range (STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  close_sandbox (&hello->sandbox);
  (void) signal (SIGXFSZ, SIG_DFL);
  (void) signal (SIGPIPE, SIG_DFL);
  (void) !chdir ("/tmp");
  (void) execve (program->command[0], (char *const *) program->command,
                 (char *const *) program->env);
  error_set (&err, "cannot run %s: %s", program->command[0], strerror (errno));
  give_up (WORKER_EXIT_LOAD, "program", &err);
}

static void __attribute__ ((noreturn)) run_worker (struct hello *hello)
{
  char path[96];
  struct segments segments;
  struct outbox box;
  struct crew crew;
  struct plugin plugin;
  struct error err = { { 0 } };

  if (hello->sandbox.namespaces)
    (void) snprintf (path, sizeof path, "/plugin/%s.so", hello->plugin);
  else
    (void) snprintf (path, sizeof path, "%s", SANDBOX_PLUGIN_FD);
  (void) setvbuf (stdout, NULL, _IOLBF, 0);
  spare_address_space (hello->sandbox.address_space != 0 ? hello->sandbox.address_space
                                                         : hello->sandbox.memory);
  if (!segments_map (&segments, &err))
    give_up (WORKER_EXIT_SANDBOX, "sandbox", &err);
  outbox_init (&box, &segments);
  (void) close_range (STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC); /* no program's business */
  close_sandbox (&hello->sandbox);
  say_hello (&hello->sandbox);
  crash_install (&box, path);
  if (!crew_init (&crew, &box, &segments, hello->result_max, &err))
    give_up (WORKER_EXIT_LOAD, "load", &err);
  load (hello, path, &crew, &plugin);
  describe (&plugin);
  serve (&crew);
  outbox_flush (&box); /* the last results may still wait there */
  plugin_stop (&plugin);
  (void) fflush (NULL);
  _exit (WORKER_EXIT_OK); /* destructors may hang or crash, and nothing is left to save */
}

int
main (int argc, char **argv)
{
  struct arena arena = { 0 };
  struct hello hello;
  struct error err = { { 0 } };
  const pid_t init = getpid ();
  pid_t worker;

  if (argc != 1 || !has_control_socket ())
    return options (argc, argv);
  read_hello (&hello, &arena);
  change_root (&hello.sandbox);
  worker = fork ();
  if (worker < 0) {
    error_set (&err, "cannot fork: %s", strerror (errno));
    give_up_early (WORKER_EXIT_SANDBOX, "sandbox", &err);
  }
  if (worker != 0)
    init_run (worker);
  (void) close (FD_STATUS);
  sandbox_parent (&hello.sandbox, init);
  if (hello.program.command != NULL)
    run_program (&hello);
  run_worker (&hello);
}
