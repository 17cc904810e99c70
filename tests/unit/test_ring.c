/* The ring alone: both halves, wrap-around, lies of the other side, two threads. */
#include <pthread.h>

#include "base/buf.h"
#include "base/ring.h"
#include "tap.h"

enum { CHUNK = 64 * 1024 };

/* Two segments, and the halves of one direction: what `left` puts in, `right` takes out. */
struct pair {
  void *left, *right;
  struct ring_out out;
  struct ring_in in;
  char *room; /* CHUNK bytes */
};

static void *
segment (void)
{
  void *at = aligned_alloc (RING_HEAD, RING_SEGMENT);

  CU_ASSERT_PTR_NOT_NULL_FATAL (at);
  return memset (at, 0, RING_SEGMENT);
}

static void
setup (struct pair *p)
{
  p->left = segment ();
  p->right = segment ();
  p->room = xmalloc (CHUNK);
  ring_out_init (&p->out, p->left, p->right);
  ring_in_init (&p->in, p->right, p->left);
}

static void
teardown (struct pair *p)
{
  free (p->left);
  free (p->right);
  free (p->room);
}

static struct ring_side *
side (void *of)
{
  return of;
}

/* ---- what goes in comes out ---- */

static void
test_bytes_come_out_as_they_went_in (void)
{
  struct pair p;

  setup (&p);
  CU_ASSERT_EQUAL (ring_room (&p.out), RING_SIZE);
  CU_ASSERT_EQUAL (ring_peek (&p.in, p.room, CHUNK), 0);
  ring_put (&p.out, "12345678", 8);
  CU_ASSERT (ring_unpublished (&p.out));
  CU_ASSERT_FALSE (ring_has_news (&p.in)); /* not before it is published */
  (void) ring_publish (&p.out);
  CU_ASSERT_FALSE (ring_unpublished (&p.out));
  CU_ASSERT_EQUAL (ring_room (&p.out), RING_SIZE - 8);
  CU_ASSERT_EQUAL (ring_peek (&p.in, p.room, CHUNK), 8);
  CU_ASSERT_EQUAL (ring_peek (&p.in, p.room, CHUNK), 8); /* still there */
  CU_ASSERT_NSTRING_EQUAL (p.room, "12345678", 8);
  (void) ring_take (&p.in, 8);
  CU_ASSERT_EQUAL (ring_peek (&p.in, p.room, CHUNK), 0);
  CU_ASSERT_EQUAL (ring_room (&p.out), RING_SIZE);
  teardown (&p);
}

static void
test_full_is_full_to_the_last_byte (void)
{
  struct pair p;
  char *whole = xmalloc (RING_SIZE);

  setup (&p);
  memset (whole, 'x', RING_SIZE);
  ring_put (&p.out, whole, RING_SIZE);
  (void) ring_publish (&p.out);
  CU_ASSERT_EQUAL (ring_room (&p.out), 0);
  CU_ASSERT_EQUAL (ring_peek (&p.in, p.room, CHUNK), CHUNK);
  (void) ring_take (&p.in, 24);
  CU_ASSERT_EQUAL (ring_room (&p.out), 24);
  free (whole);
  teardown (&p);
}

/* Random sizes, many times around, with the indices beginning just before they wrap themselves. */
static void
test_around_and_around (void)
{
  enum { ROUNDS = 20000 };
  const uint32_t start = UINT32_MAX - 3 * RING_SIZE + 1;
  uint64_t written = 0, read = 0;
  unsigned seed = 1;
  bool same = true;
  struct pair p;
  char piece[4096];

  setup (&p);
  p.out.at = p.out.consumed = p.in.at = start;
  side (p.left)->produced = side (p.right)->consumed = start;
  for (int i = 0; i < ROUNDS; i++) {
    size_t len = (size_t) (rand_r (&seed) % (int) sizeof piece) / RING_UNIT * RING_UNIT;
    long got;
    if ((long) len <= ring_room (&p.out)) {
      for (size_t k = 0; k < len; k++)
        piece[k] = (char) (written++ % 251);
      ring_put (&p.out, piece, len);
      (void) ring_publish (&p.out);
    }
    got = ring_peek (&p.in, p.room, (size_t) (rand_r (&seed) % CHUNK) / RING_UNIT * RING_UNIT);
    for (long k = 0; k < got; k++)
      same = same && p.room[k] == (char) (read++ % 251);
    (void) ring_take (&p.in, (size_t) got);
  }
  CU_ASSERT (same);
  CU_ASSERT (read > 20 * (uint64_t) RING_SIZE);
  CU_ASSERT_EQUAL (ring_room (&p.out), RING_SIZE - (long) (written - read));
  teardown (&p);
}

