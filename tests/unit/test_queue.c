/* The queue of a unit: shares, bounds, limits, and a long random run against a naive model. */
#include "pool/queue.h"
#include "tap.h"

enum { JOBS = 400, TENANTS = 4, PRINCIPALS = 5 };

static const char *const tenant_names[TENANTS] = { "a", "b", "c", "d" };
static const char *const principal_names[PRINCIPALS] = { "p", "q", "r", "s", "t" };

struct fixture {
  struct tenants tenants;
  struct queue queue;
  unsigned wakes;
  struct job jobs[JOBS];
  bool used[JOBS];
};

static void
on_wake (void *ctx)
{
  ((struct fixture *) ctx)->wakes++;
}

static struct fixture *
fixture_new (unsigned max, unsigned per_tenant)
{
  struct fixture *f = calloc (1, sizeof *f);

  queue_init (
    &f->queue,
    &(struct queue_settings){
      .tenants = &f->tenants, .max = max, .per_tenant = per_tenant, .wake = on_wake, .ctx = f });
  return f;
}

static void
fixture_free (struct fixture *f)
{
  struct job *job;

  while ((job = queue_any (&f->queue)) != NULL)
    queue_remove (&f->queue, job);
  CU_ASSERT_EQUAL (queue_count (&f->queue), 0);
  queue_clear (&f->queue);
  tenants_clear (&f->tenants);
  free (f);
}

static struct job *
job_of (struct fixture *f, const char *tenant, const char *principal)
{
  unsigned i = 0;

  while (f->used[i])
    i++;
  f->used[i] = true;
  f->jobs[i] = (struct job){ .tenant = tenant, .principal = principal };
  return &f->jobs[i];
}

static void
give_back (struct fixture *f, const struct job *job)
{
  f->used[job - f->jobs] = false;
}

static struct job *
put (struct fixture *f, const char *tenant, const char *principal)
{
  struct job *loser = queue_put (&f->queue, job_of (f, tenant, principal));

  if (loser != NULL)
    give_back (f, loser);
  return loser;
}

/* Whose turn it is has it, and is done at once; ' ' when nobody waits. */
static char
serve (struct fixture *f, bool by_principal)
{
  struct job *job = queue_next (&f->queue, NULL);
  char name;

  if (job == NULL)
    return ' ';
  name = by_principal ? job->principal[0] : job->tenant[0];
  flow_ended (queue_take (&f->queue, job), 1);
  give_back (f, job);
  return name;
}

static const char *
served (struct fixture *f, unsigned count, bool by_principal)
{
  static char names[JOBS + 1];

  for (unsigned i = 0; i < count; i++)
    names[i] = serve (f, by_principal);
  names[count] = '\0';
  return names;
}

/* ---- order ---- */

static void
test_first_in_first_out (void)
{
  struct fixture *f = fixture_new (10, 0);
  struct job *first = job_of (f, NULL, NULL), *second = job_of (f, "default", NULL);

  CU_ASSERT_PTR_NULL (queue_next (&f->queue, NULL));
  CU_ASSERT_PTR_NULL (queue_any (&f->queue));
  CU_ASSERT_PTR_NULL (queue_put (&f->queue, first));
  CU_ASSERT_PTR_NULL (queue_put (&f->queue, second));
  CU_ASSERT_EQUAL (queue_count (&f->queue), 2);
  CU_ASSERT_PTR_EQUAL (queue_next (&f->queue, NULL), first);
  flow_ended (queue_take (&f->queue, first), 1);
  CU_ASSERT_PTR_EQUAL (queue_next (&f->queue, NULL), second);
  CU_ASSERT_PTR_EQUAL (queue_next (&f->queue, "default"), second);
  CU_ASSERT_PTR_NULL (queue_next (&f->queue, "other"));
  fixture_free (f);
}

/* A flood of 100 is there; who comes then is next but one. */
static void
test_flood_delays_nobody (void)
{
  struct fixture *f = fixture_new (200, 0);

  for (int i = 0; i < 100; i++)
    put (f, "a", "p");
  (void) served (f, 10, false);
  put (f, "b", "p");
  CU_ASSERT_PTR_NOT_NULL (strchr (served (f, 2, false), 'b'));
  put (f, "a", "q"); /* of the same tenant */
  CU_ASSERT_PTR_NOT_NULL (strchr (served (f, 2, true), 'q'));
  fixture_free (f);
}

