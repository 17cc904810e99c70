/* Who is welcome, and what happens when nobody can be accepted. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>

#include "front/http/http.h"
#include "front/http/server.h"

#include "tap.h"

/* ---- the crowd ---- */

static struct crowd_key
key_of (const char *address)
{
  struct sockaddr_storage at = { 0 };

  if (inet_pton (AF_INET, address, &((struct sockaddr_in *) (void *) &at)->sin_addr) == 1)
    at.ss_family = AF_INET;
  else if (inet_pton (AF_INET6, address, &((struct sockaddr_in6 *) (void *) &at)->sin6_addr) == 1)
    at.ss_family = AF_INET6;
  return crowd_key_address (&at);
}

static void
names (void)
{
  static const char *const rows[][2] = {
    { "127.0.0.1", "127.0.0.1" },
    { "::ffff:10.1.2.3", "10.1.2.3" },
    { "2001:db8::1:2", "2001:db8::/64" },
    { "2001:db8:0:0:ffff::9", "2001:db8::/64" },
    { "2001:db8:0:1::", "2001:db8:0:1::/64" },
    { "nowhere", "unknown" },
  };
  struct crowd_key user = crowd_key_user (4294967294U);
  char name[CROWD_NAME_MAX];

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct crowd_key key = key_of (rows[i][0]);
    crowd_key_name (&key, name);
    CU_ASSERT_STRING_EQUAL (name, rows[i][1]);
  }
  crowd_key_name (&user, name);
  CU_ASSERT_STRING_EQUAL (name, "uid:4294967294");
}

static void
caps (void)
{
  struct crowd_key a = key_of ("10.0.0.1"), b = crowd_key_user (1000), c = crowd_key_user (1001);
  struct crowd_peer *seats[3], *none;
  struct crowd crowd;

  crowd_init (&crowd, 3, 2);
  CU_ASSERT_EQUAL (crowd_enter (&crowd, &a, &seats[0]), CROWD_WELCOME);
  CU_ASSERT_EQUAL (crowd_enter (&crowd, &a, &seats[1]), CROWD_WELCOME);
  CU_ASSERT_EQUAL (crowd_enter (&crowd, &a, &none), CROWD_PEER_FULL);
  CU_ASSERT_PTR_NULL (none);
  CU_ASSERT_EQUAL (crowd_enter (&crowd, &b, &seats[2]), CROWD_WELCOME);
  CU_ASSERT_EQUAL (crowd_enter (&crowd, &c, &none), CROWD_FULL);
  CU_ASSERT_PTR_NULL (none);
  crowd_leave (&crowd, none);
  CU_ASSERT_EQUAL (crowd.members, 3);

  crowd_leave (&crowd, seats[0]);
  CU_ASSERT_EQUAL (crowd_enter (&crowd, &a, &seats[0]), CROWD_WELCOME);
  for (int i = 0; i < 3; i++)
    crowd_leave (&crowd, seats[i]);
  CU_ASSERT_EQUAL (crowd.members, 0);
  CU_ASSERT_PTR_NULL (crowd.peers);
}

/* ---- accepting ---- */

/* What accept says next; 0: a connection, whose other end is `caller`. */
struct script {
  int errors[8];
  unsigned length, calls;
  bool reserve_was_free; /* in the last call */
  int caller;
  struct http_server *server;
};
static struct script script;

