#include <stdio.h>
#include <stdlib.h>

#include "front/realtime/bridge.h"
#include "front/realtime/function_calls.h"
#include "front/realtime/sequencer.h"
#include "front/realtime/sideband.h"
#include "scenarios.h"
#include "session_stage.h"
#include "tap.h"

/* A scenario of realtime.jsonl has, besides the lines of session_stage.h:
 *
 *   {"realtime": {"dispatch_on": …, "output": …, "told": true, "lost": true}}   the bridge, before
 * all else
 *   {"in": {…}}, {"in_text": "…"}   the service, or an application, says this
 *   {"expect": {…}}            the next client event has these members; null: there is none
 *   {"acted": {"action": …, "argument": …}}   what the owner was asked, or told; null: nothing
 *   {"session": {…}}           an event comes to the session from elsewhere
 *   {"sending": false}         nothing can be sent; {"lost": true}, {"connected": true}
 *   {"end": "…"}               the session ends
 *   {"advance_ms": N}          time passes */

enum { SENT_MAX = 256 };

struct play {
  struct stage *stage;
  struct realtime_bridge *bridge;
  struct providers *providers;
  bool stuck;
  double wake;
  char *sent[SENT_MAX], *acts[SENT_MAX];
  size_t sent_count, sent_seen, acts_count, acts_seen;
};

/* ---- the owner of the bridge ---- */

static bool
on_send (void *ctx, const char *json, size_t len)
{
  struct play *p = ctx;

  if (p->stuck)
    return false;
  CU_ASSERT_FATAL (p->sent_count < SENT_MAX);
  p->sent[p->sent_count++] = xstrndup (json, len);
  return true;
}

static void
on_act (void *ctx, enum realtime_action action, const char *argument, const char *call_id,
        const char *output, size_t len)
{
  static const char *const names[] = { "hangup", "refer", "dtmf", "asks", "approval", "other" };
  struct play *p = ctx;
  struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  jsonw_object (&w);
  jsonw_name_string (&w, "action", names[action]);
  jsonw_name_string (&w, "argument", argument);
  jsonw_name_string (&w, "call_id", call_id);
  if (output != NULL)
    jsonw_name_raw (&w, "output", output, len);
  jsonw_end (&w);
  (void) buf_cstr (&out);
  CU_ASSERT_FATAL (p->acts_count < SENT_MAX);
  p->acts[p->acts_count++] = out.data;
}

static void
on_session_ended (void *ctx)
{
  (void) ctx;
}

static void
on_unanswered (void *ctx, const char *event_id)
{
  struct play *p = ctx;

  CU_ASSERT_STRING_NOT_EQUAL (event_id, "");
  CU_ASSERT_FATAL (p->acts_count < SENT_MAX);
  p->acts[p->acts_count++] = xstrdup ("{\"action\":\"unanswered\"}");
}

static double
on_now (void *ctx)
{
  return ((struct play *) ctx)->stage->now;
}

static void
on_wake (void *ctx, double at)
{
  ((struct play *) ctx)->wake = at;
}

/* ---- lines ---- */

struct line {
  struct play *play;
  const struct json_tape *tape;
  const struct json_node *value;
  struct arena arena;
};

static const char *
raw (struct line *l)
{
  size_t len;
  const char *text = json_raw (l->tape, l->value, &len);

  return arena_strndup (&l->arena, text, len);
}

static void
do_realtime (struct line *l)
{
  struct play *p = l->play;
  const struct json_node *on = json_member (l->tape, l->value, "dispatch_on");
  const bool told = !json_is (json_member (l->tape, l->value, "told"), JSON_FALSE);
  const char *output = json_cstring (l->tape, json_member (l->tape, l->value, "output"), &l->arena);
  enum output_form form = OUTPUT_SONORE;
  const struct realtime_owner owner = { .send = on_send,
                                        .act = on_act,
                                        .session_ended = on_session_ended,
                                        .unanswered = on_unanswered,
                                        .now = on_now,
                                        .wake = on_wake,
                                        .ctx = p };

  CU_ASSERT_TRUE_FATAL (output_form_find (output, &form));
  const struct realtime_wish wish = { .session = p->stage->session,
                                      .log = p->stage->settings.log,
                                      .call_id = "rtc_1",
                                      .providers = p->providers,
                                      .told = told ? session_toolset (p->stage->session) : NULL,
                                      .item_completed = json_equals (l->tape, on, "item_completed"),
                                      .output = form,
                                      .hangup_after = 10,
                                      .answer_within = 15 };

  p->bridge = realtime_bridge_new (&wish, &owner);
  if (!json_is (json_member (l->tape, l->value, "lost"), JSON_TRUE))
    realtime_bridge_connected (p->bridge);
}

