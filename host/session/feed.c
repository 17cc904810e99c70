#include "session/feed.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct feed_event {
  struct feed_event *next;
  uint64_t number;
  size_t len;
  char json[];
};

static size_t
cost (size_t len)
{
  return sizeof (struct feed_event) + len;
}

static void
drop_oldest (struct feed *feed)
{
  struct feed_event *e = feed->oldest;

  feed->oldest = e->next;
  if (e->next == NULL)
    feed->newest = NULL;
  feed->used -= cost (e->len);
  feed->budget->used -= cost (e->len);
  free (e);
}

/* Events are kept without gaps: one that there is no room for takes all before it with it. */
static void
keep (struct feed *feed, const char *json, size_t len)
{
  const size_t bytes = cost (len);
  struct feed_event *e;

  while (feed->oldest != NULL
         && (feed->used + bytes > feed->max || feed->budget->used + bytes > feed->budget->max))
    drop_oldest (feed);
  if (bytes > feed->max || feed->budget->used + bytes > feed->budget->max)
    return;
  e = xmalloc (bytes);
  *e = (struct feed_event){ .number = feed->said, .len = len };
  memcpy (e->json, json, len);
  *(feed->newest != NULL ? &feed->newest->next : &feed->oldest) = e;
  feed->newest = e;
  feed->used += bytes;
  feed->budget->used += bytes;
}

/* Hand over the event, or what stands in its place. */
static enum feed_taken
offer (struct subscriber *s, uint64_t number, const char *json, size_t len, const char *instead,
       size_t instead_len)
{
  enum subscriber_took took = s->event (s, number, json, len);

  if (took == SUBSCRIBER_TOOK)
    return FEED_TAKEN;
  if (took == SUBSCRIBER_REFUSED && instead != NULL) {
    took = s->event (s, number, instead, instead_len);
    if (took == SUBSCRIBER_TOOK)
      return FEED_INSTEAD;
  }
  if (took == SUBSCRIBER_REFUSED)
    feed_leave (s);
  return FEED_LOST;
}

enum feed_taken
feed_say (struct feed *feed, const char *json, size_t len, const char *instead, size_t instead_len)
{
  enum feed_taken worst = FEED_TAKEN;

  feed->said++;
  keep (feed, json, len);
  for (struct subscriber *s = feed->subscribers, *next; s != NULL; s = next) {
    next = s->next;
    const enum feed_taken taken = offer (s, feed->said, json, len, instead, instead_len);
    worst = taken > worst ? taken : worst;
  }
  return worst;
}

uint64_t
feed_first (const struct feed *feed)
{
  return feed->oldest != NULL ? feed->oldest->number - 1 : feed->said;
}

bool
feed_reaches (const struct feed *feed, uint64_t number)
{
  return number >= feed_first (feed) && number <= feed->said;
}

bool
feed_join (struct feed *feed, struct subscriber *subscriber, uint64_t number)
{
  for (const struct feed_event *e = feed->oldest; e != NULL; e = e->next)
    if (e->number > number
        && subscriber->event (subscriber, e->number, e->json, e->len) != SUBSCRIBER_TOOK)
      return false;
  subscriber->next = feed->subscribers;
  subscriber->prev = &feed->subscribers;
  if (subscriber->next != NULL)
    subscriber->next->prev = &subscriber->next;
  feed->subscribers = subscriber;
  return true;
}

void
feed_leave (struct subscriber *subscriber)
{
  if (subscriber->prev == NULL)
    return;
  *subscriber->prev = subscriber->next;
  if (subscriber->next != NULL)
    subscriber->next->prev = subscriber->prev;
  subscriber->prev = NULL;
}

void
feed_close (struct feed *feed)
{
  for (struct subscriber *s; (s = feed->subscribers) != NULL;) {
    feed_leave (s);
    s->closed (s);
  }
  while (feed->oldest != NULL)
    drop_oldest (feed);
}
