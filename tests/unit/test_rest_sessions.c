#include "fake_calls.h"
#include "fake_http.h"
#include "front/rest/rest.h"
#include "session/session.h"
#include "tap.h"

#define JSON_TYPE "content-type: application/json\n"

struct fixture {
  struct fake_env fake;
  struct rest *rest;
  char path[96]; /* of a session */
};

static double
no_time (void *ctx)
{
  (void) ctx;
  return 0;
}

static struct toolset *
toolset_of (void *ctx, const char *tenant)
{
  (void) tenant;
  return catalog_toolset (((struct fake_env *) ctx)->env.catalog);
}

static void
ask (struct fixture *f, struct fake_answer *a, const char *method, const char *path,
     const char *headers, const char *body)
{
  fake_http_request (a, &fake_anonymous, method, path, headers, body);
  rest_handle (f->rest, a->x);
}

/* An answer that comes at once. */
static void
check (struct fixture *f, const char *method, const char *path, const char *body, int status,
       const char *part)
{
  struct fake_answer a;

  ask (f, &a, method, path, JSON_TYPE, body);
  if (!fake_http_ended (&a) || a.status != status || strstr (fake_http_body (&a), part) == NULL) {
    printf ("# %s %s %s: %d %s\n", method, path, body != NULL ? body : "", a.status,
            fake_http_body (&a));
    CU_FAIL ("an answer");
  }
  fake_answer_free (&a);
}

static void
setup (struct fixture *f)
{
  struct sessions_settings settings = sessions_defaults;
  struct fake_answer a;

  *f = (struct fixture){ .rest = NULL };
  fake_env_init (&f->fake);
  settings.calls = f->fake.env.calls;
  settings.now = no_time;
  settings.toolset = toolset_of;
  settings.ctx = &f->fake;
  settings.events_room = 1024;
  settings.calls_max = 4;
  settings.answers_room = 0;
  f->fake.env.sessions = sessions_new (&settings);
  f->rest = rest_new (&f->fake.env);
  ask (f, &a, "POST", "/v1/sessions", "", NULL);
  CU_ASSERT_EQUAL_FATAL (a.status, 201);
  CU_ASSERT_PTR_NOT_NULL_FATAL (strstr (a.headers, "Location: /v1/sessions/ses_"));
  sscanf (strstr (a.headers, "/v1/"), "%80s", f->path);
  fake_answer_free (&a);
}

static void
teardown (struct fixture *f)
{
  rest_free (f->rest);
  sessions_free (f->fake.env.sessions);
  fake_env_free (&f->fake);
}

static const char *
below (struct fixture *f, const char *rest)
{
  static char path[128];

  snprintf (path, sizeof path, "%s%s", f->path, rest);
  return path;
}

/* A call in the session. */
static void
call (struct fixture *f, struct fake_answer *a, const char *tool, const char *more)
{
  char path[64], body[256];

  snprintf (path, sizeof path, "/v1/tools/%s/call", tool);
  snprintf (body, sizeof body, "{\"session_id\":\"%s\"%s}", strrchr (f->path, '/') + 1, more);
  ask (f, a, "POST", path, JSON_TYPE, body);
}

