/* Incoming calls, with a service that the test plays: what it is asked over REST, and what becomes
 * of the sessions. */
#include <stdlib.h>

#include "front/realtime/reception.h"
#include "service/call/openai.h"
#include "session_stage.h"
#include "tap.h"

enum { ASKED = 16 };

/* ---- the service ---- */

struct hop {
  ev_timer timer;
  const struct http_hop_events *events;
  void *ctx;
  int status; /* 0: it breaks off */
};

static struct world {
  struct stage stage;
  struct ev_loop *loop;
  struct http_broker broker;
  struct secrets secrets;
  struct openai *openai;
  struct providers *providers;
  struct reception *reception;
  int accept_status, other_status;
  char asked[ASKED][512]; /* "METHOD URL BODY" */
  char headers[ASKED][512];
  unsigned count;
  struct session *attended[ASKED];
  unsigned attended_count;
  bool attends, stops;
  size_t tenant_max;
  char said[64];
} w;

static void
on_hop (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct hop *hop = timer->data;

  (void) loop;
  (void) revents;
  if (hop->status != 0)
    hop->events->head (hop->ctx, hop->status, NULL, 0);
  hop->events->end (hop->ctx, hop->status != 0 ? HTTP_FINE : HTTP_BROKEN, "it broke off");
  free (hop);
}

static void *
begin (void *ctx, const struct http_hop *wanted, const struct http_hop_events *events,
       void *events_ctx)
{
  struct hop *hop = calloc (1, sizeof *hop);
  char *headers = w.headers[w.count];

  (void) ctx;
  CU_ASSERT_FATAL (w.count < ASKED);
  snprintf (w.asked[w.count], sizeof w.asked[0], "%s %s %.*s", http_method_name (wanted->method),
            wanted->target, (int) wanted->body_len,
            wanted->body != NULL ? (const char *) wanted->body : "");
  headers[0] = '\0';
  for (size_t i = 0; i < wanted->headers_count; i++)
    snprintf (headers + strlen (headers), sizeof w.headers[0] - strlen (headers), "%s: %s\n",
              wanted->headers[i].name, wanted->headers[i].value);
  w.count++;
  hop->events = events;
  hop->ctx = events_ctx;
  hop->status = strstr (wanted->target, "/accept") != NULL ? w.accept_status : w.other_status;
  ev_timer_init (&hop->timer, on_hop, 0, 0);
  hop->timer.data = hop;
  ev_timer_start (w.loop, &hop->timer);
  return hop;
}

static void
drop (void *transfer)
{
  struct hop *hop = transfer;

  ev_timer_stop (w.loop, &hop->timer);
  free (hop);
}

static void
resume (void *transfer)
{
  (void) transfer;
}

struct question {
  ev_timer timer;
  http_resolved *done;
  void *ctx;
};

static void
on_answer (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct question *q = timer->data;
  struct address address;

  (void) loop;
  (void) revents;
  CU_ASSERT_TRUE (address_read (&address, "8.8.8.8", 7));
  q->done (q->ctx, &address, 1, NULL);
  free (q);
}

static void *
look_up (void *ctx, const char *host, http_resolved *done, void *done_ctx)
{
  struct question *q = calloc (1, sizeof *q);

  (void) ctx;
  (void) host;
  q->done = done;
  q->ctx = done_ctx;
  ev_timer_init (&q->timer, on_answer, 0, 0);
  q->timer.data = q;
  ev_timer_start (w.loop, &q->timer);
  return q;
}

static void
forget (void *question)
{
  struct question *q = question;

  ev_timer_stop (w.loop, &q->timer);
  free (q);
}

static double
now (void)
{
  return w.stage.now;
}

static double
no_dice (void *ctx)
{
  (void) ctx;
  return 0;
}

/* ---- what a reception asks ---- */

static bool
find (void *ctx, const char *number, struct called *called)
{
  (void) ctx;
  if (strcmp (number, "+14155550100") != 0)
    return false;
  *called = (struct called){ .tenant = "acme",
                             .session = "{\"model\":\"own\"}",
                             .calls_max = w.tenant_max };
  return true;
}

