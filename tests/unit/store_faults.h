/* store_faults.h - an engine around another that lies about what it did.
 *
 * By itself every act that may be asked again is, by turns: done and said to be unavailable; not
 * done and said to be unavailable; done and told.  Or it does what it is told by `mode`.  Outcomes
 * come some turns of the loop late. */
#ifndef TOOLHOST_TESTS_UNIT_STORE_FAULTS_H
#define TOOLHOST_TESTS_UNIT_STORE_FAULTS_H

#include "store/store_engine.h"

enum fault {
  FAULT_BY_TURNS,
  FAULT_NONE,
  FAULT_UNTOLD, /* it is done, and nobody is told */
  FAULT_NOT_DONE
};

struct store_engine *faults_new (struct store_engine *inner, struct ev_loop *loop);
void faults_set (struct store_engine *faults, enum fault fault);

#endif