static void
test_refusals (void)
{
  struct fixture f;

  setup (&f);
  check (&f, "POST", "/v1/sessions", "[]", 400, "expected an object\",\"path\":\"\"");
  check (&f, "POST", "/v1/sessions", "{", 400, "\"bad_json\"");
  check (&f, "POST", "/v1/sessions", "{\"ttl_m\":1}", 400, "did you mean \\\"ttl_ms\\\"?");
  check (&f, "POST", "/v1/sessions", "{\"ttl_ms\":0}", 400, "\"path\":\"/ttl_ms\"");
  check (&f, "POST", "/v1/sessions", "{\"call_id\":\"\"}", 400, "\"path\":\"/call_id\"");
  check (&f, "POST", "/v1/sessions", "{\"context\":[]}", 400, "\"path\":\"/context\"");
  check (&f, "POST", "/v1/sessions", "{\"context\":{\"flags\":{}}}", 400, "\"/context/flags\"");
  check (&f, "POST", "/v1/sessions", "{\"context\":{\"user\":1}}", 400, "\"/context/user\"");
  check (&f, "GET", "/v1/sessions/ses_0", NULL, 404, "\"session_not_found\"");
  check (&f, "GET", "/v1/sessions/ses_0/events", NULL, 404, "\"session_not_found\"");
  check (&f, "PUT", f.path, "{}", 405, "\"method_not_allowed\"");
  check (&f, "POST", below (&f, "/events"), "[]", 400, "\"bad_event\"");
  check (&f, "POST", below (&f, "/events"), "{\"type\":\"\"}", 400, "\"path\":\"/type\"");
  check (&f, "POST", below (&f, "/interrupt"), "{\"response_id\":\"\"}", 400, "/response_id");
  check (&f, "POST", below (&f, "/interrupt"), "[null]", 400, "expected an object\",\"path\":\"\"");
  check (&f, "GET", below (&f, "/events?after=-1"), NULL, 400,
         "after: expected a number from 0 to");
  check (&f, "GET", below (&f, "/events?after=1"), NULL, 400, "there is no event 1 yet");
  check (&f, "POST", below (&f, "/events"), "{\"type\":\"end\"}", 204, "");
  check (&f, "GET", f.path, NULL, 404, "\"session_not_found\"");
  teardown (&f);
}

static void
test_stream (void)
{
  struct fake_answer events, lost, late;
  struct fixture f;

  setup (&f);
  ask (&f, &events, "GET", below (&f, "/events"), "", NULL);
  ask (&f, &lost, "GET", below (&f, "/events"), "", NULL);
  CU_ASSERT (events.streaming && lost.streaming);
  fake_http_choke (&lost); /* the next event loses it */
  check (&f, "POST", below (&f, "/events"),
         "{\"type\":\"tool_call\",\"call_id\":\"c\",\"name\":\"echo\",\"arguments\":{}}", 202,
         "{\"events\":2}");
  CU_ASSERT_TRUE (lost.lost);
  CU_ASSERT_PTR_NOT_NULL (
    strstr (fake_http_body (&events), "id: 1\ndata: {\"type\":\"tool_call_started\""));
  CU_ASSERT_PTR_NOT_NULL (
    strstr (fake_http_body (&events), "id: 2\ndata: {\"type\":\"tool_call_output\""));
  ask (&f, &late, "GET", below (&f, "/events"), "last-event-id: 1\n", NULL);
  CU_ASSERT_PTR_NULL (strstr (fake_http_body (&late), "id: 1\n"));
  CU_ASSERT_PTR_NOT_NULL (strstr (fake_http_body (&late), "id: 2\n"));
  fake_http_lose (&late);
  check (&f, "DELETE", f.path, NULL, 204, "");
  CU_ASSERT_TRUE (fake_http_ended (&events));
  CU_ASSERT_PTR_NOT_NULL (strstr (fake_http_body (&events), "\"reason\":\"deleted\"}\n\n"));
  fake_answer_free (&events);
  fake_answer_free (&lost);
  fake_answer_free (&late);
  teardown (&f);
}

static void
test_gone (void)
{
  struct fixture f;

  setup (&f);
  for (unsigned i = 0; i < 20; i++)
    check (&f, "POST", below (&f, "/events"),
           "{\"type\":\"tool_call\",\"call_id\":\"c\",\"name\":\"later\"}", 202, "events");
  for (unsigned i = 0; i < 3; i++) {
    char event[128];
    snprintf (event, sizeof event, "{\"type\":\"tool_call\",\"call_id\":\"c%u\",\"name\":\"none\"}",
              i);
    check (&f, "POST", below (&f, "/events"), event, 202, "events");
  }
  check (&f, "GET", below (&f, "/events?after=0"), NULL, 410, "\"events_gone\"");
  check (&f, "POST", below (&f, "/events"),
         "{\"type\":\"tool_call\",\"call_id\":\"x\",\"name\":\"later\"}", 429, "\"session_full\"");
  teardown (&f);
}