static int
scripted_accept (int listener, struct sockaddr_storage *address)
{
  int ends[2];

  (void) listener;
  errno = script.calls < script.length ? script.errors[script.calls] : EAGAIN;
  script.calls++;
  script.reserve_was_free = script.server->reserve < 0;
  if (errno != 0)
    return -1;
  CU_ASSERT_FATAL (socketpair (AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0);
  script.caller = ends[1];
  address->ss_family = AF_UNIX;
  return ends[0];
}

static void
never (void *ctx, struct http_exchange *x)
{
  (void) ctx;
  (void) x;
  CU_FAIL ("nothing was asked");
}

struct bed {
  struct front_env env;
  struct http_server *server;
  int pipe[2];
};

/* The listener is a pipe with a byte in it: readable for as long as it is watched. */
static struct listener *
bed_open (struct bed *bed, const int *errors, unsigned length)
{
  *bed = (struct bed){ .env.loop = ev_loop_new (EVFLAG_AUTO) };
  CU_ASSERT_FATAL (pipe2 (bed->pipe, O_NONBLOCK | O_CLOEXEC) == 0
                   && write (bed->pipe[1], "x", 1) == 1);
  bed->server = http_server_new (&bed->env, &http_default_limits, never, NULL);
  bed->server->accept = scripted_accept;
  http_server_listen (bed->server, bed->pipe[0]);
  script = (struct script){ .length = length, .caller = -1, .server = bed->server };
  memcpy (script.errors, errors, length * sizeof *errors);
  return LIST_FIRST (&bed->server->listeners);
}

static void
bed_close (struct bed *bed)
{
  http_server_free (bed->server);
  ev_loop_destroy (bed->env.loop);
  (void) close (bed->pipe[1]);
  if (script.caller >= 0)
    (void) close (script.caller);
}

static void
told_with_reserve (void)
{
  char answer[1024] = "";
  struct bed bed;
  struct listener *l = bed_open (&bed, (int[]){ EMFILE, 0 }, 2);

  ev_run (bed.env.loop, EVRUN_NOWAIT);
  CU_ASSERT_EQUAL (script.calls, 2);
  CU_ASSERT (script.reserve_was_free);
  CU_ASSERT (bed.server->reserve >= 0);
  CU_ASSERT (recv (script.caller, answer, sizeof answer - 1, 0) > 0);
  CU_ASSERT_PTR_NOT_NULL (strstr (answer, "HTTP/1.1 503 "));
  CU_ASSERT_PTR_NOT_NULL (strstr (answer, "Retry-After: 1\r\n"));
  CU_ASSERT_PTR_NOT_NULL (strstr (answer, "too_many_connections"));
  CU_ASSERT_EQUAL (recv (script.caller, answer, sizeof answer, 0), 0);
  CU_ASSERT (ev_is_active (&l->pause) && !ev_is_active (&l->io));
  CU_ASSERT_EQUAL (bed.server->away[AWAY_DESCRIPTORS].total, 1);
  CU_ASSERT_EQUAL (bed.server->crowd->members, 0);
  bed_close (&bed);
}

/* Without memory nobody can be told; paused, accept is not called however often the loop turns. */
static void
pauses (void)
{
  static const int errors[] = { ENOMEM, ENOBUFS, ENFILE };
  struct bed bed;

  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
    struct listener *l = bed_open (&bed, &errors[i], 1);
    unsigned calls = errors[i] == ENFILE ? 2 : 1;
    ev_run (bed.env.loop, EVRUN_NOWAIT);
    CU_ASSERT_EQUAL (script.calls, calls);
    CU_ASSERT_EQUAL (script.reserve_was_free, errors[i] == ENFILE);
    CU_ASSERT_EQUAL (bed.server->paused, 1);
    CU_ASSERT (!ev_is_active (&l->io));
    CU_ASSERT (ev_timer_remaining (bed.env.loop, &l->pause) <= 0.2);
    ev_feed_event (bed.env.loop, &l->pause, EV_TIMER);
    ev_invoke_pending (bed.env.loop);
    CU_ASSERT_EQUAL (bed.server->paused, 0);
    CU_ASSERT (ev_is_active (&l->io));
    bed_close (&bed);
  }
}

static void
resumes_when_one_leaves (void)
{
  struct bed bed;
  struct listener *l = bed_open (&bed, (int[]){ 0, EMFILE }, 2);

  ev_run (bed.env.loop, EVRUN_NOWAIT);
  CU_ASSERT_EQUAL (bed.server->crowd->members, 1);
  CU_ASSERT (ev_is_active (&l->pause));
  CU_ASSERT_EQUAL (bed.server->away[AWAY_FAILED].total, 1);
  conn_lose (conn_of (TAILQ_FIRST (&bed.server->waits.queues[WAIT_HEAD])));
  CU_ASSERT_EQUAL (bed.server->crowd->members, 0);
  CU_ASSERT (!ev_is_active (&l->pause) && ev_is_active (&l->io));
  bed_close (&bed);
}

static void
trouble_of_one (void)
{
  struct bed bed;
  struct listener *l = bed_open (&bed, (int[]){ ECONNABORTED, EINTR, EPROTO, 0 }, 4);

  ev_run (bed.env.loop, EVRUN_NOWAIT);
  CU_ASSERT_EQUAL (script.calls, 5);
  CU_ASSERT_EQUAL (bed.server->crowd->members, 1);
  CU_ASSERT (ev_is_active (&l->io));
  bed_close (&bed);
}

static CU_TestInfo tests[] = {
  { "names of peers", names },
  { "caps", caps },
  { "told with the reserve", told_with_reserve },
  { "pauses", pauses },
  { "resumes when one leaves", resumes_when_one_leaves },
  { "trouble of one connection", trouble_of_one },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = {
  { "http_accept", NULL, NULL, NULL, NULL, tests },
  CU_SUITE_INFO_NULL,
};

TAP_MAIN (suites)