/* What went through an empty ring lies at its start, however much went through before. */
static void
test_an_empty_ring_starts_anew (void)
{
  struct pair p;

  setup (&p);
  for (uint64_t i = 0; i < 1000; i++) {
    CU_ASSERT_EQUAL (ring_room (&p.out), RING_SIZE);
    ring_put (&p.out, &i, sizeof i);
    (void) ring_publish (&p.out);
    CU_ASSERT_EQUAL (memcmp ((char *) p.left + RING_HEAD, &i, sizeof i), 0);
    CU_ASSERT_EQUAL (ring_room (&p.out), RING_SIZE - 8); /* not while something is in it */
    ring_put (&p.out, "to be cut", 8);
    (void) ring_publish (&p.out);
    CU_ASSERT_EQUAL (ring_peek (&p.in, p.room, CHUNK), 16);
    CU_ASSERT_EQUAL (memcmp (p.room, &i, sizeof i), 0);
    CU_ASSERT_NSTRING_EQUAL (p.room + 8, "to be cut", 8);
    (void) ring_take (&p.in, 16);
  }
  teardown (&p);
}

/* ---- lies ---- */

static void
test_an_impossible_producer (void)
{
  static const uint32_t lies[] = { RING_SIZE + 8, 1, 7, UINT32_MAX, UINT32_MAX - 7, 1U << 31, 12 };
  struct pair p;

  setup (&p);
  for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
    side (p.left)->produced = lies[i];
    CU_ASSERT_EQUAL (ring_peek (&p.in, p.room, CHUNK), RING_BROKEN);
    CU_ASSERT (ring_has_news (&p.in));
  }
  teardown (&p);
}

/* Where it begins is the other side's word; what is copied is its data all the same. */
static void
test_an_impossible_origin (void)
{
  static const uint32_t origins[] = { 1, 7, RING_SIZE - 1, RING_SIZE, UINT32_MAX };
  char *data;
  struct pair p;

  setup (&p);
  data = (char *) p.left + RING_HEAD;
  memset (data, 'd', RING_SIZE);
  atomic_store (&side (p.left)->produced, CHUNK);
  for (size_t i = 0; i < sizeof origins / sizeof origins[0]; i++) {
    atomic_store (&side (p.left)->origin, origins[i]);
    memset (p.room, 0, CHUNK);
    CU_ASSERT_EQUAL (ring_peek (&p.in, p.room, CHUNK), CHUNK);
    CU_ASSERT_EQUAL (memcmp (p.room, data, CHUNK), 0);
  }
  teardown (&p);
}

/* Going back is going forward by nearly 2^32. */
static void
test_a_producer_that_goes_back (void)
{
  struct pair p;

  setup (&p);
  ring_put (&p.out, "12345678", 8);
  (void) ring_publish (&p.out);
  CU_ASSERT_EQUAL (ring_peek (&p.in, p.room, CHUNK), 8);
  (void) ring_take (&p.in, 8);
  side (p.left)->produced = 0;
  CU_ASSERT_EQUAL (ring_peek (&p.in, p.room, CHUNK), RING_BROKEN);
  teardown (&p);
}

static void
test_an_impossible_consumer (void)
{
  static const uint32_t lies[] = { 3, 24, RING_SIZE, UINT32_MAX, UINT32_MAX - 7, 1U << 31 };
  struct pair p;

  setup (&p);
  ring_put (&p.out, "1234567812345678", 16);
  (void) ring_publish (&p.out);
  for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
    side (p.right)->consumed = lies[i];
    CU_ASSERT_EQUAL (ring_room (&p.out), RING_BROKEN);
  }
  side (p.right)->consumed = 16;
  CU_ASSERT_EQUAL (ring_room (&p.out), RING_SIZE);
  side (p.right)->consumed = 8; /* possible once, and taken back */
  CU_ASSERT_EQUAL (ring_room (&p.out), RING_BROKEN);
  teardown (&p);
}

/* ---- bells ---- */

static void
test_one_knock_for_each_ticket (void)
{
  struct pair p;

  setup (&p);
  ring_put (&p.out, "12345678", 8);
  CU_ASSERT_FALSE (ring_publish (&p.out)); /* awake */
  CU_ASSERT_FALSE (ring_listen (&p.in));   /* there is news: no sleep */
  (void) ring_take (&p.in, 8);
  CU_ASSERT (ring_listen (&p.in));
  ring_put (&p.out, "12345678", 8);
  CU_ASSERT (ring_publish (&p.out));
  CU_ASSERT_FALSE (ring_publish (&p.out)); /* was told already */
  ring_awake (&p.in);
  CU_ASSERT_FALSE (ring_publish (&p.out));
  CU_ASSERT_FALSE (ring_listen (&p.in));
  CU_ASSERT (ring_publish (&p.out)); /* a new ticket */
  p.in.ticket = UINT32_MAX;
  (void) ring_take (&p.in, 8);
  CU_ASSERT (ring_listen (&p.in));
  CU_ASSERT_NOT_EQUAL (side (p.right)->bell, 0); /* 0 would say: awake */
  teardown (&p);
}