static void
test_calls (void)
{
  struct fake_answer first, second, third;
  struct fixture f;

  setup (&f);
  call (&f, &first, "later", ",\"call_id\":\"c\"");
  call (&f, &second, "later", ",\"call_id\":\"c\"");
  fake_http_lose (&first); /* the call goes on */
  CU_ASSERT_EQUAL (f.fake.calls.abandoned, 0);
  CU_ASSERT_EQUAL (f.fake.calls.cancelled, 0);
  fake_done (&f.fake.calls, 0, fake_result ("[]", "{\"n\":1}"));
  CU_ASSERT_EQUAL (second.status, 200);
  CU_ASSERT_PTR_NOT_NULL (strstr (fake_http_body (&second), "\"output\":\"{\\\"n\\\":1}\""));
  call (&f, &third, "later", ",\"call_id\":\"c\""); /* its answer found no room */
  CU_ASSERT_EQUAL (third.status, 410);
  CU_ASSERT_PTR_NOT_NULL (strstr (fake_http_body (&third), "\"answer_gone\""));
  fake_answer_free (&third);
  call (&f, &third, "echo", ",\"call_id\":\"c\"");
  CU_ASSERT_EQUAL (third.status, 409);
  fake_answer_free (&third);
  call (&f, &third, "echo", ",\"background\":1");
  CU_ASSERT_EQUAL (third.status, 400);
  CU_ASSERT_EQUAL (f.fake.calls.started, 1);
  fake_answer_free (&first);
  fake_answer_free (&second);
  fake_answer_free (&third);
  teardown (&f);
}

static void
test_interrupted (void)
{
  struct fake_answer a, b;
  struct fixture f;

  setup (&f);
  call (&f, &a, "later", ",\"call_id\":\"a\",\"response_id\":\"r1\"");
  call (&f, &b, "later", ",\"call_id\":\"b\",\"response_id\":\"r2\"");
  check (&f, "POST", below (&f, "/interrupt"), "{\"response_id\":\"r1\"}", 200,
         "{\"cancelled\":1}");
  CU_ASSERT_PTR_NOT_NULL (strstr (fake_http_body (&a), "\"tool_cancelled\""));
  CU_ASSERT_EQUAL (b.status, 0);
  check (&f, "DELETE", f.path, NULL, 204, "");
  CU_ASSERT_PTR_NOT_NULL (strstr (fake_http_body (&b), "\"tool_cancelled\""));
  fake_answer_free (&a);
  fake_answer_free (&b);
  teardown (&f);
}

static void
test_stopping (void)
{
  struct fake_answer events, waiting;
  struct fixture f;

  setup (&f);
  ask (&f, &events, "GET", below (&f, "/events"), "", NULL);
  call (&f, &waiting, "later", "");
  rest_drain (f.rest);
  CU_ASSERT_TRUE (fake_http_ended (&events));
  CU_ASSERT_EQUAL (waiting.status, 0); /* the call goes on */
  fake_done (&f.fake.calls, 0, fake_result ("[]", "1"));
  CU_ASSERT_EQUAL (waiting.status, 200);
  fake_answer_free (&events);
  fake_answer_free (&waiting);
  teardown (&f);
}

static CU_TestInfo tests[] = {
  { "every refusal", test_refusals },
  { "an event stream, and one that is lost", test_stream },
  { "events that are not kept any more", test_gone },
  { "S0-38 S0-39 who asks again waits, or has the answer", test_calls },
  { "S0-66 interruption", test_interrupted },
  { "stopping ends streams, not calls", test_stopping },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = {
  { "rest sessions", NULL, NULL, NULL, NULL, tests },
  CU_SUITE_INFO_NULL,
};

TAP_MAIN (suites)
