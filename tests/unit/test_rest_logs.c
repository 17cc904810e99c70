/* GET /v1/logs: the last lines, and following them. */
#include <fcntl.h>
#include <unistd.h>

#include "fake_calls.h"
#include "fake_http.h"
#include "front/rest/logs.h"
#include "front/rest/rest.h"
#include "tap.h"
#include "watch/log.h"

static struct fake_env fake;
static struct rest *rest;
static int sink;

static void
open_all (void)
{
  fake_env_init (&fake);
  sink = open ("/dev/null", O_WRONLY | O_CLOEXEC);
  fake.env.log = log_new (sink, LOG_DEBUG);
  rest = rest_new (&fake.env);
}

static void
close_all (void)
{
  rest_free (rest);
  log_free (fake.env.log);
  (void) close (sink);
  fake_env_free (&fake);
}

static void
say (enum log_level level, const char *event, const char *tool, const char *tenant)
{
  log_event (fake.env.log, level, event, "tool", tool, "tenant", tenant, NULL);
}

static void
ask (struct fake_answer *a, const struct front_peer *peer, const char *query)
{
  char path[256];

  (void) snprintf (path, sizeof path, "/v1/logs%s", query);
  fake_http_request (a, peer, "GET", path, "", NULL);
  rest_handle (rest, a->x);
}

/* What has become of the loop's work, without waiting. */
static void
turn (void)
{
  (void) ev_run (fake.env.loop, EVRUN_NOWAIT);
}

static size_t
times (struct fake_answer *a, const char *part)
{
  size_t n = 0;

  for (const char *at = fake_http_body (a); (at = strstr (at, part)) != NULL; at += strlen (part))
    n++;
  return n;
}

/* The answer to a query has so many lines, the last of them with this. */
static void
expect (const char *query, size_t lines, const char *part)
{
  struct fake_answer a;

  ask (&a, &fake_manager, query);
  CU_ASSERT_EQUAL (a.status, 200);
  CU_ASSERT_EQUAL (times (&a, "\"event\":"), lines);
  if (times (&a, "\"event\":") != lines || strstr (fake_http_body (&a), part) == NULL)
    printf ("# %s: %s\n", query, fake_http_body (&a));
  CU_ASSERT_PTR_NOT_NULL (strstr (fake_http_body (&a), part));
  fake_answer_free (&a);
}

static void
the_last_lines_are_shown (void)
{
  for (int i = 0; i < 30; i++)
    say (LOG_INFO, i % 3 != 0 ? "one" : "other", i % 2 != 0 ? "odd" : "even",
         i == 29 ? "acme" : NULL);
  say (LOG_ERROR, "bad", NULL, NULL);
  expect ("", 20, "\"bad\"}]}");
  expect ("?last=0", 0, "{\"lines\":[]}");
  expect ("?last=3", 3, "\"bad\"}]}");
  expect ("?last=1000", 31, "\"bad\"}]}");
  expect ("?level=warning", 1, "\"bad\"}]}");
  expect ("?event=other&last=100", 10, "\"event\":\"other\"");
  expect ("?event=other&tool=odd&last=100", 5, "\"tool\":\"odd\"");
  expect ("?event=other&tool=odd&last=2", 2, "\"tool\":\"odd\"");
  expect ("?tenant=acme", 1, "\"tenant\":\"acme\"}]}");
  expect ("?tenant=default", 0, "[]");
  log_event (fake.env.log, LOG_INFO, "call_of_default", "call", "c1", NULL);
  expect ("?tenant=default", 1, "\"call_of_default\"");
}

static void
refused (const struct front_peer *peer, const char *query, int status, const char *part)
{
  struct fake_answer a;

  ask (&a, peer, query);
  CU_ASSERT_EQUAL (a.status, status);
  CU_ASSERT_PTR_NOT_NULL (strstr (fake_http_body (&a), part));
  fake_answer_free (&a);
}

static void
only_who_manages_reads_it (void)
{
  refused (&fake_anonymous, "", 403, "\"not_allowed\"");
  refused (&fake_manager, "?last=-1", 400, "\"bad_parameter\"");
  refused (&fake_manager, "?last=many", 400, "\"bad_parameter\"");
  refused (&fake_manager, "?level=loud", 400, "\"bad_parameter\"");
  refused (&fake_manager, "?follow=1", 400, "\"bad_parameter\"");
  refused (&fake_manager, "?tol=echo", 400, "\"bad_parameter\"");
}