static bool
attend (void *ctx, struct session *session, const char *call_id, struct toolset *told,
        struct error *err)
{
  (void) ctx;
  CU_ASSERT_STRING_EQUAL (call_id, call_service_call_id (session_call_service (session)));
  CU_ASSERT_PTR_EQUAL (told, session_toolset (session));
  if (w.attends)
    w.attended[w.attended_count++] = session;
  return w.attends || error_set (err, "no");
}

static bool
is_open (void *ctx)
{
  (void) ctx;
  return !w.stops;
}

static bool
on_say (void *ctx, const char *call_id, const char *text, size_t len)
{
  (void) ctx;
  snprintf (w.said, sizeof w.said, "%s %.*s", call_id, (int) len, text);
  return len < 10;
}

static struct openai *
openai_at (const char *url, struct error *err)
{
  return openai_new (
    &(struct openai_settings){
      .broker = &w.broker, .url = url, .secrets = &w.secrets, .timeout = 10 },
    err);
}

static void
open_world (void)
{
  static const struct http_transport transport = { begin, resume, drop, NULL };
  static const struct http_resolver resolver = { look_up, forget, NULL };
  static struct secret key = { .name = (char *) "key", .value = (char *) "sk-1" };
  struct error err = { { 0 } };

  memset (&w, 0, sizeof w);
  w.accept_status = w.other_status = 200;
  w.attends = true;
  w.secrets = (struct secrets){ &key, 1 };
  stage_open (&w.stage);
  w.loop = w.stage.fake.env.loop;
  w.stage.sessions = sessions_new (&w.stage.settings);
  http_broker_init (&w.broker, w.loop, w.stage.settings.log, transport, resolver);
  w.broker.now = now;
  w.broker.random = no_dice;
  w.providers = providers_new ();
  w.openai = openai_at ("https://api.openai.com/v1/realtime", &err);
  CU_ASSERT_PTR_NOT_NULL_FATAL (w.openai);
  w.reception = reception_new (&(struct reception_settings){
    .log = w.stage.settings.log,
    .sessions = w.stage.sessions,
    .openai = w.openai,
    .voice = { .say = on_say },
    .providers = w.providers,
    .session = "{\"model\":\"common\",\"instructions\":\"Be brief.\"}",
    .calls_max = 3,
    .find = find,
    .attend = attend,
    .open = is_open });
}

static void
settle (void)
{
  ev_run (w.loop, 0);
}

static void
close_world (void)
{
  reception_free (w.reception);
  settle ();
  sessions_free (w.stage.sessions);
  w.stage.sessions = NULL;
  openai_free (w.openai);
  providers_free (w.providers);
  http_broker_clear (&w.broker);
  stage_close (&w.stage);
}

static enum reception_verdict
ring (const char *call_id)
{
  return reception_take (w.reception, call_id, "+14155550100");
}

#define ASKED_IS(n, text) CU_ASSERT_STRING_EQUAL (w.asked[n], text)
#define URL "https://api.openai.com/v1/realtime/calls/"

/* ---- tests ---- */

static void
test_accepted (void)
{
  open_world ();
  CU_ASSERT_EQUAL (ring ("rtc_1"), RECEPTION_ACCEPTING);
  CU_ASSERT_EQUAL (w.attended_count, 0);
  settle ();
  CU_ASSERT_EQUAL (w.count, 1);
  CU_ASSERT_PTR_NOT_NULL (strstr (w.asked[0], "POST " URL "rtc_1/accept {\"type\":\"realtime\","
                                              "\"instructions\":\"Be brief.\",\"model\":\"own\","
                                              "\"tools\":[{\"type\":\"function\",\"name\":"));
  CU_ASSERT_PTR_NOT_NULL (strstr (w.headers[0], "Authorization: Bearer sk-1\n"));
  CU_ASSERT_EQUAL (w.attended_count, 1);
  CU_ASSERT_EQUAL (reception_count (w.reception), 1);
  session_end (w.attended[0], "call_ended");
  settle ();
  CU_ASSERT_EQUAL (reception_count (w.reception), 0);
  CU_ASSERT_EQUAL (w.count, 1); /* nothing to hang up */
  close_world ();
}

