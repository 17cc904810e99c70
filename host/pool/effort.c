#include "pool/effort.h"

enum { PART = 20 }; /* many such processes leave each other no more */
static const int64_t AN_ANSWER_NS = 5000000;
static const int64_t STAYS_NS = 1000000000;

void
effort_init (struct effort *effort, bool heavy, int64_t now_ns)
{
  *effort = (struct effort){ .heavy = heavy, .heavy_ns = now_ns };
}

bool
effort_look (struct effort *effort, int64_t cpu_ns, uint64_t answered, int64_t passed_ns,
             int64_t now_ns)
{
  const int64_t used = cpu_ns - effort->seen_ns;
  const int64_t fair = (int64_t) (answered - effort->answered) * AN_ANSWER_NS;
  const bool was = effort->heavy;

  effort->seen_ns = cpu_ns;
  effort->answered = answered;
  if (used > passed_ns / PART && used > fair) {
    effort->heavy = true;
    effort->heavy_ns = now_ns;
  }
  else if (now_ns - effort->heavy_ns >= STAYS_NS)
    effort->heavy = false;
  return effort->heavy != was;
}
