#include "base/hash.h"

#include <sys/random.h>

#include "base/clock.h"

uint64_t hash_seed;

__attribute__ ((constructor)) static void
choose_seed (void)
{
  if (getrandom (&hash_seed, sizeof hash_seed, GRND_NONBLOCK) != sizeof hash_seed)
    hash_seed = (uint64_t) clock_ns () * UINT64_C (0x9E3779B97F4A7C15) ^ (uintptr_t) &hash_seed;
}
