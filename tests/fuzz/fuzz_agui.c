/* A stream of AG-UI's events: whatever comes in, what goes out is one event a line, all of them
 * follow the rules, and the run is over, once, when its calls are. */
#include "fuzz.h"

#include "../unit/fake_calls.h"
#include "front/agui/run.h"
#include "front/agui/verify.h"

struct theatre {
  struct fake_env fake;
  struct agui_verifier verifier;
  unsigned over;
};

static struct toolset *
toolset_of (void *ctx)
{
  return catalog_toolset (((struct theatre *) ctx)->fake.env.catalog);
}

static int64_t
now_ms (void *ctx)
{
  (void) ctx;
  return 0;
}

static void
on_say (void *ctx, const char *json, size_t len)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf why = { 0 };
  struct theatre *t = ctx;
  struct json_tape tape;
  struct agui_event e;

  HOLDS (t->over == 0);
  HOLDS (memchr (json, '\n', len) == NULL);
  HOLDS (agui_event_read (&e, &tape, json, len, &json_default_limits, &arena, &why));
  HOLDS (agui_verify (&t->verifier, &e, &why));
}

static void
on_over (void *ctx)
{
  ((struct theatre *) ctx)->over++;
}

/* The calls that run end, each in its turn. */
static void
end_calls (struct theatre *t)
{
  for (size_t i = 0; i < sizeof t->fake.calls.running / sizeof t->fake.calls.running[0]; i++)
    if (t->fake.calls.running[i] != NULL)
      fake_done (&t->fake.calls, i, fake_result ("[]", "1"));
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  CLEANUP_BUF struct buf why = { 0 };
  struct theatre t = { .over = 0 };
  struct agui_run *run;
  size_t half = size / 2;

  fake_env_init (&t.fake);
  run = agui_run_new (&(struct agui_settings){ .env = &t.fake.env,
                                               .principal = "me",
                                               .limits = &json_default_limits,
                                               .verify = true,
                                               .toolset = toolset_of,
                                               .now_ms = now_ms,
                                               .say = on_say,
                                               .over = on_over,
                                               .ctx = &t });
  agui_run_feed (run, (const char *) data, half, false);
  end_calls (&t);
  agui_run_feed (run, (const char *) data + half, size - half, true);
  for (int i = 0; i < 64 && t.over == 0; i++)
    end_calls (&t);
  HOLDS (t.over == 1);
  HOLDS (agui_verify_end (&t.verifier, &why));
  agui_run_free (run);
  agui_verifier_free (&t.verifier);
  fake_env_free (&t.fake);
  return 0;
}
