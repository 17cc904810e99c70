/* Every engine keeps the contract of the store, also one that often can't say what it did. */
#include "store_contract.h"

struct rig bed;

static void
open_memory (void)
{
  rig_open (&bed, RIG_MEMORY);
}

static void
open_sqlite (void)
{
  rig_open (&bed, RIG_SQLITE);
}

static void
open_memory_faults (void)
{
  rig_open (&bed, RIG_MEMORY_FAULTS);
}

static void
open_sqlite_faults (void)
{
  rig_open (&bed, RIG_SQLITE_FAULTS);
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
    { name ": records", NULL, NULL, open, close_bed, contract_records },                           \
  {                                                                                                \
    name ": turns", NULL, NULL, open, close_bed, contract_front                                    \
  }

static CU_SuiteInfo suites[] = {
  SUITES ("memory", open_memory),
  SUITES ("sqlite", open_sqlite),
  SUITES ("memory with faults", open_memory_faults),
  SUITES ("sqlite with faults", open_sqlite_faults),
  CU_SUITE_INFO_NULL,
};
TAP_MAIN (suites)