static void
do_in (struct line *l)
{
  const char *text = raw (l);

  realtime_bridge_hear (l->play->bridge, text, strlen (text));
}

static void
do_in_text (struct line *l)
{
  size_t len;
  const char *text = json_string (l->tape, l->value, &l->arena, &len);

  realtime_bridge_hear (l->play->bridge, text, len);
}

static void
compare (struct line *l, const char *got, size_t *seen)
{
  const char *wanted = raw (l);

  if (json_is (l->value, JSON_NULL)
        ? got == NULL
        : got != NULL && stage_holds (got, strlen (got), wanted, strlen (wanted)))
    *seen += got != NULL;
  else {
    printf ("# expected %s\n# got      %s\n", wanted, got != NULL ? got : "nothing");
    CU_FAIL ("what comes next");
  }
}

static void
do_expect (struct line *l)
{
  struct play *p = l->play;

  compare (l, p->sent_seen < p->sent_count ? p->sent[p->sent_seen] : NULL, &p->sent_seen);
}

static void
do_acted (struct line *l)
{
  struct play *p = l->play;

  compare (l, p->acts_seen < p->acts_count ? p->acts[p->acts_seen] : NULL, &p->acts_seen);
}

static void
do_session (struct line *l)
{
  CU_ASSERT_PTR_NULL (stage_hear (l->play->stage, raw (l)));
}

static void
do_sending (struct line *l)
{
  l->play->stuck = json_is (l->value, JSON_FALSE);
}

static void
do_lost (struct line *l)
{
  realtime_bridge_lost (l->play->bridge);
}

static void
do_connected (struct line *l)
{
  realtime_bridge_connected (l->play->bridge);
}

static void
do_end (struct line *l)
{
  session_end (l->play->stage->session, json_cstring (l->tape, l->value, &l->arena));
}

static void
do_advance (struct line *l)
{
  struct play *p = l->play;
  int64_t ms = 0;

  CU_ASSERT (json_int64 (l->tape, l->value, &ms));
  p->stage->now += (double) ms / 1000;
  sessions_tick (p->stage->sessions);
  if (p->wake != 0 && p->stage->now >= p->wake)
    realtime_bridge_tick (p->bridge);
}

static const struct {
  const char *name;
  void (*act) (struct line *l);
} acts[] = {
  { "realtime", do_realtime },   { "in", do_in },
  { "in_text", do_in_text },     { "expect", do_expect },
  { "acted", do_acted },         { "session", do_session },
  { "sending", do_sending },     { "lost", do_lost },
  { "connected", do_connected }, { "end", do_end },
  { "advance_ms", do_advance },
};

static bool
play_line (struct stage *stage, const struct json_tape *tape)
{
  struct line l = { .play = stage->also_ctx, .tape = tape };
  bool played = false;

  l.play->stage = stage;
  for (size_t i = 0; i < sizeof acts / sizeof acts[0] && !played; i++) {
    l.value = json_member (tape, json_root (tape), acts[i].name);
    if ((played = l.value != NULL))
      acts[i].act (&l);
  }
  arena_free (&l.arena);
  return played;
}

static void
over (struct stage *stage)
{
  struct play *p = stage->also_ctx;

  realtime_bridge_free (p->bridge);
  for (size_t i = 0; i < p->sent_count; i++)
    free (p->sent[i]);
  for (size_t i = 0; i < p->acts_count; i++)
    free (p->acts[i]);
  providers_free (p->providers);
}

/* ---- the sequencer alone: its ids are known ---- */

