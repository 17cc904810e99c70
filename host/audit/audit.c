#include "audit/audit.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "audit/segment.h"
#include "base/buf.h"
#include "base/json_write.h"
#include "watch/log.h"

enum {
  OBJECT_MAX = 16 * 1024,
  BATCH_MS = 20,  /* that records wait for others */
  SYNC_MS = 1000, /* until what was written is on the disk */
  AGAIN_MS = 500, /* until a write that failed is tried again */
  SWEEP_MS = 3600 * 1000
};

/* What waits: an event, a NUL, the length of its members, these, …; made a record by the thread,
 * which has the chain for itself. */
struct audit {
  struct audit_settings settings;
  struct segments segments;
  struct audit_link link;
  pthread_t thread;
  pthread_mutex_t lock; /* guards what follows */
  pthread_cond_t wake;
  struct buf waiting;
  uint64_t untold; /* lost, and not yet told in the chain */
  struct audit_figures figures;
  bool asleep; /* wants to hear of records */
  bool ending;
  /* the thread's own; of ticks_ms */
  bool unsynced;
  int64_t sync_at, sweep_at;
};

struct entry {
  int64_t at_ms;
  uint32_t event, members; /* bytes */
};

static int64_t
now_ms (const struct audit *audit)
{
  struct timespec now;

  if (audit->settings.now_ms != NULL)
    return audit->settings.now_ms (audit->settings.ctx);
  clock_gettime (CLOCK_REALTIME, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/* ---- any thread ---- */

static void
append (struct audit *audit, const char *event, const char *members, size_t len)
{
  const struct entry entry = { .at_ms = now_ms (audit),
                               .event = (uint32_t) strlen (event),
                               .members = (uint32_t) len };

  buf_append (&audit->waiting, &entry, sizeof entry);
  buf_append (&audit->waiting, event, entry.event);
  buf_append (&audit->waiting, members, len);
}

void
audit_add (struct audit *audit, const char *event, const char *object, size_t len)
{
  static const char cut[] = "\"cut\":true";

  if (audit == NULL)
    return;
  pthread_mutex_lock (&audit->lock);
  audit->figures.records++;
  if (audit->waiting.len + len > audit->settings.waiting_max) {
    audit->figures.lost++;
    audit->untold++;
  }
  else if (len > OBJECT_MAX)
    append (audit, event, cut, sizeof cut - 1);
  else
    append (audit, event, object + 1, len - 2);
  if (audit->asleep) {
    audit->asleep = false;
    pthread_cond_signal (&audit->wake);
  }
  pthread_mutex_unlock (&audit->lock);
}

bool
audit_is_well (const struct audit *audit)
{
  return audit == NULL || __atomic_load_n (&audit->figures.well, __ATOMIC_RELAXED);
}

struct audit_figures
audit_figures (struct audit *audit)
{
  struct audit_figures figures;

  pthread_mutex_lock (&audit->lock);
  figures = audit->figures;
  pthread_mutex_unlock (&audit->lock);
  return figures;
}

/* ---- the thread ---- */

static int64_t
ticks_ms (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/* Wait until then (of ticks_ms), or until it ends; with `for_records` until there are some. */
static void
wait_until (struct audit *audit, int64_t ms, bool for_records)
{
  const struct timespec until = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

  audit->asleep = for_records;
  while (!audit->ending && !(for_records && audit->waiting.len != 0)
         && pthread_cond_timedwait (&audit->wake, &audit->lock, &until) != ETIMEDOUT)
    ;
  audit->asleep = false;
}

/* Records of what has waited. */
static size_t
make_records (struct audit *audit, const struct buf *taken, uint64_t lost, struct buf *lines)
{
  struct audit_link *link = &audit->link;
  const struct audit_key *key = &audit->settings.key;
  size_t count = 0;

  for (size_t at = 0; at < taken->len; count++) {
    struct entry entry;
    char event[64];

    memcpy (&entry, taken->data + at, sizeof entry);
    at += sizeof entry;
    (void) snprintf (event, sizeof event, "%.*s", (int) entry.event, taken->data + at);
    at += entry.event;
    audit_link_add (link, key, entry.at_ms, event, taken->data + at, entry.members, lines);
    at += entry.members;
  }
  if (lost != 0) {
    char members[48];
    const int len = snprintf (members, sizeof members, "\"records\":%" PRIu64, lost);
    audit_link_add (link, key, now_ms (audit), "audit_gap", members, (size_t) len, lines);
  }
  return count;
}

static void
tell_health (struct audit *audit, bool well, const char *why)
{
  if (well == audit->figures.well)
    return;
  __atomic_store_n (&audit->figures.well, well, __ATOMIC_RELAXED);
  log_event (audit->settings.log, well ? LOG_NOTICE : LOG_ERROR,
             well ? "audit_well" : "audit_unwell", "why", well ? NULL : why, NULL);
}

/* Write the lines, however long it takes; called with the lock, which is given up meanwhile. False:
 * the audit ends, and they are not written. */
static bool
write_lines (struct audit *audit, const struct buf *lines, uint64_t first, size_t count)
{
  struct error err = { 0 };

  for (;;) {
    bool good;

    pthread_mutex_unlock (&audit->lock);
    good = segments_write (&audit->segments, lines, first, &err);
    pthread_mutex_lock (&audit->lock);
    tell_health (audit, good, err.text);
    if (good)
      break;
    audit->figures.failures++;
    if (audit->ending)
      return false;
    wait_until (audit, ticks_ms () + AGAIN_MS, false);
  }
  if (!audit->unsynced)
    audit->sync_at = ticks_ms () + SYNC_MS;
  audit->unsynced = true;
  audit->figures.written += count;
  audit->figures.bytes += lines->len;
  audit->figures.disk += lines->len;
  return true;
}

static bool
write_batch (struct audit *audit, struct buf *lines)
{
  struct buf taken = audit->waiting;
  const uint64_t lost = audit->untold, first = audit->link.seq + 1;
  size_t count;

  audit->waiting = (struct buf){ 0 };
  audit->untold = 0;
  pthread_mutex_unlock (&audit->lock);
  lines->len = 0;
  count = make_records (audit, &taken, lost, lines);
  buf_free (&taken);
  pthread_mutex_lock (&audit->lock);
  return write_lines (audit, lines, first, count);
}

/* Bring to the disk what was written; called with the lock, which is given up meanwhile. */
static void
sync_segments (struct audit *audit)
{
  pthread_mutex_unlock (&audit->lock);
  segments_sync (&audit->segments);
  pthread_mutex_lock (&audit->lock);
  audit->unsynced = false;
}

static bool
is_to_go (const struct audit *audit, const struct segments_found *found)
{
  const struct audit_settings *s = &audit->settings;

  return found->oldest[0] != '\0'
         && ((s->keep_ms > 0 && found->written_ms < now_ms (audit) - s->keep_ms)
             || (s->disk_max > 0 && found->bytes > s->disk_max));
}

/* The chain tells of it first, and where it ended: without that nobody could tell what is left from
 * what somebody else has left. */
static bool
remove_oldest (struct audit *audit, const struct segments_found *found, struct buf *lines)
{
  char object[SEGMENT_NAME_SIZE + AUDIT_HASH_SIZE + 64];
  const int len =
    snprintf (object, sizeof object, "\"segment\":\"%s\",\"last\":%" PRIu64 ",\"head\":\"%s\"",
              found->oldest, found->end.seq, found->end.hash);
  bool good;

  audit->figures.records++;
  append (audit, "audit_segment_removed", object, (size_t) len);
  if (!write_batch (audit, lines))
    return false;
  sync_segments (audit);
  pthread_mutex_unlock (&audit->lock);
  good = segments_remove (&audit->segments, found->oldest);
  pthread_mutex_lock (&audit->lock);
  audit->figures.removed += good;
  return good;
}

static void
sweep_segments (struct audit *audit, struct buf *lines)
{
  struct segments_found found;

  do {
    pthread_mutex_unlock (&audit->lock);
    const bool good = segments_look (&audit->segments, &audit->settings.key, &found);
    pthread_mutex_lock (&audit->lock);
    audit->figures.segments = found.count;
    audit->figures.disk = found.bytes;
    if (!good)
      return;
  } while (is_to_go (audit, &found) && remove_oldest (audit, &found, lines));
}

/* Bring to the disk what was written, and remove what is old, each when it is time. */
static void
keep_house (struct audit *audit, struct buf *lines)
{
  if (audit->unsynced && ticks_ms () >= audit->sync_at)
    sync_segments (audit);
  if (ticks_ms () < audit->sweep_at && !audit->segments.begun)
    return;
  audit->segments.begun = false;
  audit->sweep_at = ticks_ms () + SWEEP_MS;
  sweep_segments (audit, lines);
}

static void *
writer (void *arg)
{
  struct audit *audit = arg;
  struct buf lines = { 0 };

  pthread_mutex_lock (&audit->lock);
  audit->sweep_at = ticks_ms ();
  while (!audit->ending || audit->waiting.len != 0) {
    keep_house (audit, &lines);
    if (audit->waiting.len == 0)
      wait_until (audit, audit->unsynced ? audit->sync_at : audit->sweep_at, true);
    if (audit->waiting.len == 0)
      continue;
    wait_until (audit, ticks_ms () + BATCH_MS, false);
    (void) write_batch (audit, &lines);
    buf_reset (&lines, 64 * 1024);
  }
  pthread_mutex_unlock (&audit->lock);
  buf_free (&lines);
  return NULL;
}

/* ---- its life ---- */

static bool
start (struct audit *audit, struct error *err)
{
  pthread_condattr_t attributes;
  sigset_t all, was;
  int failed;

  pthread_mutex_init (&audit->lock, NULL);
  pthread_condattr_init (&attributes);
  pthread_condattr_setclock (&attributes, CLOCK_MONOTONIC);
  pthread_cond_init (&audit->wake, &attributes);
  pthread_condattr_destroy (&attributes);
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &was);
  failed = pthread_create (&audit->thread, NULL, writer, audit);
  pthread_sigmask (SIG_SETMASK, &was, NULL);
  return failed == 0 || error_set (err, "no thread can be started: %s", strerror (failed));
}

static void
destroy (struct audit *audit)
{
  segments_close (&audit->segments);
  pthread_mutex_destroy (&audit->lock);
  pthread_cond_destroy (&audit->wake);
  buf_free (&audit->waiting);
  explicit_bzero (&audit->settings.key, sizeof audit->settings.key);
  free (audit);
}

struct audit *
audit_open (const struct audit_settings *settings, struct error *err)
{
  struct audit *audit = xcalloc (1, sizeof *audit);

  audit->settings = *settings;
  audit->figures.well = true;
  if (!segments_open (&audit->segments, settings->folder, settings->segment_max, &settings->key,
                      &audit->link, err)
      || !start (audit, err)) {
    segments_close (&audit->segments);
    free (audit);
    return NULL;
  }
  return audit;
}

void
audit_close (struct audit *audit)
{
  if (audit == NULL)
    return;
  pthread_mutex_lock (&audit->lock);
  audit->ending = true;
  pthread_cond_signal (&audit->wake);
  pthread_mutex_unlock (&audit->lock);
  pthread_join (audit->thread, NULL);
  segments_sync (&audit->segments);
  destroy (audit);
}
