/* The back-off and the circuit breaker; the clock is a number. */
#include "pool/breaker.h"
#include "tap.h"

static const struct breaker_settings settings = { .backoff_min = 0.1,
                                                  .backoff_max = 30,
                                                  .max_crashes = 5,
                                                  .window = 60,
                                                  .quarantine = 30,
                                                  .quarantine_max = 600 };

static bool
near (double a, double b)
{
  return a - b < 1e-6 && b - a < 1e-6;
}

static void
back_off_doubles_and_has_an_end (void)
{
  struct breaker b;
  double now = 1000, expected = 0.1;

  breaker_init (&b, &settings);
  CU_ASSERT_EQUAL (breaker_wait (&b, now), 0);
  for (int i = 0; i < 12; i++, now += 100) { /* too far apart for the circuit */
    CU_ASSERT_FALSE (breaker_crashed (&b, now, 0));
    CU_ASSERT_TRUE (near (breaker_wait (&b, now), expected));
    CU_ASSERT_EQUAL (breaker_wait (&b, now + expected), 0);
    expected = expected * 2 < 30 ? expected * 2 : 30;
  }
  CU_ASSERT_TRUE (near (expected, 30));
  breaker_clear (&b);
}

static void
jitter_takes_off_up_to_a_half (void)
{
  struct breaker b;

  breaker_init (&b, &settings);
  (void) breaker_crashed (&b, 10, 0.999999999);
  CU_ASSERT_TRUE (near (breaker_wait (&b, 10), 0.05));
  breaker_release (&b);
  (void) breaker_crashed (&b, 10, 0.5);
  CU_ASSERT_TRUE (near (breaker_wait (&b, 10), 0.075));
  breaker_clear (&b);
}

static void
an_answer_ends_the_back_off (void)
{
  struct breaker b;

  breaker_init (&b, &settings);
  (void) breaker_crashed (&b, 10, 0);
  (void) breaker_crashed (&b, 10, 0);
  CU_ASSERT_TRUE (near (breaker_wait (&b, 10), 0.2));
  breaker_answered (&b);
  CU_ASSERT_EQUAL (breaker_wait (&b, 10), 0);
  (void) breaker_crashed (&b, 11, 0);
  CU_ASSERT_TRUE (near (breaker_wait (&b, 11), 0.1));
  breaker_clear (&b);
}

/* Crashes until the circuit opens, each after `step`, and an answer between them or not. */
static int
crashes_until_open (double step, bool answers)
{
  struct breaker b;
  double now = 1000;
  int count = 0;

  breaker_init (&b, &settings);
  while (count < 100) {
    count++;
    if (breaker_crashed (&b, now, 0))
      break;
    if (answers)
      breaker_answered (&b);
    now += step;
  }
  breaker_clear (&b);
  return count;
}

static void
crashes_are_counted_in_a_window (void)
{
  CU_ASSERT_EQUAL (crashes_until_open (1, false), 5);
  CU_ASSERT_EQUAL (crashes_until_open (1, true), 5); /* every second call crashes */
  CU_ASSERT_EQUAL (crashes_until_open (15, true), 5);
  CU_ASSERT_EQUAL (crashes_until_open (15.1, true), 100); /* never five in a minute */
}

/* The settings may change; so does what they say. */
static void
the_limit_may_change (void)
{
  struct breaker_settings changing = settings;
  struct breaker b;

  breaker_init (&b, &changing);
  for (int i = 0; i < 4; i++)
    CU_ASSERT_FALSE (breaker_crashed (&b, 10, 0));
  changing.max_crashes = 2;
  CU_ASSERT_FALSE (breaker_crashed (&b, 10, 0)); /* counted anew */
  CU_ASSERT_TRUE (breaker_crashed (&b, 10, 0));
  breaker_release (&b);
  changing.max_crashes = 1;
  CU_ASSERT_TRUE (breaker_crashed (&b, 10, 0));
  breaker_clear (&b);
}

static void
open_until (struct breaker *b, double now)
{
  while (!breaker_crashed (b, now, 0))
    ;
}

static void
open_for_a_time (void)
{
  struct breaker b;

  breaker_init (&b, &settings);
  open_until (&b, 100);
  CU_ASSERT_TRUE (near (breaker_admit (&b, 100), 30));
  CU_ASSERT_TRUE (near (breaker_admit (&b, 129), 1));
  CU_ASSERT_TRUE (breaker_wait (&b, 129) < 0);
  CU_ASSERT_FALSE (breaker_crashed (&b, 110, 0)); /* others on their way out change nothing */
  breaker_answered (&b);
  CU_ASSERT_TRUE (near (breaker_admit (&b, 129), 1));
  breaker_clear (&b);
}

