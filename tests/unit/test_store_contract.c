/* Every engine keeps the contract of the store, also one that often can't say what it did. */
#include "store_contract.h"

struct rig bed;

static void
open_memory (void)
{
  rig_open (&bed, RIG_MEMORY);
}

static void
open_faults (void)
{
  rig_open (&bed, RIG_FAULTS);
}

static void
close_bed (void)
{
  rig_close (&bed);
}

#define SUITES(name, open)                                                                         \
  { name ": calls", NULL, NULL, open, close_bed, contract_calls },                                 \
    { name ": definitions", NULL, NULL, open, close_bed, contract_definitions },                   \
    { name ": contexts and letters", NULL, NULL, open, close_bed, contract_others },               \
  {                                                                                                \
    name ": turns", NULL, NULL, open, close_bed, contract_front                                    \
  }

static CU_SuiteInfo suites[] = {
  SUITES ("memory", open_memory),
  SUITES ("faults", open_faults),
  CU_SUITE_INFO_NULL,
};
TAP_MAIN (suites)