/* A caller that always has one call waiting and no more gets no more than its share. */
static void
test_no_credit_for_coming_again (void)
{
  struct fixture *f = fixture_new (300, 0);
  unsigned light = 0;

  for (int i = 0; i < 200; i++)
    put (f, "a", "p");
  for (int i = 0; i < 100; i++) {
    if (queue_next (&f->queue, "b") == NULL)
      put (f, "b", "p");
    light += serve (f, false) == 'b';
  }
  CU_ASSERT (light >= 49 && light <= 51);
  fixture_free (f);
}

static void
test_weights (void)
{
  struct fixture *f = fixture_new (JOBS, 0);
  unsigned counts[3] = { 0 };

  tenants_set_weight (&f->tenants, "a", 1);
  tenants_set_weight (&f->tenants, "b", 3);
  tenants_set_weight (&f->tenants, "c", 6);
  for (int round = 0; round < 1000; round++) {
    for (int t = 0; t < 3; t++)
      while (queue_next (&f->queue, tenant_names[t]) == NULL || queue_count (&f->queue) < 30)
        put (f, tenant_names[t], "p");
    counts[serve (f, false) - 'a']++;
  }
  CU_ASSERT (counts[0] >= 97 && counts[0] <= 103);
  CU_ASSERT (counts[1] >= 297 && counts[1] <= 303);
  CU_ASSERT (counts[2] >= 597 && counts[2] <= 603);
  fixture_free (f);
}

/* Many principals do not make a tenant's share larger. */
static void
test_principals_share_their_tenant (void)
{
  struct fixture *f = fixture_new (JOBS, 0);
  unsigned one = 0, p = 0;

  for (int i = 0; i < 100; i++)
    put (f, "a", "p");
  for (int i = 0; i < 40; i++)
    for (int who = 0; who < PRINCIPALS; who++)
      put (f, "b", principal_names[who]);
  for (int i = 0; i < 100; i++) {
    struct job *job = queue_next (&f->queue, NULL);
    one += job->tenant[0] == 'a';
    p += job->tenant[0] == 'b' && job->principal[0] == 'p';
    flow_ended (queue_take (&f->queue, job), 1);
  }
  CU_ASSERT_EQUAL (one, 50);
  CU_ASSERT_EQUAL (p, 10);
  fixture_free (f);
}

/* ---- bounds ---- */

static void
test_full (void)
{
  struct fixture *f = fixture_new (10, 0);
  struct job *job;

  for (int i = 0; i < 10; i++)
    CU_ASSERT_PTR_NULL (put (f, "a", "p"));
  job = put (f, "a", "p"); /* the only one there: it is refused */
  CU_ASSERT_PTR_EQUAL (job, &f->jobs[10]);
  job = put (f, "b", "p"); /* has less than its share: the last of the others goes */
  CU_ASSERT_PTR_EQUAL (job, &f->jobs[9]);
  CU_ASSERT_EQUAL (queue_count (&f->queue), 10);
  job = put (f, "a", "q"); /* the same inside a tenant */
  CU_ASSERT_PTR_EQUAL (job, &f->jobs[8]);
  for (int i = 0; i < 20; i++)
    put (f, "b", "p");
  CU_ASSERT_EQUAL (queue_count (&f->queue), 10);
  for (int i = 0, a = 0, b = 0; i < 10; i++) {
    char name = serve (f, false);
    a += name == 'a';
    b += name == 'b';
    if (i == 9) {
      CU_ASSERT_EQUAL (a, 5);
      CU_ASSERT_EQUAL (b, 5);
    }
  }
  fixture_free (f);
}

static void
test_weight_counts_when_full (void)
{
  struct fixture *f = fixture_new (40, 0);
  unsigned a = 0;

  tenants_set_weight (&f->tenants, "a", 3);
  for (int i = 0; i < 40; i++)
    put (f, "b", "p");
  for (int i = 0; i < 40; i++)
    put (f, "a", "p");
  while (queue_count (&f->queue) != 0)
    a += serve (f, false) == 'a';
  CU_ASSERT_EQUAL (a, 30);
  fixture_free (f);
}

/* As many callers as come, the memory of them is bounded. */
static void
test_many_names (void)
{
  struct fixture *f = fixture_new (4, 0);
  char name[16];

  for (int i = 0; i < 20000; i++) {
    (void) snprintf (name, sizeof name, "n%d", i);
    put (f, "a", name);
    if (i % 3 == 0)
      (void) serve (f, false);
  }
  CU_ASSERT_EQUAL (queue_count (&f->queue), 4);
  for (int i = 0; i < 4; i++)
    CU_ASSERT_NOT_EQUAL (serve (f, false), ' ');
  fixture_free (f);
}

