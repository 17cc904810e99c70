#include <string.h>

#include "service/call/service.h"
#include "tap.h"

/* A telephone that the test plays. */
static struct {
  struct phone_order *open[8];
  size_t begun, dropped, freed;
} phone;

static void
on_begin (void *ctx, struct phone_order *order)
{
  (void) ctx;
  phone.open[phone.begun++ % 8] = order;
}

static void
on_drop (struct phone_order *order)
{
  (void) order;
  phone.dropped++;
}

static void
on_free (void *ctx)
{
  (void) ctx;
  phone.freed++;
}

static const struct phone_way way = {
  .name = "played", .refer = on_begin, .say = on_begin, .drop = on_drop, .free = on_free
};

struct waiting {
  struct phone_asker asker; /* first */
  unsigned answers;
  char why[128];
};

static void
on_answered (struct phone_asker *asker, const char *why)
{
  struct waiting *w = (struct waiting *) asker;

  w->answers++;
  snprintf (w->why, sizeof w->why, "%s", why != NULL ? why : "");
}

static struct {
  unsigned count;
  char last[256];
} told;

static void
on_ended (void *ctx, const char *name, const struct phone_order *order, const char *why)
{
  (void) ctx;
  told.count++;
  snprintf (told.last, sizeof told.last, "%s %s %s %s %s", name, phone_act_names[order->act],
            order->text, order->key != NULL ? order->key : "-", why != NULL ? why : "done");
}

static struct call_service *service;
static struct waiting a, b, c;

static void
begin (const struct phone_way *by)
{
  memset (&phone, 0, sizeof phone);
  memset (&told, 0, sizeof told);
  a = b = c = (struct waiting){ .asker.answered = on_answered };
  service = by != NULL ? call_service_new (by, NULL, "rtc_1") : call_service_recording ("rtc_1");
  call_service_watch (service, (struct phone_watch){ .ended = on_ended });
}

static void
test_once (void)
{
  begin (&way);
  CU_ASSERT_STRING_EQUAL (call_service_call_id (service), "rtc_1");
  call_service_ask (service, PHONE_REFER, "+1", "k", &a.asker);
  call_service_ask (service, PHONE_REFER, "+1", "k", &b.asker);
  CU_ASSERT_EQUAL (phone.begun, 1);
  CU_ASSERT_EQUAL (a.answers + b.answers, 0);
  phone_order_end (phone.open[0], NULL);
  CU_ASSERT_EQUAL (a.answers, 1);
  CU_ASSERT_EQUAL (b.answers, 1);
  call_service_ask (service, PHONE_REFER, "+1", "k", &c.asker);
  CU_ASSERT_EQUAL (c.answers, 1);
  CU_ASSERT_STRING_EQUAL (c.why, "");
  CU_ASSERT_EQUAL (phone.begun, 1);
  CU_ASSERT_EQUAL (told.count, 1);
  CU_ASSERT_STRING_EQUAL (told.last, "played refer +1 k done");
  call_service_free (service);
  CU_ASSERT_EQUAL (phone.dropped, 0);
  CU_ASSERT_EQUAL (phone.freed, 1);
}

static void
test_other_content (void)
{
  begin (&way);
  call_service_ask (service, PHONE_REFER, "+1", "k", NULL);
  call_service_ask (service, PHONE_REFER, "+2", "k", &a.asker);
  CU_ASSERT_STRING_EQUAL (a.why, "the idempotency key is another request's");
  call_service_ask (service, PHONE_SAY, "+1", "k", &b.asker);
  CU_ASSERT_STRING_EQUAL (b.why, "the idempotency key is another request's");
  CU_ASSERT_EQUAL (phone.begun, 1);
  call_service_free (service);
}

static void
test_failed_may_be_tried_again (void)
{
  begin (&way);
  call_service_ask (service, PHONE_REFER, "+1", "k", &a.asker);
  phone_order_end (phone.open[0], "503");
  CU_ASSERT_STRING_EQUAL (a.why, "503");
  CU_ASSERT_STRING_EQUAL (told.last, "played refer +1 k 503");
  call_service_ask (service, PHONE_REFER, "+1", "k", &b.asker);
  CU_ASSERT_EQUAL (phone.begun, 2);
  CU_ASSERT_EQUAL (b.answers, 0);
  call_service_free (service);
}

static void
test_without_key (void)
{
  begin (&way);
  call_service_ask (service, PHONE_SAY, "hello", NULL, &a.asker);
  phone_order_end (phone.open[0], NULL);
  call_service_ask (service, PHONE_SAY, "hello", NULL, &b.asker);
  phone_order_end (phone.open[1], NULL);
  CU_ASSERT_EQUAL (a.answers + b.answers, 2);
  CU_ASSERT_EQUAL (phone.begun, 2);
  CU_ASSERT_STRING_EQUAL (told.last, "played say hello - done");
  call_service_free (service);
}