static void
test_duplicates (void)
{
  open_world ();
  CU_ASSERT_EQUAL (ring ("rtc_1"), RECEPTION_ACCEPTING);
  CU_ASSERT_EQUAL (ring ("rtc_1"), RECEPTION_KNOWN);
  settle ();
  CU_ASSERT_EQUAL (ring ("rtc_1"), RECEPTION_KNOWN);
  CU_ASSERT_EQUAL (w.count, 1);
  session_end (w.attended[0], "call_ended");
  CU_ASSERT_EQUAL (ring ("rtc_1"), RECEPTION_ACCEPTING);
  settle ();
  CU_ASSERT_EQUAL (w.attended_count, 2);
  close_world ();
}

static void
test_capacity (void)
{
  open_world ();
  w.tenant_max = 2;
  CU_ASSERT_EQUAL (ring ("a"), RECEPTION_ACCEPTING);
  CU_ASSERT_EQUAL (ring ("b"), RECEPTION_ACCEPTING);
  CU_ASSERT_EQUAL (ring ("c"), RECEPTION_REJECTING);
  settle ();
  ASKED_IS (2, "POST " URL "c/reject {\"status_code\":486}");
  w.tenant_max = 0;
  CU_ASSERT_EQUAL (ring ("d"), RECEPTION_ACCEPTING);
  CU_ASSERT_EQUAL (ring ("e"), RECEPTION_REJECTING);
  settle ();
  ASKED_IS (4, "POST " URL "e/reject {\"status_code\":603}");
  session_end (w.attended[0], "call_ended");
  w.stops = true;
  CU_ASSERT_EQUAL (ring ("f"), RECEPTION_REJECTING);
  settle ();
  ASKED_IS (5, "POST " URL "f/reject {\"status_code\":603}");
  CU_ASSERT_EQUAL (reception_take (w.reception, "g", "+33123456789"), RECEPTION_REJECTING);
  settle ();
  ASKED_IS (6, "POST " URL "g/reject {\"status_code\":404}");
  close_world ();
}

static void
test_gone (void)
{
  open_world ();
  w.accept_status = 404;
  CU_ASSERT_EQUAL (ring ("rtc_1"), RECEPTION_ACCEPTING);
  settle ();
  CU_ASSERT_EQUAL (w.attended_count, 0);
  CU_ASSERT_EQUAL (w.count, 1);
  CU_ASSERT_EQUAL (reception_count (w.reception), 0);
  CU_ASSERT_EQUAL (sessions_count (w.stage.sessions), 0);
  w.accept_status = 500;
  CU_ASSERT_EQUAL (ring ("rtc_2"), RECEPTION_ACCEPTING);
  settle ();
  CU_ASSERT_EQUAL (sessions_count (w.stage.sessions), 0);
  close_world ();
}

static void
test_session_ends_first (void)
{
  open_world ();
  CU_ASSERT_EQUAL (ring ("rtc_1"), RECEPTION_ACCEPTING);
  sessions_end_all (w.stage.sessions, "deleted");
  settle ();
  CU_ASSERT_EQUAL (w.attended_count, 0);
  CU_ASSERT_EQUAL (w.count, 2);
  ASKED_IS (1, "POST " URL "rtc_1/hangup ");
  CU_ASSERT_EQUAL (ring ("rtc_2"), RECEPTION_ACCEPTING);
  settle ();
  session_end (w.attended[0], "deleted");
  settle ();
  ASKED_IS (3, "POST " URL "rtc_2/hangup ");
  CU_ASSERT_EQUAL (reception_count (w.reception), 0);
  close_world ();
}

static void
test_not_attended (void)
{
  open_world ();
  w.attends = false;
  CU_ASSERT_EQUAL (ring ("rtc_1"), RECEPTION_ACCEPTING);
  settle ();
  ASKED_IS (1, "POST " URL "rtc_1/hangup ");
  CU_ASSERT_EQUAL (sessions_count (w.stage.sessions), 0);
  close_world ();
}

static void
test_freed_while_open (void)
{
  open_world ();
  CU_ASSERT_EQUAL (ring ("rtc_1"), RECEPTION_ACCEPTING);
  CU_ASSERT_EQUAL (reception_take (w.reception, "rtc_2", ""), RECEPTION_REJECTING);
  close_world ();
}