/* ---- limits of what runs ---- */

static void
test_per_tenant (void)
{
  struct fixture *f = fixture_new (20, 2);
  struct flow *running[3];

  for (int i = 0; i < 5; i++)
    put (f, "a", "p");
  running[0] = queue_take (&f->queue, queue_next (&f->queue, NULL));
  running[1] = queue_take (&f->queue, queue_next (&f->queue, NULL));
  CU_ASSERT_PTR_NULL (queue_next (&f->queue, NULL));
  CU_ASSERT_PTR_NULL (queue_next (&f->queue, "a"));
  put (f, "b", "p"); /* nobody waits behind it */
  CU_ASSERT_STRING_EQUAL (queue_next (&f->queue, NULL)->tenant, "b");
  running[2] = queue_take (&f->queue, queue_next (&f->queue, NULL));
  CU_ASSERT_PTR_NULL (queue_next (&f->queue, NULL));
  flow_ended (running[2], 1);
  CU_ASSERT_PTR_NULL (queue_next (&f->queue, NULL));
  flow_ended (running[0], 1);
  CU_ASSERT_STRING_EQUAL (queue_next (&f->queue, NULL)->tenant, "a");
  flow_ended (running[1], 1);
  CU_ASSERT_EQUAL (f->wakes, 0);
  fixture_free (f);
}

/* Two queues, one limit. */
static void
test_over_all (void)
{
  struct fixture *f = fixture_new (20, 0);
  struct queue other;
  unsigned woken = 0;
  struct flow *running;

  queue_init (&other, &(struct queue_settings){
                        .tenants = &f->tenants, .max = 20, .wake = on_wake, .ctx = f });
  f->tenants.running_max = 1;
  put (f, "a", "p");
  put (f, "a", "p");
  CU_ASSERT_PTR_NULL (queue_put (&other, job_of (f, "a", "p")));
  running = queue_take (&f->queue, queue_next (&f->queue, NULL));
  CU_ASSERT_PTR_NULL (queue_next (&f->queue, NULL));
  CU_ASSERT_PTR_NULL (queue_next (&other, NULL));
  woken = f->wakes;
  flow_ended (running, 1);
  CU_ASSERT_EQUAL (f->wakes, woken + 2); /* both may try */
  running = queue_take (&other, queue_next (&other, NULL));
  CU_ASSERT_PTR_NULL (queue_next (&f->queue, NULL));
  queue_remove (&f->queue, queue_any (&f->queue)); /* who no longer waits is not woken */
  woken = f->wakes;
  flow_ended (running, 1);
  CU_ASSERT_EQUAL (f->wakes, woken);
  queue_clear (&other);
  fixture_free (f);
}

/* ---- when to come again ---- */

static void
test_retry (void)
{
  struct fixture *f = fixture_new (JOBS, 0);
  struct flow *running[2];

  CU_ASSERT_EQUAL (queue_retry_ms (&f->queue), 1000); /* nothing is known */
  for (int i = 0; i < 21; i++)
    put (f, "a", "p");
  for (int i = 0; i < 2; i++)
    running[i] = queue_take (&f->queue, queue_next (&f->queue, NULL));
  flow_ended (running[0], 100000000);
  running[0] = queue_take (&f->queue, queue_next (&f->queue, NULL));
  CU_ASSERT_EQUAL (queue_retry_ms (&f->queue), 1000); /* 18 wait, two at a time, 100 ms each */
  flow_ended (running[0], 900000000);
  CU_ASSERT_EQUAL (queue_retry_ms (&f->queue), 19 * 200); /* one at a time, 200 ms */
  flow_ended (running[1], 400000000000);
  CU_ASSERT_EQUAL (queue_retry_ms (&f->queue), 30000);
  for (int i = 0; i < 200; i++) {
    put (f, "a", "p");
    (void) serve (f, false); /* 1 ns each */
  }
  CU_ASSERT_EQUAL (queue_retry_ms (&f->queue), 50);
  fixture_free (f);
}

/* ---- against a model ---- */

/* The same rules with lists and loops: nothing clever, and nothing shared with the queue. */
struct part {
  unsigned weight, waiting, running;
  bool passed;
  uint64_t due, since_ready, since_loaded;
};

struct level {
  struct part parts[PRINCIPALS];
  uint64_t clock, latest, moments;
};

struct model {
  struct level tenants;
  struct level principals[TENANTS];
  struct job *lists[TENANTS][PRINCIPALS][JOBS];
  unsigned max, per_tenant;
};