static void
who_follows_is_told_what_comes (void)
{
  struct fake_answer a, b;

  say (LOG_INFO, "before", NULL, NULL);
  ask (&a, &fake_manager, "?follow=true&last=1");
  CU_ASSERT_TRUE (a.streaming);
  CU_ASSERT_STRING_EQUAL (a.type, "text/event-stream");
  ask (&b, &fake_manager, "?follow=true&last=0&level=warning");
  turn ();
  CU_ASSERT_EQUAL (times (&a, "\"before\""), 1);
  CU_ASSERT_EQUAL (times (&a, "\"log_followed\",\"principal\":\"uid:0\""), 2);
  say (LOG_INFO, "during", "echo", NULL);
  say (LOG_WARNING, "worse", "echo", NULL);
  turn ();
  CU_ASSERT_EQUAL (times (&a, "\"during\""), 1);
  CU_ASSERT_EQUAL (times (&a, "\"worse\""), 1);
  CU_ASSERT_EQUAL (times (&b, "data: "), 1);
  CU_ASSERT_EQUAL (times (&b, "\"worse\""), 1);
  fake_http_lose (&a);
  say (LOG_WARNING, "after", NULL, NULL);
  rest_drain (rest);
  CU_ASSERT_TRUE (fake_http_ended (&b));
  CU_ASSERT_EQUAL (times (&b, "\"after\""), 1);
  fake_answer_free (&a);
  fake_answer_free (&b);
}

/* The peer takes nothing: its lines wait in the ring, and are overwritten there. */
static void
who_reads_too_slowly_is_told_how_many_lines_it_missed (void)
{
  unsigned long long missed = 0;
  struct fake_answer a;
  char value[1000];
  const char *at;

  memset (value, 'x', sizeof value - 1);
  value[sizeof value - 1] = '\0';
  ask (&a, &fake_manager, "?follow=true&last=0&event=much");
  a.backlog = 1024 * 1024;
  for (int i = 0; i < 2000; i++)
    log_event (fake.env.log, LOG_INFO, "much", "v", value, NULL);
  turn ();
  CU_ASSERT_EQUAL (times (&a, "much"), 0);
  a.backlog = 0;
  say (LOG_INFO, "much", "last", NULL);
  for (int i = 0; i < 20; i++)
    turn ();
  at = strstr (fake_http_body (&a), "event: missed\ndata: {\"lines\":");
  CU_ASSERT_PTR_NOT_NULL_FATAL (at);
  CU_ASSERT_EQUAL (sscanf (strchr (at, '{'), "{\"lines\":%llu}", &missed), 1);
  CU_ASSERT_EQUAL (missed + times (&a, "\"event\":\"much\""), 2001);
  CU_ASSERT_EQUAL (times (&a, "event: missed"), 1);
  CU_ASSERT_PTR_NOT_NULL (strstr (fake_http_body (&a), "\"tool\":\"last\""));
  fake_http_lose (&a);
  fake_answer_free (&a);
}

static void
only_so_many_follow (void)
{
  struct fake_answer all[LOG_FOLLOWERS_MAX];

  for (int i = 0; i < LOG_FOLLOWERS_MAX; i++) {
    ask (&all[i], &fake_manager, "?follow=true");
    CU_ASSERT_TRUE (all[i].streaming);
  }
  refused (&fake_manager, "?follow=true", 429, "\"too_many_followers\"");
  fake_http_lose (&all[0]);
  fake_answer_free (&all[0]);
  ask (&all[0], &fake_manager, "?follow=true");
  CU_ASSERT_TRUE (all[0].streaming);
  rest_drain (rest);
  for (int i = 0; i < LOG_FOLLOWERS_MAX; i++)
    fake_answer_free (&all[i]);
}

/* Writing may lose the peer in the middle of it. */
static void
a_follower_that_breaks_disturbs_nobody (void)
{
  struct fake_answer a, b;

  ask (&a, &fake_manager, "?follow=true&last=0");
  ask (&b, &fake_manager, "?follow=true&last=0");
  fake_http_lose (&a);
  say (LOG_INFO, "line", NULL, NULL);
  turn ();
  CU_ASSERT_EQUAL (times (&b, "\"line\""), 1);
  fake_http_lose (&b);
  say (LOG_INFO, "line", NULL, NULL);
  turn ();
  fake_answer_free (&a);
  fake_answer_free (&b);
}

static CU_TestInfo tests[] = {
  { "the last lines are shown", the_last_lines_are_shown },
  { "only who manages reads it", only_who_manages_reads_it },
  { "who follows is told what comes", who_follows_is_told_what_comes },
  { "who reads too slowly is told how many lines it missed",
    who_reads_too_slowly_is_told_how_many_lines_it_missed },
  { "only so many follow", only_so_many_follow },
  { "a follower that breaks disturbs nobody", a_follower_that_breaks_disturbs_nobody },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "rest_logs", NULL, NULL, open_all, close_all, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