struct wire {
  struct sequencer s;
  double now;
  char *sent[SENT_MAX];
  size_t count;
};

static bool
on_wire (void *ctx, const char *json, size_t len)
{
  struct wire *wire = ctx;

  CU_ASSERT_FATAL (wire->count < SENT_MAX);
  wire->sent[wire->count++] = xstrndup (json, len);
  return true;
}

static double
wire_now (void *ctx)
{
  return ((struct wire *) ctx)->now;
}

static void
wire_open (struct wire *wire)
{
  const struct sequencer_owner owner = { .send = on_wire, .now = wire_now, .ctx = wire };

  *wire = (struct wire){ .now = 100 };
  sequencer_init (&wire->s, "x", &owner, 15);
}

static void
wire_close (struct wire *wire)
{
  sequencer_clear (&wire->s);
  for (size_t i = 0; i < wire->count; i++)
    free (wire->sent[i]);
}

static bool
wire_hear (struct wire *wire, const char *json)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  CU_ASSERT_FATAL (json_read (&tape, json, strlen (json), &json_default_limits, &arena));
  return sequencer_hear (&wire->s, &tape, json_root (&tape));
}

#define CREATE(id) "{\"event_id\":\"" id "\",\"type\":\"response.create\"}"
#define REFUSED(id, code)                                                                          \
  "{\"type\":\"error\",\"error\":{\"event_id\":\"" id "\",\"code\":\"" code "\"}}"

static void
test_refused (void)
{
  struct wire wire;

  wire_open (&wire);
  sequencer_respond (&wire.s, NULL, 0);
  CU_ASSERT_EQUAL_FATAL (wire.count, 1);
  CU_ASSERT_STRING_EQUAL (wire.sent[0], CREATE ("x1"));
  sequencer_respond (&wire.s, NULL, 0);
  CU_ASSERT_FALSE (wire_hear (&wire, REFUSED ("x9", "rate_limit_exceeded")));
  CU_ASSERT_EQUAL (wire.count, 1);
  CU_ASSERT_TRUE (wire_hear (&wire, REFUSED ("x1", "rate_limit_exceeded")));
  CU_ASSERT_EQUAL_FATAL (wire.count, 2); /* that one is given up, the next one's turn */
  CU_ASSERT_STRING_EQUAL (wire.sent[1], CREATE ("x2"));
  CU_ASSERT_FALSE (wire_hear (&wire, REFUSED ("x1", "rate_limit_exceeded")));
  wire_close (&wire);
}

/* The service itself was faster: its response came before it refused ours. */
static void
test_overtaken (void)
{
  struct wire wire;

  wire_open (&wire);
  sequencer_respond (&wire.s, NULL, 0);
  (void) wire_hear (&wire, "{\"type\":\"response.created\",\"response\":{\"id\":\"vad\"}}");
  CU_ASSERT_TRUE (wire_hear (&wire, REFUSED ("x1", "conversation_already_has_active_response")));
  CU_ASSERT_EQUAL (wire.count, 1);
  (void) wire_hear (&wire, "{\"type\":\"response.done\",\"response\":{\"id\":\"other\"}}");
  CU_ASSERT_EQUAL (wire.count, 1);
  (void) wire_hear (&wire, "{\"type\":\"response.done\",\"response\":{\"id\":\"vad\"}}");
  CU_ASSERT_EQUAL_FATAL (wire.count, 2);
  CU_ASSERT_STRING_EQUAL (wire.sent[1], CREATE ("x2"));
  wire_close (&wire);
}

static void
test_arrived (void)
{
  struct wire wire;

  wire_open (&wire);
  sequencer_output (&wire.s, "a", "1", 1, false, NULL);
  sequencer_output (&wire.s, "b", "2", 1, false, NULL);
  sequencer_output (&wire.s, "c", "3", 1, false, NULL);
  CU_ASSERT_EQUAL (wire.count, 3);
  (void) wire_hear (&wire, "{\"type\":\"conversation.item.added\",\"item\":{\"id\":\"x1\"}}");
  CU_ASSERT_TRUE (wire_hear (&wire, REFUSED ("x3", "invalid_value")));
  sequencer_lost (&wire.s);
  sequencer_back (&wire.s);
  CU_ASSERT_EQUAL_FATAL (wire.count, 4);
  CU_ASSERT_STRING_EQUAL (wire.sent[3], wire.sent[1]);
  wire_close (&wire);
}

