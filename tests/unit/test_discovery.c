/* Which plugins there are, and when they count: folders that change while they are watched. */
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "catalog/discovery.h"
#include "place.h"
#include "tap.h"

/* What was heard, as words: "+a" found, "-a" gone, "!a" refused. */
struct ears {
  struct ev_loop *loop;
  struct discovery *discovery;
  struct buf heard;
  off_t size; /* of the last file that was found */
};

static void
on_found (void *ctx, const char *name, const char *path, const struct source *source)
{
  struct ears *ears = ctx;
  struct stat st;

  (void) path;
  buf_printf (&ears->heard, "+%s ", name);
  ears->size = fstat (source->fd, &st) == 0 ? st.st_size : -1;
  (void) close (source->fd);
}

static void
on_gone (void *ctx, const char *name)
{
  buf_printf (&((struct ears *) ctx)->heard, "-%s ", name);
}

static void
on_refused (void *ctx, const char *name, const char *path, const char *why)
{
  (void) path;
  (void) why;
  buf_printf (&((struct ears *) ctx)->heard, "!%s ", name);
}

static void
on_scanned (void *ctx)
{
  (void) ctx;
}

static void
listen_to (struct ears *ears, const struct place *p)
{
  static const struct discovery_events events = {
    .found = on_found, .gone = on_gone, .refused = on_refused, .scanned = on_scanned
  };
  struct error err = { 0 };

  *ears = (struct ears){ .loop = ev_loop_new (EVFLAG_AUTO) };
  ears->discovery = discovery_new (ears->loop, &events, ears);
  CU_ASSERT_TRUE (discovery_add (ears->discovery, p->path, true, &err));
  discovery_start (ears->discovery);
}

static void
on_time (struct ev_loop *loop, ev_timer *timer, int revents)
{
  (void) timer;
  (void) revents;
  ev_break (loop, EVBREAK_ALL);
}

static void
run_for (struct ears *ears, double seconds)
{
  ev_timer timer;

  ev_timer_init (&timer, on_time, seconds, 0);
  ev_now_update (ears->loop);
  ev_timer_start (ears->loop, &timer);
  ev_run (ears->loop, 0);
  ev_timer_stop (ears->loop, &timer);
}

/* Wait until as much as this was heard, and see that it was this. */
static bool
hears (struct ears *ears, const char *words)
{
  for (int i = 0; i < 500 && ears->heard.len < strlen (words); i++)
    run_for (ears, 0.02);
  bool right = strcmp (buf_cstr (&ears->heard), words) == 0;
  if (!right)
    printf ("# expected \"%s\", heard \"%s\"\n", words, buf_cstr (&ears->heard));
  ears->heard.len = 0;
  return right;
}

static void
stop_listening (struct ears *ears)
{
  discovery_free (ears->discovery);
  buf_free (&ears->heard);
  ev_loop_destroy (ears->loop);
}

static void
what_is_there_is_found_at_once (void)
{
  struct place p;
  struct ears ears;

  place_open (&p);
  place_append (&p, "b.so", "x", 1);
  place_append (&p, "a.so", "x", 1);
  place_append (&p, "open.so", "x", 1);
  place_append (&p, "notes.txt", "x", 1);
  place_append (&p, ".c.so", "x", 1);
  CU_ASSERT_EQUAL (fchmodat (p.fd, "open.so", 0666, 0), 0);
  place_folder (&p);
  place_append (&p, "t.so", "x", 1); /* the folder of the same name comes before it */
  listen_to (&ears, &p);
  CU_ASSERT_TRUE (hears (&ears, "+a +b !open +t "));
  stop_listening (&ears);
  place_close (&p);
}