static int
first_ready (const struct level *level, unsigned count)
{
  int best = -1;

  for (unsigned i = 0; i < count; i++) {
    const struct part *p = &level->parts[i], *b = best >= 0 ? &level->parts[best] : NULL;
    if (p->waiting != 0 && !p->passed
        && (b == NULL || p->due < b->due || (p->due == b->due && p->since_ready < b->since_ready)))
      best = (int) i;
  }
  return best;
}

static int
most_loaded (const struct level *level, unsigned count)
{
  int best = -1;

  for (unsigned i = 0; i < count; i++) {
    const struct part *p = &level->parts[i], *b = best >= 0 ? &level->parts[best] : NULL;
    uint64_t load = ((uint64_t) p->waiting << 20) / p->weight;
    uint64_t other = b != NULL ? ((uint64_t) b->waiting << 20) / b->weight : 0;
    if (p->waiting != 0
        && (b == NULL || load > other || (load == other && p->since_loaded < b->since_loaded)))
      best = (int) i;
  }
  return best;
}

static void
model_ready (struct level *level, struct part *part)
{
  part->passed = false;
  part->since_ready = ++level->moments;
  if (part->due < level->clock)
    part->due = level->clock;
}

static void
model_in (struct level *level, struct part *part)
{
  if (part->waiting++ != 0)
    return;
  model_ready (level, part);
  part->since_loaded = level->moments;
}

static void
model_out (struct level *level, struct part *part)
{
  unsigned all = 0;

  if (--part->waiting == 0)
    part->passed = false;
  for (unsigned i = 0; i < PRINCIPALS; i++)
    all += level->parts[i].waiting;
  if (all == 0)
    level->clock = level->latest;
}

static unsigned
index_of (const char *const *names, const char *name)
{
  unsigned i = 0;

  while (strcmp (names[i], name) != 0)
    i++;
  return i;
}

static void
model_remove (struct model *m, const struct job *job)
{
  unsigned t = index_of (tenant_names, job->tenant);
  unsigned p = index_of (principal_names, job->principal);
  struct job **list = m->lists[t][p];
  unsigned count = m->principals[t].parts[p].waiting, at = 0;

  while (list[at] != job)
    at++;
  memmove (list + at, list + at + 1, (count - at - 1) * sizeof *list);
  model_out (&m->principals[t], &m->principals[t].parts[p]);
  model_out (&m->tenants, &m->tenants.parts[t]);
}

static bool
model_less (const struct part *newcomer, const struct part *other)
{
  return (newcomer->waiting + 1) * other->weight <= (other->waiting - 1) * newcomer->weight;
}

static struct job *
model_put (struct model *m, struct job *job)
{
  unsigned t = index_of (tenant_names, job->tenant), all = 0;
  unsigned p = index_of (principal_names, job->principal);
  struct level *principals = &m->principals[t];
  struct job *loser = NULL;

  for (int i = 0; i < TENANTS; i++)
    all += m->tenants.parts[i].waiting;
  if (all >= m->max) {
    int most = most_loaded (&m->tenants, TENANTS), whose;
    if ((unsigned) most != t && model_less (&m->tenants.parts[t], &m->tenants.parts[most]))
      whose = most_loaded (&m->principals[most], PRINCIPALS);
    else {
      most = (int) t;
      whose = most_loaded (principals, PRINCIPALS);
      if (whose < 0 || (unsigned) whose == p
          || !model_less (&principals->parts[p], &principals->parts[whose]))
        return job;
    }
    loser = m->lists[most][whose][m->principals[most].parts[whose].waiting - 1];
    model_remove (m, loser);
  }
  m->lists[t][p][principals->parts[p].waiting] = job;
  model_in (principals, &principals->parts[p]);
  model_in (&m->tenants, &m->tenants.parts[t]);
  return loser;
}

static bool
model_may_run (const struct model *m, const struct fixture *f, const struct part *part)
{
  return part->running < m->per_tenant && part->running < f->tenants.running_max;
}

static struct job *
model_next (struct model *m, const struct fixture *f)
{
  int t;

  while ((t = first_ready (&m->tenants, TENANTS)) >= 0) {
    if (model_may_run (m, f, &m->tenants.parts[t]))
      return m->lists[t][first_ready (&m->principals[t], PRINCIPALS)][0];
    m->tenants.parts[t].passed = true;
  }
  return NULL;
}

static void
model_charge (struct level *level, struct part *part)
{
  int first = first_ready (level, PRINCIPALS);

  if (level->parts[first].due > level->clock)
    level->clock = level->parts[first].due;
  part->due += (1U << 20) / part->weight;
  if (part->due > level->latest)
    level->latest = part->due;
}

