#include "call/results.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/hash.h"

enum { TICK = 1 /* seconds */, PAGE = 4096, AT_ONCE = 1 << 20 };

struct entry {
  struct result_kept kept;
  char *principal, *session; /* NULL: nobody in particular, none */
  double until;
  UT_hash_handle hh;
};

struct results {
  struct ev_loop *loop;
  struct offload *offload;
  struct results_settings settings;
  int file;
  _Atomic uint64_t end;  /* of what of the file was ever given out */
  struct entry *entries; /* in the order they were kept */
  size_t count;
  uint64_t bytes;
  ev_timer tick;
};

static void
on_tick (struct ev_loop *loop, struct ev_timer *timer, int events)
{
  (void) events;
  results_expire (timer->data, ev_now (loop));
}

struct results *
results_new (struct ev_loop *loop, struct offload *offload, const struct results_settings *settings)
{
  int file = memfd_create ("toolhost-results", MFD_CLOEXEC);
  struct results *results;

  if (file < 0)
    return NULL;
  results = xcalloc (1, sizeof *results);
  results->loop = loop;
  results->offload = offload;
  results->settings = *settings;
  results->file = file;
  ev_timer_init (&results->tick, on_tick, TICK, TICK);
  results->tick.data = results;
  return results;
}

const struct results_settings *
results_settings (const struct results *results)
{
  return &results->settings;
}

/* ---- bytes ---- */

static uint64_t
pages_of (uint64_t len)
{
  return (len + PAGE - 1) / PAGE * PAGE;
}

bool
results_write (struct results *results, const void *data, size_t len, struct result_place *place)
{
  const char *at = data;
  size_t left = len;

  place->offset = atomic_fetch_add (&results->end, pages_of (len));
  place->len = len;
  while (left != 0) {
    ssize_t n = pwrite (results->file, at, left, (off_t) (place->offset + (len - left)));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      results_discard (results, place);
      return false;
    }
    at += n;
    left -= (size_t) n;
  }
  return true;
}

void
results_discard (struct results *results, const struct result_place *place)
{
  if (place->len != 0)
    (void) fallocate (results->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                      (off_t) place->offset, (off_t) pages_of (place->len));
}

void
results_read (const struct results *results, const struct result_place *place, uint64_t offset,
              size_t len, struct buf *out)
{
  char *at = buf_reserve (out, len);

  for (size_t done = 0; done < len;) {
    ssize_t n =
      pread (results->file, at + done, len - done, (off_t) (place->offset + offset + done));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return;
    done += (size_t) n;
    out->len += (size_t) n;
  }
}

/* ---- giving back: of much memory that takes its time ---- */

struct giving_back {
  struct results *results;
  struct result_place place;
};

static void
give_back (void *ctx, const struct offload_job *job)
{
  struct giving_back *g = ctx;

  (void) job;
  results_discard (g->results, &g->place);
}

static void
given_back (void *ctx, bool cancelled)
{
  (void) cancelled; /* then the daemon stops, and the whole file goes */
  free (ctx);
}

static void
forget (struct results *results, struct entry *e)
{
  HASH_DEL (results->entries, e);
  results->count--;
  results->bytes -= e->kept.place.len;
  if (results->count == 0)
    ev_timer_stop (results->loop, &results->tick);
  if (results->offload == NULL || e->kept.place.len <= AT_ONCE)
    results_discard (results, &e->kept.place);
  else {
    struct giving_back *g = xcalloc (1, sizeof *g);
    *g = (struct giving_back){ .results = results, .place = e->kept.place };
    (void) offload_submit (
      results->offload, &(struct offload_work){ .work = give_back, .done = given_back, .ctx = g });
  }
  free (e->principal);
  free (e->session);
  free (e);
}

void
results_free (struct results *results)
{
  if (results == NULL)
    return;
  results->offload = NULL;
  while (results->entries != NULL)
    forget (results, results->entries);
  (void) close (results->file);
  free (results);
}

/* ---- the table ---- */

void
results_make_id (char id[RESULT_ID_LEN + 1])
{
  unsigned char bytes[RESULT_ID_LEN / 2];
  size_t have = 0;

  while (have < sizeof bytes) {
    ssize_t n = getrandom (bytes + have, sizeof bytes - have, 0);
    have += n > 0 ? (size_t) n : 0;
  }
  for (size_t i = 0; i < sizeof bytes; i++)
    (void) snprintf (id + 2 * i, 3, "%02x", bytes[i]);
}

static bool
same (const char *a, const char *b)
{
  return a == NULL || b == NULL ? a == b : strcmp (a, b) == 0;
}

static uint64_t
bytes_of (const struct results *results, const struct entry *whose)
{
  uint64_t sum = 0;

  for (const struct entry *e = results->entries; e != NULL; e = e->hh.next)
    if (same (e->principal, whose->principal))
      sum += e->kept.place.len;
  return sum;
}

/* The oldest of who has the most bytes; of equals of who was first. */
static struct entry *
to_forget (struct results *results)
{
  struct entry *found = NULL;
  uint64_t most = 0;

  for (struct entry *e = results->entries; e != NULL; e = e->hh.next) {
    if (found != NULL && same (e->principal, found->principal))
      continue;
    uint64_t sum = bytes_of (results, e);
    if (found == NULL || sum > most) {
      found = e;
      most = sum;
    }
  }
  return found;
}

static void
make_room (struct results *results, uint64_t len)
{
  while (results->count != 0
         && (results->count >= results->settings.count_max
             || results->bytes + len > results->settings.bytes_max))
    forget (results, to_forget (results));
}

void
results_keep (struct results *results, const struct result_kept *kept, const char *principal,
              const char *session, double now)
{
  struct entry *e = xcalloc (1, sizeof *e);

  make_room (results, kept->place.len);
  e->kept = *kept;
  e->principal = principal != NULL ? xstrdup (principal) : NULL;
  e->session = session != NULL ? xstrdup (session) : NULL;
  e->until = now + results->settings.ttl;
  HASH_ADD_STR (results->entries, kept.id, e);
  results->bytes += kept->place.len;
  if (results->count++ == 0)
    ev_timer_again (results->loop, &results->tick);
}

const struct result_kept *
results_find (struct results *results, const char *id, size_t id_len, const char *principal,
              const char *session, double now)
{
  struct entry *e = NULL;

  if (id_len == RESULT_ID_LEN)
    HASH_FIND (hh, results->entries, id, RESULT_ID_LEN, e);
  return e != NULL && now < e->until && same (e->principal, principal) && same (e->session, session)
           ? &e->kept
           : NULL;
}

void
results_expire (struct results *results, double now)
{
  for (struct entry *e = results->entries, *next; e != NULL; e = next) {
    next = e->hh.next;
    if (now >= e->until)
      forget (results, e);
  }
}

size_t
results_count (const struct results *results)
{
  return results->count;
}

uint64_t
results_bytes (const struct results *results)
{
  return results->bytes;
}
