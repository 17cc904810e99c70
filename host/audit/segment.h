/* segment.h - the files of the audit: audit-SEQ.jsonl in one folder, SEQ being the twenty digits of
 * the first record's number, so that their names sort as they follow.  One thread at a time. */
#ifndef TOOLHOST_AUDIT_SEGMENT_H
#define TOOLHOST_AUDIT_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "audit/chain.h"
#include "base/buf.h"
#include "base/error.h"

enum {
  SEGMENT_NAME_SIZE = 40,
  SEGMENT_LINE_MAX = 64 * 1024 /* bytes of a record; one is never longer */
};

struct segments {
  int folder;
  int fd; /* of the last; -1: the next write begins one */
  size_t size, size_max;
  bool begun; /* a new one was, since this was last set back */
};

/* Find the end of the chain that stands in the folder (borrowed; a copy is kept); an empty one
 * begins.  False: the last record can't be read, or there is no such folder. */
bool segments_open (struct segments *segments, int folder, size_t size_max,
                    const struct audit_key *key, struct audit_link *link, struct error *err);
void segments_close (struct segments *segments);

/* Append whole records, of which `first` is the first one's number: all of them or, false, none. */
bool segments_write (struct segments *segments, const struct buf *lines, uint64_t first,
                     struct error *err);
void segments_sync (struct segments *segments);
/* What stands in the folder. */
struct segments_found {
  size_t count;
  uint64_t bytes;
  /* the oldest, if it is not the last one */
  char oldest[SEGMENT_NAME_SIZE]; /* "": there is none */
  int64_t written_ms;             /* when it was last, Unix time */
  struct audit_link end;          /* its last record */
};
/* False: the folder, or the end of the oldest, can't be read. */
bool segments_look (const struct segments *segments, const struct audit_key *key,
                    struct segments_found *found);
bool segments_remove (struct segments *segments, const char *name);

bool segment_is_name (const char *name);
/* The names of the segments of a folder, in order, each malloced; how many.  -1: it can't be
 * read. */
int segments_list (int folder, char ***names);
void segments_list_free (char **names, int count);

#endif