static void
test_bad_ids (void)
{
  static char long_id[OPENAI_CALL_ID_MAX + 2];
  static const char *const ids[] = {
    "", ".", "..", "a/b", "a?b", "a b", "a%2fb", "a\r\nb", long_id
  };

  memset (long_id, 'x', sizeof long_id - 1);
  open_world ();
  for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
    CU_ASSERT_FALSE (openai_call_id_ok (ids[i]));
    CU_ASSERT_EQUAL (ring (ids[i]), RECEPTION_BAD_ID);
  }
  CU_ASSERT_TRUE (openai_call_id_ok ("rtc_u1-2.3"));
  CU_ASSERT_EQUAL (w.count, 0);
  close_world ();
}

struct requested {
  struct openai_request request; /* first */
  unsigned ended;
  int status;
  char why[128];
};

static void
on_ended (struct openai_request *request, int status, const char *why)
{
  struct requested *a = (struct requested *) request;

  a->ended++;
  a->status = status;
  snprintf (a->why, sizeof a->why, "%s", why != NULL ? why : "");
}

static void
test_rest (void)
{
  struct requested a = { .request.ended = on_ended }, nobody = { .request.ended = on_ended };

  open_world ();
  openai_accept (w.openai, "c", "{\"type\":\"realtime\"}", 19, &a.request);
  openai_accept (w.openai, "", "{}", 2, &nobody.request);
  CU_ASSERT_EQUAL (nobody.ended, 1); /* refused at once */
  settle ();
  openai_reject (w.openai, "c", OPENAI_REJECT_STATUS, &a.request);
  settle ();
  openai_refer (w.openai, "c", "+14155550100", "k", &a.request);
  settle ();
  openai_refer (w.openai, "c", "sip:a@example.com", NULL, &a.request);
  settle ();
  openai_hangup (w.openai, "c", &a.request);
  settle ();
  CU_ASSERT_EQUAL (w.count, 5);
  ASKED_IS (0, "POST " URL "c/accept {\"type\":\"realtime\"}");
  ASKED_IS (1, "POST " URL "c/reject {\"status_code\":603}");
  ASKED_IS (2, "POST " URL "c/refer {\"target_uri\":\"tel:+14155550100\"}");
  ASKED_IS (3, "POST " URL "c/refer {\"target_uri\":\"sip:a@example.com\"}");
  ASKED_IS (4, "POST " URL "c/hangup ");
  CU_ASSERT_PTR_NOT_NULL (strstr (w.headers[2], "Idempotency-Key: k\n"));
  CU_ASSERT_PTR_NULL (strstr (w.headers[3], "Idempotency-Key"));
  for (unsigned i = 0; i < 5; i++)
    CU_ASSERT_PTR_NOT_NULL (strstr (w.headers[i], "Authorization: Bearer sk-1\n"));
  w.other_status = 400;
  openai_hangup (w.openai, "c", &a.request);
  settle ();
  CU_ASSERT_EQUAL (a.status, 400);
  CU_ASSERT_STRING_EQUAL (a.why, "the service answered with status 400");
  w.other_status = 0;
  openai_hangup (w.openai, "c", &a.request);
  settle ();
  CU_ASSERT_EQUAL (a.status, 0);
  CU_ASSERT_STRING_NOT_EQUAL (a.why, "");
  close_world ();
}

static void
test_urls (void)
{
  struct error err = { { 0 } };

  open_world ();
  CU_ASSERT_PTR_NULL (openai_at ("ftp://api.openai.com", &err));
  w.secrets.count = 0;
  CU_ASSERT_PTR_NULL (openai_at ("https://api.openai.com/v1/realtime", &err));
  close_world ();
}

struct waiting {
  struct phone_asker asker; /* first */
  unsigned answers;
  char why[128];
};

static void
on_answered (struct phone_asker *asker, const char *why)
{
  struct waiting *a = (struct waiting *) asker;

  a->answers++;
  snprintf (a->why, sizeof a->why, "%s", why != NULL ? why : "");
}

