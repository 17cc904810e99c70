#include "zone.h"

#include <stdlib.h>
#include <string.h>

struct zone {
  char name[ZONE_NAME_MAX + 1];
  struct local_type *types; /* the first one holds before all changes */
  size_t types_count;
  int64_t *times;    /* of the changes, growing */
  unsigned char *to; /* index of the type each changes to */
  size_t count;
  bool has_rule; /* for what comes after the last change */
  struct rule rule;
};

void
zone_free (struct zone *zone)
{
  if (zone == NULL)
    return;
  free (zone->types);
  free (zone->times);
  free (zone->to);
  free (zone);
}

const char *
zone_name (const struct zone *zone)
{
  return zone->name;
}

static struct zone *
zone_new (const char *name, size_t types, size_t changes)
{
  struct zone *zone = calloc (1, sizeof *zone);

  if (zone == NULL)
    return NULL;
  strncpy (zone->name, name, ZONE_NAME_MAX);
  zone->types = calloc (types, sizeof *zone->types);
  zone->times = calloc (changes + 1, sizeof *zone->times);
  zone->to = calloc (changes + 1, 1);
  zone->types_count = types;
  zone->count = changes;
  if (zone->types != NULL && zone->times != NULL && zone->to != NULL)
    return zone;
  zone_free (zone);
  return NULL;
}

struct zone *
zone_fixed (const char *name, int32_t offset, const char *abbreviation)
{
  struct zone *zone = zone_new (name, 1, 0);

  if (zone != NULL) {
    zone->types[0].offset = offset;
    strncpy (zone->types[0].abbreviation, abbreviation, ABBREVIATION_MAX);
  }
  return zone;
}

/* ---- reading TZif ---- */

struct header {
  uint32_t isut, isstd, leap, time, type, chars; /* counts */
};

enum { HEADER_LEN = 44, TYPE_LEN = 6, COUNT_MAX = 10000 };

static uint32_t
big32 (const unsigned char *p)
{
  return (uint32_t) p[0] << 24 | (uint32_t) p[1] << 16 | (uint32_t) p[2] << 8 | p[3];
}

static int64_t
big64 (const unsigned char *p)
{
  return (int64_t) ((uint64_t) big32 (p) << 32 | big32 (p + 4));
}

static bool
read_header (const unsigned char *data, size_t len, struct header *h)
{
  uint32_t *counts[] = { &h->isut, &h->isstd, &h->leap, &h->time, &h->type, &h->chars };

  if (len < HEADER_LEN || memcmp (data, "TZif", 4) != 0 || data[4] < '2')
    return false;
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    *counts[i] = big32 (data + 20 + 4 * i);
    if (*counts[i] > COUNT_MAX)
      return false;
  }
  return true;
}

/* Bytes of the block that follows a header. */
static size_t
block_len (const struct header *h, size_t time_size)
{
  return h->time * (time_size + 1) + h->type * (size_t) TYPE_LEN + h->chars
         + h->leap * (time_size + 4) + h->isstd + h->isut;
}

static bool
read_types (struct zone *zone, const unsigned char *types, const char *chars, size_t chars_len)
{
  for (size_t i = 0; i < zone->types_count; i++, types += TYPE_LEN) {
    struct local_type *type = &zone->types[i];
    size_t at = types[5];
    size_t len = at < chars_len ? strnlen (chars + at, chars_len - at) : 0;

    type->offset = (int32_t) big32 (types);
    type->dst = types[4] == 1;
    if (at + len >= chars_len || types[4] > 1 || type->offset <= -ZONE_OFFSET_MAX
        || type->offset >= ZONE_OFFSET_MAX)
      return false;
    memcpy (type->abbreviation, chars + at, len < ABBREVIATION_MAX ? len : ABBREVIATION_MAX);
  }
  return true;
}

static bool
read_changes (struct zone *zone, const unsigned char *times, const unsigned char *to)
{
  for (size_t i = 0; i < zone->count; i++) {
    zone->times[i] = big64 (times + 8 * i);
    zone->to[i] = to[i];
    if (to[i] >= zone->types_count || (i > 0 && zone->times[i] <= zone->times[i - 1]))
      return false;
  }
  return true;
}

/* "\n" rule "\n"; the rule may be empty. */
static bool
read_footer (struct zone *zone, const char *footer, size_t len)
{
  const char *end = len > 0 && footer[0] == '\n' ? memchr (footer + 1, '\n', len - 1) : NULL;

  if (end == NULL)
    return false;
  zone->has_rule = end > footer + 1;
  return !zone->has_rule || rule_read (&zone->rule, footer + 1, (size_t) (end - footer - 1));
}

struct zone *
zone_read (const char *name, const unsigned char *data, size_t len, const char **why)
{
  struct header h;
  struct zone *zone;
  size_t first;

  *why = "is not a time zone file of version 2 or later";
  if (!read_header (data, len, &h))
    return NULL;
  first = HEADER_LEN + block_len (&h, 4);
  if (first > len || !read_header (data + first, len - first, &h))
    return NULL;
  data += first + HEADER_LEN;
  len -= first + HEADER_LEN;
  *why = "counts leap seconds, which Unix time does not";
  if (h.leap != 0)
    return NULL;
  *why = "is a damaged time zone file";
  if (h.type == 0 || h.type > 256 || block_len (&h, 8) > len)
    return NULL;
  zone = zone_new (name, h.type, h.time);
  if (zone == NULL)
    return NULL;

  const unsigned char *to = data + h.time * 8, *types = to + h.time;
  const unsigned char *chars = types + h.type * TYPE_LEN;

  if (read_changes (zone, data, to) && read_types (zone, types, (const char *) chars, h.chars)
      && read_footer (zone, (const char *) data + block_len (&h, 8), len - block_len (&h, 8)))
    return zone;
  zone_free (zone);
  return NULL;
}

/* ---- using ---- */

/* How many changes have happened at a moment. */
static size_t
changes_until (const struct zone *zone, int64_t seconds)
{
  size_t low = 0, high = zone->count;

  while (low < high) {
    size_t middle = (low + high) / 2;

    if (zone->times[middle] <= seconds)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const struct local_type *
zone_at (const struct zone *zone, int64_t seconds)
{
  size_t changes = changes_until (zone, seconds);

  if (changes == zone->count && zone->has_rule)
    return rule_at (&zone->rule, seconds);
  return &zone->types[changes == 0 ? 0 : zone->to[changes - 1]];
}

/* The next change after a moment; INT64_MAX: there is none. */
static int64_t
next_change (const struct zone *zone, int64_t seconds)
{
  size_t changes = changes_until (zone, seconds);
  int64_t next;

  if (changes < zone->count)
    return zone->times[changes];
  return zone->has_rule && rule_next (&zone->rule, seconds, &next) ? next : INT64_MAX;
}

struct zone_moments
zone_find (const struct zone *zone, int64_t local)
{
  struct zone_moments found = { 0 };
  int64_t from = local - ZONE_OFFSET_MAX, before = INT64_MIN;

  /* Through the periods between changes that can hold it. */
  while (from <= local + ZONE_OFFSET_MAX) {
    int64_t until = next_change (zone, from);
    int64_t moment = local - zone_at (zone, from)->offset;

    if (moment >= from && moment < until) {
      found.earlier = found.times == 0 ? moment : found.earlier;
      found.later = moment;
      found.times++;
    }
    /* Its clocks had already passed the local time: they were set forward over it. */
    if (moment < from && found.times == 0) {
      found.earlier = moment;
      found.later = before;
      break;
    }
    before = moment;
    if (until == INT64_MAX)
      break;
    from = until;
  }
  return found;
}