/* So many seconds pass; how often the response.create that is overdue was sent. */
static unsigned
wire_wait (struct wire *wire, double seconds, const char *event_id)
{
  char overdue[SEQUENCER_ID] = "";
  unsigned tries;

  wire->now += seconds;
  tries = sequencer_tick (&wire->s, overdue);
  CU_ASSERT_STRING_EQUAL (overdue, event_id);
  return tries;
}

static void
test_unanswered (void)
{
  struct wire wire;

  wire_open (&wire);
  CU_ASSERT_EQUAL (sequencer_due (&wire.s), 0);
  sequencer_respond (&wire.s, NULL, 0);
  CU_ASSERT_EQUAL (sequencer_due (&wire.s), 115);
  CU_ASSERT_EQUAL (wire_wait (&wire, 14, ""), 0);
  CU_ASSERT_EQUAL (wire_wait (&wire, 1, "x1"), 1);
  CU_ASSERT_EQUAL (wire_wait (&wire, 0, ""), 0);
  CU_ASSERT_EQUAL (sequencer_due (&wire.s), 130);
  sequencer_output (&wire.s, "a", "1", 1, true, "r1"); /* x3; joins, and counts on */
  CU_ASSERT_EQUAL (wire_wait (&wire, 15, "x2"), 2);
  CU_ASSERT_EQUAL (wire_wait (&wire, 15, "x4"), SEQUENCER_TRIES);
  CU_ASSERT_EQUAL_FATAL (wire.count, 4);
  CU_ASSERT_STRING_EQUAL (wire.sent[1], CREATE ("x2"));
  CU_ASSERT_STRING_EQUAL (wire.sent[3], CREATE ("x4"));
  CU_ASSERT_EQUAL (sequencer_due (&wire.s), 0);
  CU_ASSERT_TRUE (sequencer_idle (&wire.s));
  wire_close (&wire);
}

/* Both were created, or the service's own response was: the model has gone on either way.  What has
 * words of its own is worth being said twice rather than never. */
static void
test_answered_late (void)
{
  static const char own[] = "{\"instructions\":\"say it\"}";

  for (int with_words = 0; with_words < 2; with_words++) {
    struct wire wire;
    wire_open (&wire);
    sequencer_respond (&wire.s, with_words ? own : NULL, with_words ? sizeof own - 1 : 0);
    CU_ASSERT_EQUAL (wire_wait (&wire, 15, "x1"), 1);
    (void) wire_hear (&wire, "{\"type\":\"response.created\",\"response\":{\"id\":\"r1\"}}");
    CU_ASSERT_EQUAL (sequencer_due (&wire.s), 0);
    CU_ASSERT_TRUE (wire_hear (&wire, REFUSED ("x2", "conversation_already_has_active_response")));
    (void) wire_hear (&wire, "{\"type\":\"response.done\",\"response\":{\"id\":\"r1\"}}");
    CU_ASSERT_EQUAL (wire.count, with_words ? 3 : 2);
    wire_close (&wire);
  }
}

/* A new connection, a refusal, or the end: nothing is waited for any more. */
static void
test_not_waited_for (void)
{
  struct wire wire;

  wire_open (&wire);
  sequencer_respond (&wire.s, NULL, 0);
  sequencer_lost (&wire.s);
  CU_ASSERT_EQUAL (sequencer_due (&wire.s), 0);
  wire.now += 1;
  sequencer_back (&wire.s);
  CU_ASSERT_EQUAL (sequencer_due (&wire.s), 116);
  CU_ASSERT_TRUE (wire_hear (&wire, REFUSED ("x2", "rate_limit_exceeded")));
  CU_ASSERT_EQUAL (sequencer_due (&wire.s), 0);
  sequencer_respond (&wire.s, NULL, 0);
  CU_ASSERT_NOT_EQUAL (sequencer_due (&wire.s), 0);
  sequencer_close (&wire.s);
  CU_ASSERT_EQUAL (wire_wait (&wire, 100, ""), 0);
  wire_close (&wire);
}

