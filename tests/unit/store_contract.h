/* store_contract.h - what every engine of the store does: the cases, which test_store_contract.c
 * runs with each engine.  `bed` is opened before each case, and closed after it. */
#ifndef TOOLHOST_TESTS_UNIT_STORE_CONTRACT_H
#define TOOLHOST_TESTS_UNIT_STORE_CONTRACT_H

#include "store_rig.h"
#include "tap.h"

extern struct rig bed;

extern CU_TestInfo contract_calls[], contract_definitions[], contract_others[], contract_records[],
  contract_front[];

#endif