static void
one_call_is_tried (void)
{
  struct breaker b;

  breaker_init (&b, &settings);
  open_until (&b, 100);
  CU_ASSERT_TRUE (breaker_wait (&b, 130) < 0); /* nothing is started for nobody */
  CU_ASSERT_EQUAL (breaker_admit (&b, 130), 0);
  CU_ASSERT_EQUAL (b.circuit, CIRCUIT_HALF_OPEN);
  CU_ASSERT_EQUAL (breaker_wait (&b, 130), 0);
  CU_ASSERT_TRUE (breaker_admit (&b, 130) > 0); /* the second has to wait */
  breaker_undecided (&b);
  CU_ASSERT_TRUE (breaker_wait (&b, 131) < 0);
  CU_ASSERT_EQUAL (breaker_admit (&b, 131), 0); /* and is the next to be tried */
  breaker_answered (&b);
  CU_ASSERT_EQUAL (b.circuit, CIRCUIT_CLOSED);
  CU_ASSERT_EQUAL (breaker_admit (&b, 131), 0);
  CU_ASSERT_EQUAL (breaker_admit (&b, 131), 0);
  CU_ASSERT_FALSE (breaker_crashed (&b, 131, 0)); /* nothing is left of the crashes before */
  breaker_clear (&b);
}

static void
quarantine_doubles_and_has_an_end (void)
{
  static const double lengths[] = { 30, 60, 120, 240, 480, 600, 600 };
  struct breaker b;
  double now = 100;

  breaker_init (&b, &settings);
  open_until (&b, now);
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    CU_ASSERT_TRUE (near (breaker_admit (&b, now), lengths[i]));
    now += lengths[i] + 1;
    CU_ASSERT_EQUAL (breaker_admit (&b, now), 0);
    CU_ASSERT_TRUE (breaker_crashed (&b, now, 0)); /* one is enough */
  }
  now += 601;
  CU_ASSERT_EQUAL (breaker_admit (&b, now), 0);
  breaker_answered (&b);
  open_until (&b, now);
  CU_ASSERT_TRUE (near (breaker_admit (&b, now), 30)); /* from the beginning */
  breaker_clear (&b);
}

/* What is nobody's crash delays, and opens nothing. */
static void
failures_of_the_system (void)
{
  struct breaker b;

  breaker_init (&b, &settings);
  for (int i = 0; i < 100; i++)
    breaker_failed (&b, 10, 0);
  CU_ASSERT_EQUAL (b.circuit, CIRCUIT_CLOSED);
  CU_ASSERT_TRUE (near (breaker_wait (&b, 10), 30));
  breaker_release (&b);
  open_until (&b, 100);
  CU_ASSERT_EQUAL (breaker_admit (&b, 130), 0);
  breaker_failed (&b, 130, 0); /* the call that is tried waits for another start */
  CU_ASSERT_TRUE (near (breaker_wait (&b, 130), 0.1));
  CU_ASSERT_EQUAL (b.circuit, CIRCUIT_HALF_OPEN);
  breaker_clear (&b);
}

static void
released (void)
{
  struct breaker b;

  breaker_init (&b, &settings);
  open_until (&b, 100);
  breaker_release (&b);
  CU_ASSERT_EQUAL (breaker_admit (&b, 100), 0);
  CU_ASSERT_EQUAL (breaker_wait (&b, 100), 0);
  open_until (&b, 100);
  CU_ASSERT_TRUE (near (breaker_admit (&b, 100), 30)); /* not twice as long */
  breaker_clear (&b);
}

static CU_TestInfo tests[] = {
  { "back-off doubles and has an end", back_off_doubles_and_has_an_end },
  { "jitter takes off up to a half", jitter_takes_off_up_to_a_half },
  { "an answer ends the back-off", an_answer_ends_the_back_off },
  { "crashes are counted in a window", crashes_are_counted_in_a_window },
  { "the limit may change", the_limit_may_change },
  { "open for a time", open_for_a_time },
  { "one call is tried", one_call_is_tried },
  { "quarantine doubles and has an end", quarantine_doubles_and_has_an_end },
  { "failures of the system", failures_of_the_system },
  { "released", released },
  CU_TEST_INFO_NULL
};
static CU_SuiteInfo suites[] = { { "breaker", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