static void
test_a_knock_for_room (void)
{
  struct pair p;

  setup (&p);
  ring_put (&p.out, "1234567812345678", 16);
  (void) ring_publish (&p.out);
  CU_ASSERT_FALSE (ring_take (&p.in, 8));
  ring_want_room (&p.out);
  CU_ASSERT (ring_take (&p.in, 0));
  CU_ASSERT_FALSE (ring_take (&p.in, 8));
  ring_has_room (&p.out);
  CU_ASSERT_FALSE (ring_take (&p.in, 0));
  teardown (&p);
}

/* ---- two threads ---- */

struct talk {
  struct pair *pair;
  pthread_mutex_t lock;
  pthread_cond_t knock; /* one for both: each looks at its own ring */
  unsigned knocks;
  size_t total;
};

static void
knock (struct talk *t)
{
  pthread_mutex_lock (&t->lock);
  t->knocks++;
  pthread_cond_broadcast (&t->knock);
  pthread_mutex_unlock (&t->lock);
}

/* Sleep until somebody knocks; `seen` is how many knocks there had been before the last look. */
static void
sleep_until_knock (struct talk *t, unsigned seen)
{
  pthread_mutex_lock (&t->lock);
  while (t->knocks == seen)
    pthread_cond_wait (&t->knock, &t->lock);
  pthread_mutex_unlock (&t->lock);
}

static unsigned
knocks (struct talk *t)
{
  unsigned count;

  pthread_mutex_lock (&t->lock);
  count = t->knocks;
  pthread_mutex_unlock (&t->lock);
  return count;
}

static void *
talker (void *arg)
{
  struct talk *t = arg;
  struct ring_out *out = &t->pair->out;
  unsigned seed = 7;
  char piece[2048];

  for (size_t sent = 0; sent < t->total;) {
    size_t len =
      ((size_t) (rand_r (&seed) % (int) sizeof piece) | RING_UNIT) / RING_UNIT * RING_UNIT;
    if (len > t->total - sent)
      len = t->total - sent;
    while (ring_room (out) < (long) len) {
      unsigned seen = knocks (t);
      ring_want_room (out);
      if (ring_room (out) < (long) len)
        sleep_until_knock (t, seen);
      ring_has_room (out);
    }
    for (size_t i = 0; i < len; i++)
      piece[i] = (char) ((sent + i) % 251);
    ring_put (out, piece, len);
    if (ring_publish (out))
      knock (t);
    sent += len;
  }
  return NULL;
}

/* Both sleep whenever they have nothing to do: a lost knock would let this hang. */
static void
test_two_threads (void)
{
  struct pair p;
  struct talk t = { .pair = &p,
                    .lock = PTHREAD_MUTEX_INITIALIZER,
                    .knock = PTHREAD_COND_INITIALIZER,
                    .total = 40 * (size_t) RING_SIZE };
  pthread_t thread;
  bool same = true;

  setup (&p);
  CU_ASSERT_EQUAL_FATAL (pthread_create (&thread, NULL, talker, &t), 0);
  for (size_t got = 0; got < t.total;) {
    unsigned seen = knocks (&t);
    long len = ring_peek (&p.in, p.room, CHUNK);
    CU_ASSERT_NOT_EQUAL_FATAL (len, RING_BROKEN);
    for (long i = 0; i < len; i++)
      same = same && p.room[i] == (char) (got++ % 251);
    if (ring_take (&p.in, (size_t) len))
      knock (&t);
    if (len == 0 && ring_listen (&p.in))
      sleep_until_knock (&t, seen);
    ring_awake (&p.in);
  }
  CU_ASSERT (same);
  pthread_join (thread, NULL);
  teardown (&p);
}

static CU_TestInfo tests[] = {
  { "bytes come out as they went in", test_bytes_come_out_as_they_went_in },
  { "full is full to the last byte", test_full_is_full_to_the_last_byte },
  { "around and around, random sizes", test_around_and_around },
  { "an empty ring starts anew", test_an_empty_ring_starts_anew },
  { "an impossible producer", test_an_impossible_producer },
  { "an impossible origin", test_an_impossible_origin },
  { "a producer that goes back", test_a_producer_that_goes_back },
  { "an impossible consumer", test_an_impossible_consumer },
  { "one knock for each ticket", test_one_knock_for_each_ticket },
  { "a knock for room", test_a_knock_for_room },
  { "two threads", test_two_threads },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "ring", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