static bool
nowhere (void *ctx, const char *json, size_t len)
{
  (void) json;
  (void) len;
  return *(bool *) ctx;
}

static void
test_bounded (void)
{
  bool sends = true;
  struct sequencer s;

  sequencer_init (&s, "x", &(struct sequencer_owner){ .send = nowhere, .ctx = &sends }, 0);
  for (size_t i = 0; i < 2 * SEQUENCER_KEPT; i++)
    sequencer_output (&s, "a", "1", 1, false, NULL);
  CU_ASSERT_EQUAL (s.items_count, SEQUENCER_KEPT);
  sends = false; /* what was never sent is not forgotten */
  for (size_t i = 0; i < SEQUENCER_KEPT; i++)
    sequencer_output (&s, "b", "1", 1, false, NULL);
  CU_ASSERT_EQUAL (s.items_count, 2 * SEQUENCER_KEPT);
  sequencer_close (&s);
  CU_ASSERT_EQUAL (s.items_count, 0);
  CU_ASSERT_EQUAL (s.items_bytes, 0);
  CU_ASSERT_TRUE (sequencer_idle (&s));
  sequencer_output (&s, "c", "1", 1, true, NULL);
  CU_ASSERT_TRUE (sequencer_idle (&s));
  sequencer_clear (&s);
}

static void
test_too_many_calls (void)
{
  struct function_calls calls = { .list = NULL };
  char json[64];

  for (size_t i = 0; i <= FUNCTION_CALLS_MAX; i++) {
    CLEANUP_ARENA struct arena arena = { 0 };
    struct json_tape tape;
    int len = snprintf (json, sizeof json, "\"c%zu\"", i);
    struct function_call_said said;
    CU_ASSERT_FATAL (json_read (&tape, json, (size_t) len, &json_default_limits, &arena));
    said = (struct function_call_said){ .call_id = json_root (&tape) };
    CU_ASSERT_EQUAL (function_calls_note (&calls, &tape, &said) != NULL, i < FUNCTION_CALLS_MAX);
  }
  CU_ASSERT_TRUE (function_calls_keep (&calls, calls.list, json, 8));
  calls.bytes = FUNCTION_CALLS_BYTES;
  CU_ASSERT_FALSE (function_calls_keep (&calls, calls.list->next, json, 8));
  function_calls_clear (&calls);
  CU_ASSERT_EQUAL (calls.count, 0);
}

/* ---- sidebands whose service can't be reached ---- */

struct nowhere {
  unsigned dialled;
  char path[128];
};

static void *
dial_nowhere (void *ctx, const struct url *url, bool private_too, const struct wire_events *events,
              void *events_ctx)
{
  struct nowhere *n = ctx;

  (void) private_too;
  (void) events;
  (void) events_ctx;
  n->dialled++;
  snprintf (n->path, sizeof n->path, "%.*s?%.64s", (int) url->path_len, url->path, url->query);
  return NULL;
}

static double
half (void *ctx)
{
  (void) ctx;
  return 0.5;
}

static struct realtime *
open_nowhere (struct nowhere *n, struct ev_loop *loop, const char *url, struct error *err)
{
  struct realtime_settings settings = realtime_defaults;

  settings.loop = loop;
  settings.dialer = (struct dialer){ .dial = dial_nowhere, .ctx = n };
  settings.url = url;
  settings.key = "k";
  settings.retry = (struct http_retry){ .tries = 4, .base_ms = 1, .cap_ms = 2 };
  settings.random = half;
  return realtime_new (&settings, err);
}

