/* SIGKILL in the middle of writing. */
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store_file.h"

enum { KILLS = 20, AT_ONCE = 16, CALLS_MAX = 200000 };

/* What the child was told, in memory that outlives it. */
struct ledger {
  atomic_uint next;              /* the number of the next claim */
  atomic_uchar won[CALLS_MAX];   /* 1: told */
  atomic_uchar ended[CALLS_MAX]; /* 1: told */
};

struct life {
  struct ledger *ledger;
  unsigned number;
};

static void begin_life (struct life *life);

static void
on_life_ended (void *ctx, enum store_status status)
{
  struct life *life = ctx;

  if (status == STORE_OK)
    life->ledger->ended[life->number] = 1;
  begin_life (life);
}

static void
on_life_won (void *ctx, enum store_claimed verdict, const struct store_call *call)
{
  struct life *life = ctx;
  struct store_finish finish = { .key = key_of (life->number), .result = TEXT ("done") };

  (void) call;
  if (verdict != STORE_WON)
    _exit (1);
  life->ledger->won[life->number] = 1;
  store_finish (bed.store, &finish, on_life_ended, life);
}

static void
begin_life (struct life *life)
{
  struct store_claim claim;

  life->number = atomic_fetch_add (&life->ledger->next, 1);
  if (life->number >= CALLS_MAX)
    _exit (2);
  claim = claim_of (life->number, 1);
  store_claim (bed.store, &claim, on_life_won, life);
}

static void
live (struct ledger *ledger)
{
  struct life lives[AT_ONCE];

  bed.loop = ev_loop_new (EVFLAG_AUTO);
  bed.settings.loop = bed.loop;
  rig_start (&bed);
  for (int i = 0; i < AT_ONCE; i++) {
    lives[i] = (struct life){ .ledger = ledger };
    begin_life (&lives[i]);
  }
  ev_run (bed.loop, 0);
  _exit (3);
}

static void
kill_in_the_middle (struct ledger *ledger, unsigned acts)
{
  unsigned from = ledger->next;
  pid_t child = fork ();
  int status;

  if (child == 0)
    live (ledger);
  while (ledger->next < from + acts && waitpid (child, &status, WNOHANG) == 0)
    sched_yield ();
  kill (child, SIGKILL);
  waitpid (child, &status, 0);
  CU_ASSERT_TRUE (WIFSIGNALED (status) && WTERMSIG (status) == SIGKILL);
}

/* All that was told is there; what is there besides was being told. */
static void
check_ledger (const struct ledger *ledger, unsigned from, unsigned until)
{
  unsigned lost = 0;

  for (unsigned i = from; i < until; i++) {
    struct said said = rig_lookup (&bed, i);
    bool there = said.status == STORE_OK;

    lost += ledger->won[i] && !there;
    lost += ledger->ended[i] && (!there || said.call.state != STORE_ENDED);
    lost += there && said.call.state == STORE_RUNNING;
    lost += there && said.call.state == STORE_ENDED && !is_text (said.call.result, "done");
  }
  CU_ASSERT_EQUAL (lost, 0);
}

static void
what_was_told_survives_sigkill (void)
{
  struct ledger *ledger =
    mmap (NULL, sizeof *ledger, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  struct ev_loop *loop = bed.loop;

  rig_stop (&bed);
  for (unsigned i = 0; i < KILLS; i++) {
    unsigned from = ledger->next;

    kill_in_the_middle (ledger, AT_ONCE + 1 + i * 37);
    bed.loop = loop;
    rig_start (&bed);
    check_ledger (ledger, from, ledger->next);
    rig_stop (&bed);
  }
  rig_start (&bed);
  check_ledger (ledger, 0, ledger->next);
  CU_ASSERT_TRUE (ledger->next > KILLS * AT_ONCE);
  munmap (ledger, sizeof *ledger);
}

CU_TestInfo file_kills[] = {
  { "what was told survives SIGKILL", what_was_told_survives_sigkill },
  CU_TEST_INFO_NULL,
};