static void
a_file_is_found_when_it_is_whole (void)
{
  struct place p;
  struct ears ears;

  place_open (&p);
  place_append (&p, "other.so", "x", 1);
  listen_to (&ears, &p);
  CU_ASSERT_TRUE (hears (&ears, "+other "));
  int fd = openat (p.fd, "slow.so", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  run_for (&ears, 0.3); /* longer than a closed file takes to settle */
  for (int i = 0; i < 4; i++) {
    CU_ASSERT_EQUAL (write (fd, "piece", 5), 5);
    run_for (&ears, 0.25);
  }
  place_append (&p, "other.so", "more", 4); /* looked at meanwhile */
  CU_ASSERT_TRUE (hears (&ears, "+other "));
  CU_ASSERT_EQUAL (write (fd, "end", 3), 3);
  (void) close (fd);
  CU_ASSERT_TRUE (hears (&ears, "+slow "));
  CU_ASSERT_EQUAL (ears.size, 23);
  run_for (&ears, 0.4);
  CU_ASSERT_TRUE (hears (&ears, "")); /* once */
  stop_listening (&ears);
  place_close (&p);
}

static void
changes_of_files (void)
{
  struct place p, away;
  struct ears ears;
  char path[128];

  place_open (&p);
  place_open (&away);
  place_append (&p, "a.so", "x", 1);
  place_append (&away, "new", "yy", 2);
  place_append (&away, "linked", "zzz", 3);
  listen_to (&ears, &p);
  CU_ASSERT_TRUE (hears (&ears, "+a "));
  CU_ASSERT_EQUAL (renameat (away.fd, "new", p.fd, "a.so"), 0);
  CU_ASSERT_TRUE (hears (&ears, "+a "));
  CU_ASSERT_EQUAL (linkat (away.fd, "linked", p.fd, "b.so", 0), 0);
  CU_ASSERT_TRUE (hears (&ears, "+b "));
  (void) snprintf (path, sizeof path, "%s/linked", away.path);
  CU_ASSERT_EQUAL (symlinkat (path, p.fd, "c.so"), 0);
  CU_ASSERT_TRUE (hears (&ears, "+c "));
  CU_ASSERT_EQUAL (fchmodat (p.fd, "a.so", 0666, 0), 0);
  CU_ASSERT_TRUE (hears (&ears, "!a "));
  CU_ASSERT_EQUAL (fchmodat (p.fd, "a.so", 0644, 0), 0);
  CU_ASSERT_TRUE (hears (&ears, "+a "));
  CU_ASSERT_EQUAL (unlinkat (p.fd, "a.so", 0), 0);
  CU_ASSERT_TRUE (hears (&ears, "-a "));
  stop_listening (&ears);
  place_close (&p);
  place_close (&away);
}

static void
changes_of_folders (void)
{
  struct place p, away;
  struct ears ears;

  place_open (&p);
  place_open (&away);
  listen_to (&ears, &p);
  place_folder (&p); /* step by step */
  CU_ASSERT_TRUE (hears (&ears, "+t "));
  place_append (&p, "t.plugin/lib/libx.so.1", "more", 4);
  CU_ASSERT_TRUE (hears (&ears, "+t "));
  CU_ASSERT_EQUAL (mkdirat (p.fd, "t.plugin/skills", 0755), 0);
  place_append (&p, "t.plugin/skills/one.md", "text", 4);
  CU_ASSERT_TRUE (hears (&ears, "+t "));
  place_append (&p, "t.plugin/skills/one.md", "text", 4); /* in a folder that came later */
  CU_ASSERT_TRUE (hears (&ears, "+t "));
  CU_ASSERT_EQUAL (unlinkat (p.fd, "t.plugin/lib/libx.so", 0), 0);
  CU_ASSERT_TRUE (hears (&ears, "+t "));
  CU_ASSERT_EQUAL (renameat (p.fd, "t.plugin/t.so", away.fd, "t.so"), 0);
  CU_ASSERT_TRUE (hears (&ears, "!t "));
  CU_ASSERT_EQUAL (renameat (away.fd, "t.so", p.fd, "t.plugin/t.so"), 0);
  CU_ASSERT_TRUE (hears (&ears, "+t "));
  CU_ASSERT_EQUAL (renameat (p.fd, "t.plugin", away.fd, "t.plugin"), 0);
  CU_ASSERT_TRUE (hears (&ears, "-t "));
  place_append (&away, "t.plugin/notes.txt", "x", 1);
  CU_ASSERT_EQUAL (renameat (away.fd, "t.plugin", p.fd, "t.plugin"), 0);
  CU_ASSERT_TRUE (hears (&ears, "+t "));
  place_append (&p, "t.plugin/notes.txt", "x", 1);
  CU_ASSERT_TRUE (hears (&ears, "+t "));
  stop_listening (&ears);
  place_close (&p);
  place_close (&away);
}

/* No descriptor is left for anybody, or there are again as many as before. */
static void
starve (bool starve)
{
  static struct rlimit before;
  struct rlimit now;

  if (starve) {
    CU_ASSERT_EQUAL (getrlimit (RLIMIT_NOFILE, &before), 0);
    now = before;
    now.rlim_cur = 0;
    CU_ASSERT_EQUAL (setrlimit (RLIMIT_NOFILE, &now), 0);
  }
  else
    CU_ASSERT_EQUAL (setrlimit (RLIMIT_NOFILE, &before), 0);
}

static void
without_descriptors_all_stays_as_it_is (void)
{
  struct place p, away;
  struct ears ears;

  place_open (&p);
  place_open (&away);
  place_append (&p, "a.so", "x", 1);
  place_folder (&p);
  listen_to (&ears, &p);
  CU_ASSERT_TRUE (hears (&ears, "+a +t "));
  starve (true);
  discovery_scan (ears.discovery);
  CU_ASSERT_EQUAL (unlinkat (p.fd, "a.so", 0), 0);
  discovery_scan (ears.discovery);
  CU_ASSERT_EQUAL (ears.heard.len, 0);
  starve (false);
  CU_ASSERT_TRUE (hears (&ears, "-a "));
  stop_listening (&ears);
  place_close (&p);
  place_close (&away);
}

static CU_TestInfo tests[] = {
  { "what is there is found at once", what_is_there_is_found_at_once },
  { "a file is found when it is whole", a_file_is_found_when_it_is_whole },
  { "changes of files", changes_of_files },
  { "changes of folders", changes_of_folders },
  { "without descriptors all stays as it is", without_descriptors_all_stays_as_it_is },
  CU_TEST_INFO_NULL
};

static CU_SuiteInfo suites[] = { { "discovery", NULL, NULL, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };

TAP_MAIN (suites)