static void
test_as_call_service (void)
{
  struct waiting a = { .asker.answered = on_answered };
  struct call_service *service;

  open_world ();
  service = call_service_openai (w.openai, (struct openai_voice){ .say = on_say }, "c");
  call_service_ask (service, PHONE_REFER, "+1415", "k", &a.asker);
  settle ();
  CU_ASSERT_EQUAL (a.answers, 1);
  CU_ASSERT_STRING_EQUAL (a.why, "");
  call_service_ask (service, PHONE_REFER, "+1415", "k", &a.asker);
  CU_ASSERT_EQUAL (a.answers, 2);
  CU_ASSERT_EQUAL (w.count, 1); /* once */
  w.other_status = 503;
  call_service_ask (service, PHONE_HANGUP, "", NULL, &a.asker);
  settle ();
  CU_ASSERT_STRING_EQUAL (a.why, "the service answered with status 503");
  call_service_ask (service, PHONE_SAY, "hello", NULL, &a.asker);
  CU_ASSERT_STRING_EQUAL (w.said, "c hello");
  CU_ASSERT_STRING_EQUAL (a.why, "");
  call_service_ask (service, PHONE_SAY, "hello again", NULL, &a.asker);
  CU_ASSERT_STRING_EQUAL (a.why, "the daemon is not connected to the call");
  call_service_ask (service, PHONE_DTMF, "1", NULL, &a.asker);
  CU_ASSERT_STRING_EQUAL (a.why, "this telephone can't do that");
  call_service_ask (service, PHONE_REFER, "+1416", NULL, &a.asker);
  call_service_free (service); /* while it is under way */
  CU_ASSERT_STRING_EQUAL (a.why, "the telephone call has ended");
  settle ();
  close_world ();
}

static bool
body_has (const char *common, const char *tenants, const char *part)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct toolset *set = catalog_toolset (w.stage.fake.env.catalog);

  CU_ASSERT_TRUE (reception_body (w.providers, set, common, tenants, &out));
  return strstr (buf_cstr (&out), part) != NULL;
}

static void
test_body (void)
{
  open_world ();
  CU_ASSERT_TRUE (body_has (NULL, NULL, "{\"type\":\"realtime\",\"tools\":[{"));
  CU_ASSERT_TRUE (body_has (NULL, NULL, "\"tool_choice\":\"auto\"}"));
  CU_ASSERT_TRUE (body_has ("{\"tool_choice\":\"none\"}", NULL, "\"tool_choice\":\"auto\"}"));
  CU_ASSERT_TRUE (toolset_choose (catalog_toolset (w.stage.fake.env.catalog), "required"));
  CU_ASSERT_TRUE (body_has (NULL, NULL, "\"tool_choice\":\"required\"}"));
  CU_ASSERT_TRUE (toolset_choose (catalog_toolset (w.stage.fake.env.catalog), "later"));
  CU_ASSERT_TRUE (
    body_has (NULL, NULL, "\"tool_choice\":{\"type\":\"function\",\"name\":\"later\"}}"));
  CU_ASSERT_TRUE (
    body_has ("{\"model\":\"a\",\"type\":\"x\",\"tools\":[]}", "{\"audio\":{\"b\":1}}",
              "{\"type\":\"realtime\",\"model\":\"a\",\"audio\":{\"b\":1},\"tools\":[{"));
  fake_env_tools (&w.stage.fake, (const char *const[]){ NULL });
  CU_ASSERT_TRUE (body_has (NULL, NULL, "\"tools\":[],\"tool_choice\":\"none\"}"));
  close_world ();
}

static CU_TestInfo tests[] = {
  { "U0-8 T0-19 accept, reject, refer and hangup", test_rest },
  { "T0-19 ids that are none", test_bad_ids },
  { "a URL that is none, and no key", test_urls },
  { "A0-11 A0-13 a call as a call service", test_as_call_service },
  { "U0-10 A0-12 what a call is accepted with", test_body },
  { "an accepted call is attended until its end", test_accepted },
  { "T0-16 a call that is there is not taken again, and is when it has ended", test_duplicates },
  { "U0-3 more calls than there is room for are turned away", test_capacity },
  { "U0-8 a caller who has gone is no fault", test_gone },
  { "a session that ends first takes the call along", test_session_ends_first },
  { "a call that nobody can attend is hung up", test_not_attended },
  { "freed while requests are open", test_freed_while_open },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "realtime reception", NULL, NULL, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
