/* sqlite.h - what the files of the SQLite engine share beside sql.h: its threads. */
#ifndef TOOLHOST_STORE_SQLITE_H
#define TOOLHOST_STORE_SQLITE_H

#include "base/offload.h"
#include "store/sql.h"

struct sqlite_copying;

struct sqlite {
  struct store_engine engine;
  struct sql *sql; /* the thread's while a batch or a step of a copy is there */
  struct ev_loop *loop;
  struct offload *thread; /* one thread: batches, and between them steps of a copy */
  struct offload *aside;  /* another one looks at a copy when it is made; NULL: there was none */
  struct store_batch *batch;
  bool worked; /* the batch is done */
  bool settled;
  struct sqlite_copying *copying;
};

void sqlite_copy (struct store_engine *engine, struct store_copy *copy);

#endif