static void
model_take (struct model *m, const struct job *job)
{
  unsigned t = index_of (tenant_names, job->tenant);
  unsigned p = index_of (principal_names, job->principal);

  model_charge (&m->principals[t], &m->principals[t].parts[p]);
  model_charge (&m->tenants, &m->tenants.parts[t]);
  m->tenants.parts[t].running++;
  model_remove (m, job);
}

static void
model_ended (struct model *m, unsigned tenant)
{
  struct part *part = &m->tenants.parts[tenant];

  part->running--;
  if (part->passed)
    model_ready (&m->tenants, part);
}

static uint32_t
next_random (uint32_t *seed)
{
  *seed = *seed * 1664525U + 1013904223U;
  return *seed >> 8;
}

struct ongoing {
  struct flow *flow;
  unsigned tenant;
};

static void
test_random_run (void)
{
  struct fixture *f = fixture_new (60, 3);
  struct model *m = calloc (1, sizeof *m);
  struct ongoing running[TENANTS * 3];
  unsigned count = 0, waiting = 0, faults = 0, turns = 0, losers = 0;
  uint32_t seed = 7;

  m->max = 60;
  m->per_tenant = 3;
  f->tenants.running_max = 2;
  for (unsigned t = 0; t < TENANTS; t++) {
    m->tenants.parts[t].weight = t * 2 + 1;
    tenants_set_weight (&f->tenants, tenant_names[t], t * 2 + 1);
    for (unsigned p = 0; p < PRINCIPALS; p++)
      m->principals[t].parts[p].weight = 1;
  }
  for (unsigned p = TENANTS; p < PRINCIPALS; p++)
    m->tenants.parts[p].weight = 1;
  for (int step = 0; step < 100000 && faults == 0; step++) {
    uint32_t dice = next_random (&seed) % 100;
    /* now more come than go, now fewer: full, empty, and all between */
    uint32_t coming = step / 1000 % 2 == 0 ? 60 : 25;
    if (dice < coming) {
      struct job *job = job_of (f, tenant_names[next_random (&seed) % TENANTS],
                                principal_names[next_random (&seed) % PRINCIPALS]);
      struct job *mine = model_put (m, job), *its = queue_put (&f->queue, job);
      faults += mine != its;
      losers += its != NULL && its != job;
      waiting += its == NULL;
      if (its != NULL)
        give_back (f, its);
    }
    else if (dice < 80) {
      struct job *mine = model_next (m, f), *its = queue_next (&f->queue, NULL);
      faults += mine != its;
      if (mine == NULL || mine != its)
        continue;
      running[count].tenant = index_of (tenant_names, its->tenant);
      model_take (m, its);
      running[count++].flow = queue_take (&f->queue, its);
      give_back (f, its);
      waiting--;
      turns++;
    }
    else if (dice < 85 && waiting != 0) {
      struct job *job = &f->jobs[next_random (&seed) % JOBS];
      if (!f->used[job - f->jobs])
        continue;
      model_remove (m, job);
      queue_remove (&f->queue, job);
      give_back (f, job);
      waiting--;
    }
    else if (count != 0) {
      unsigned which = next_random (&seed) % count;
      struct ongoing one = running[which];
      running[which] = running[--count];
      model_ended (m, one.tenant);
      flow_ended (one.flow, 1);
    }
    faults += queue_count (&f->queue) != waiting;
  }
  CU_ASSERT_EQUAL (faults, 0);
  CU_ASSERT (turns > 10000);
  CU_ASSERT (losers > 500);
  while (count != 0)
    flow_ended (running[--count].flow, 1);
  free (m);
  fixture_free (f);
}

static CU_TestInfo tests[] = { { "first in, first out", test_first_in_first_out },
                               { "a flood delays nobody", test_flood_delays_nobody },
                               { "no credit for coming again", test_no_credit_for_coming_again },
                               { "turns go by weight", test_weights },
                               { "principals share their tenant",
                                 test_principals_share_their_tenant },
                               { "a full queue takes from the longest", test_full },
                               { "weight counts when it is full", test_weight_counts_when_full },
                               { "any number of names", test_many_names },
                               { "limit of a tenant", test_per_tenant },
                               { "limit of a tenant over all queues", test_over_all },
                               { "when to come again", test_retry },
                               { "100,000 random steps as a model", test_random_run },
                               CU_TEST_INFO_NULL };

static CU_SuiteInfo suites[] = { { "queue", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };

TAP_MAIN (suites)