static void
test_leaving (void)
{
  begin (&way);
  call_service_ask (service, PHONE_REFER, "+1", "k", &a.asker);
  call_service_leave (&a.asker);
  call_service_leave (&a.asker);
  phone_order_end (phone.open[0], NULL); /* it went on, and is known */
  CU_ASSERT_EQUAL (a.answers, 0);
  call_service_ask (service, PHONE_REFER, "+1", "k", &b.asker);
  CU_ASSERT_EQUAL (b.answers, 1);
  CU_ASSERT_EQUAL (phone.begun, 1);
  call_service_free (service);
}

static void
test_end_of_the_call (void)
{
  begin (&way);
  call_service_ask (service, PHONE_REFER, "+1", "k", &a.asker);
  call_service_free (service);
  CU_ASSERT_EQUAL (phone.dropped, 1);
  CU_ASSERT_STRING_EQUAL (a.why, "the telephone call has ended");
  CU_ASSERT_EQUAL (told.count, 0);
}

static void
test_refusals (void)
{
  static char long_text[PHONE_TEXT_MAX + 2];
  const struct {
    enum phone_act act;
    const char *text, *key, *why;
  } rows[] = {
    { PHONE_REFER, "", "k", "the target is neither a SIP URI nor a number" },
    { PHONE_REFER, "sip:a\nb", "k", "the target is neither a SIP URI nor a number" },
    { PHONE_REFER, "+1", "", "the idempotency key is none" },
    { PHONE_REFER, "+1", "a\rb", "the idempotency key is none" },
    { PHONE_SAY, "", NULL, "there is nothing to say" },
    { PHONE_SAY, long_text, NULL, "the text is too long" },
    { PHONE_DTMF, "1", NULL, "this telephone can't do that" },
    { PHONE_HANGUP, "", NULL, "this telephone can't do that" },
  };

  memset (long_text, 'x', sizeof long_text - 1);
  begin (&way);
  CU_ASSERT_EQUAL (call_service_acts (service), 1U << PHONE_REFER | 1U << PHONE_SAY);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    a = (struct waiting){ .asker.answered = on_answered };
    call_service_ask (service, rows[i].act, rows[i].text, rows[i].key, &a.asker);
    CU_ASSERT_STRING_EQUAL (a.why, rows[i].why);
  }
  CU_ASSERT_EQUAL (phone.begun, 0);
  CU_ASSERT_EQUAL (told.count, 0);
  call_service_free (service);
}

static void
test_many (void)
{
  begin (&way);
  for (int i = 0; i < PHONE_ORDERS_MAX; i++) {
    char key[16];
    snprintf (key, sizeof key, "k%d", i);
    call_service_ask (service, PHONE_REFER, "+1", key, NULL);
  }
  call_service_ask (service, PHONE_REFER, "+1", "more", &a.asker);
  CU_ASSERT_STRING_EQUAL (a.why, "too much was asked of this telephone call");
  call_service_free (service);
  CU_ASSERT_EQUAL (phone.dropped, PHONE_ORDERS_MAX);
}

static void
test_recording (void)
{
  begin (NULL);
  CU_ASSERT_EQUAL (call_service_acts (service), (1U << PHONE_ACTS) - 1);
  call_service_ask (service, PHONE_DTMF, "1#A", NULL, &a.asker);
  CU_ASSERT_EQUAL (a.answers, 1);
  CU_ASSERT_STRING_EQUAL (told.last, "recording dtmf 1#A - done");
  call_service_ask (service, PHONE_DTMF, "1E", NULL, &b.asker);
  CU_ASSERT_STRING_EQUAL (b.why, "tones are written with 0 to 9, A to D, * and #");
  call_service_ask (service, PHONE_HANGUP, "", NULL, &c.asker);
  CU_ASSERT_STRING_EQUAL (told.last, "recording hangup  - done");
  call_service_free (service);
}

static CU_TestInfo tests[] = {
  { "A0-13 the same key is done once, and all who ask are told", test_once },
  { "A0-13 a key that is another request's does nothing", test_other_content },
  { "what failed may be asked again", test_failed_may_be_tried_again },
  { "without a key each is another one", test_without_key },
  { "what was asked goes on when who asked leaves", test_leaving },
  { "the end of the call answers who waits", test_end_of_the_call },
  { "what can't be asked is told in words", test_refusals },
  { "too much is refused", test_many },
  { "the recording telephone does all", test_recording },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "call service", NULL, NULL, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
