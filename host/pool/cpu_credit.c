#include "pool/cpu_credit.h"

/* What a process may use besides its calls: frames, and the end of a call that was told to stop. */
static const int64_t SLACK_NS = 1000000000;
/* Of real time, what threads of a plugin's own may use whoever calls: a fiftieth. */
enum { OWN_PART = 50 };

void
cpu_credit_init (struct cpu_credit *credit)
{
  *credit = (struct cpu_credit){ .left_ns = SLACK_NS };
}

void
cpu_credit_begin (struct cpu_credit *credit, int64_t limit_ns)
{
  credit->begun_ns += limit_ns;
  credit->running_ns += limit_ns;
  credit->unlimited += limit_ns == 0;
}

void
cpu_credit_end (struct cpu_credit *credit, int64_t limit_ns)
{
  credit->running_ns -= limit_ns;
  credit->unlimited -= limit_ns == 0;
}

bool
cpu_credit_take (struct cpu_credit *credit, int64_t cpu_ns, int64_t passed_ns)
{
  bool enough;

  credit->left_ns += credit->begun_ns + passed_ns / OWN_PART - (cpu_ns - credit->seen_ns);
  credit->begun_ns = 0;
  credit->seen_ns = cpu_ns;
  if (credit->left_ns > SLACK_NS + credit->running_ns)
    credit->left_ns = SLACK_NS + credit->running_ns;
  enough = credit->left_ns >= 0 || credit->unlimited != 0;
  if (credit->left_ns < 0) /* told once; whoever lets it pass begins anew */
    credit->left_ns = 0;
  return enough;
}