/* The loop ends when nothing is left to be waited for. */
static void
test_unreachable (void)
{
  struct ev_loop *loop = ev_loop_new (0);
  struct nowhere nowhere = { 0 };
  struct error err = { { 0 } };
  struct realtime *realtime =
    open_nowhere (&nowhere, loop, "wss://api.example.com/v1/realtime/", &err);
  struct stage stage;
  char *log;

  CU_ASSERT_PTR_NOT_NULL_FATAL (realtime);
  stage_open (&stage);
  stage_begin (&stage, NULL);
  CU_ASSERT_PTR_NOT_NULL (realtime_attach (realtime, stage.session, "rtc 1/ü", NULL, &err));
  CU_ASSERT_PTR_NULL (realtime_attach (realtime, stage.session, "rtc 1/ü", NULL, &err));
  CU_ASSERT_STRING_EQUAL (err.text, "the call is attended already");
  CU_ASSERT_PTR_NULL (realtime_attach (realtime, stage.session, "", NULL, &err));
  CU_ASSERT_EQUAL (realtime_count (realtime), 1);
  CU_ASSERT_STRING_EQUAL (nowhere.path, "/v1/realtime?call_id=rtc%201%2F%C3%BC");
  ev_run (loop, 0);
  CU_ASSERT_EQUAL (nowhere.dialled, 4);
  CU_ASSERT_EQUAL (realtime_count (realtime), 0);
  CU_ASSERT_TRUE (stage.closed);
  CU_ASSERT_FALSE (realtime_say (realtime, "rtc 1/ü", "x", 1));
  log = stage_log (&stage);
  CU_ASSERT_PTR_NOT_NULL (strstr (log, "\"realtime_unreachable\""));
  free (log);
  stage_close (&stage);
  realtime_free (realtime);
  ev_loop_destroy (loop);
}

/* What is attended when the daemon goes is let go of; its session is the daemon's to end. */
static void
test_let_go (void)
{
  struct ev_loop *loop = ev_loop_new (0);
  struct nowhere nowhere = { 0 };
  struct error err = { { 0 } };
  struct realtime *realtime = open_nowhere (&nowhere, loop, "http://h/v1/realtime", &err);
  struct stage stage;

  CU_ASSERT_PTR_NOT_NULL_FATAL (realtime);
  stage_open (&stage);
  stage_begin (&stage, NULL);
  CU_ASSERT_PTR_NOT_NULL (realtime_attach (realtime, stage.session, "rtc_1", NULL, &err));
  CU_ASSERT_TRUE (realtime_hang_up (realtime, "rtc_1", "over"));
  realtime_free (realtime);
  CU_ASSERT_FALSE (stage.closed);
  stage_close (&stage);
  ev_run (loop, 0);
  ev_loop_destroy (loop);
}

static void
test_urls (void)
{
  static const char *const urls[] = { "https://h/v1/realtime?model=gpt-realtime", "ftp://h/",
                                      "wss:", "", "https://h:0/" };
  struct nowhere nowhere = { 0 };

  for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++) {
    struct error err = { { 0 } };
    CU_ASSERT_PTR_NULL (open_nowhere (&nowhere, NULL, urls[i], &err));
    CU_ASSERT_NOT_EQUAL (err.text[0], '\0');
  }
}

static CU_TestInfo tests[] = {
  { "T0-12 a refusal of ours releases it", test_refused },
  { "U0-15 U0-19 a response of the service's own is waited for", test_overtaken },
  { "U0-20 what arrived is not sent again", test_arrived },
  { "U0-19 a request that is not answered is sent again, and given up", test_unanswered },
  { "U0-19 a request that is answered late is not made twice", test_answered_late },
  { "U0-19 no answer is waited for after the end", test_not_waited_for },
  { "what is kept is bounded, what was never sent is kept", test_bounded },
  { "function calls are bounded", test_too_many_calls },
  { "a service that can't be reached is tried four times", test_unreachable },
  { "what is attended is let go of", test_let_go },
  { "T0-15 URLs that are none of a service", test_urls },
  CU_TEST_INFO_NULL,
};

/* ---- all of them ---- */

static void
play_scenario (const char *lines)
{
  struct play play = { .providers = providers_new () };

  stage_play_also (lines, play_line, over, &play);
}

int
main (int argc, char **argv)
{
  const struct scenarios scenarios = { "realtime.jsonl", "realtime", play_scenario };

  return scenarios_main (&scenarios, "sequencer", tests, argc, argv);
}
