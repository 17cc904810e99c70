/* audit.h - who did what: a record of each call, decision and change, in files that can be proved
 * whole (chain.h).
 *
 * Records are written by a thread of their own, a batch every few hundredths of a second, and
 * reach the disk within a second; nothing waits for them.  What the disk does not take waits in
 * memory up to a bound; what is lost then is told in the chain itself ("audit_gap"), never passed
 * over.
 *
 * Files are segments, audit-SEQ.jsonl by the number of their first record, in one folder.  A new
 * one is begun when the last is full, or was torn by a fall of the machine; those that are older
 * than they are to be kept, or too many, are removed.  Before that a record on the disk tells
 * which, and where its chain ended: what is left is held by that.
 *
 * audit_add: any thread; all others: the loop's. */
#ifndef TOOLHOST_AUDIT_AUDIT_H
#define TOOLHOST_AUDIT_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "audit/chain.h"
#include "base/error.h"

struct audit;
struct log;

struct audit_settings {
  int folder;         /* a descriptor of it; borrowed until audit_open returns */
  size_t segment_max; /* bytes; a segment ends with the record that passes it */
  int64_t keep_ms;    /* how long a segment is kept after its last record; 0: for ever */
  uint64_t disk_max;  /* bytes of all segments: the oldest go, never the last; 0: no bound */
  size_t waiting_max; /* bytes that may wait for the disk */
  struct audit_key key;
  struct log *log;               /* hears that it fails, and that it is well again */
  int64_t (*now_ms) (void *ctx); /* Unix time, for tests; NULL: the clock.  Any thread */
  void *ctx;
};

struct audit_figures {
  uint64_t records;        /* taken */
  uint64_t written;        /* of them, in files */
  uint64_t lost;           /* of them, for which there was no room */
  uint64_t failures;       /* writes that failed */
  uint64_t bytes;          /* written */
  uint64_t removed;        /* segments */
  uint64_t segments, disk; /* as of the last look: how many there are, bytes of them */
  bool well;
};

/* Go on with the chain that stands in the folder, or begin one.  NULL: err says why. */
struct audit *audit_open (const struct audit_settings *settings, struct error *err);
/* Write what waits (a disk that takes nothing is given up after a second), and free.  NULL is
 * fine. */
void audit_close (struct audit *audit);

/* A record: `object` is a JSON object on one line, none of whose members is named as those of
 * chain.h, and is cut off with a note when it is longer than 16 KiB.  NULL as audit: nothing
 * happens. */
void audit_add (struct audit *audit, const char *event, const char *object, size_t len);

/* Does it take records, and write them?  True of NULL. */
bool audit_is_well (const struct audit *audit);
struct audit_figures audit_figures (struct audit *audit);

#endif
