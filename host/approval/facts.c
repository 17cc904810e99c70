#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "approval/book.h"
#include "base/clock.h"
#include "base/json_tape.h"

/* As deep as the arguments of a call may be, and what stands around them. */
static const struct json_limits limits = {
  .depth = 1024, .nodes = 4000000, .members = 1000000, .number_len = 4096
};

/* ---- states ---- */

static const char *const names[APPROVAL_STATES] = {
  [APPROVAL_PENDING] = "pending",     [APPROVAL_APPROVED] = "approved",
  [APPROVAL_REJECTED] = "rejected",   [APPROVAL_EXPIRED] = "expired",
  [APPROVAL_WITHDRAWN] = "withdrawn",
};

const char *
approval_state_name (enum approval_state state)
{
  return names[state];
}

bool
approval_state_find (const char *name, size_t len, enum approval_state *state)
{
  for (int i = 0; i < APPROVAL_STATES; i++)
    if (strlen (names[i]) == len && memcmp (names[i], name, len) == 0) {
      *state = (enum approval_state) i;
      return true;
    }
  return false;
}

void
facts_age (struct approval_facts *facts, int64_t now_ms)
{
  if (facts->state == APPROVAL_PENDING && facts->expires_ms <= now_ms)
    facts->state = APPROVAL_EXPIRED;
}

void
make_name (const char *prefix, char *room)
{
  unsigned char bytes[16];
  size_t at = strlen (prefix);

  if (getrandom (bytes, sizeof bytes, 0) != (ssize_t) sizeof bytes) { /* never: 16 are whole */
    const int64_t now = clock_ns ();

    memset (bytes, 0, sizeof bytes);
    memcpy (bytes, &now, sizeof now);
  }
  memcpy (room, prefix, at);
  for (size_t i = 0; i < sizeof bytes; i++)
    at += (size_t) sprintf (room + at, "%02x", bytes[i]);
}

/* ---- copies ---- */

static const char *
copy_text (struct arena *arena, const char *text)
{
  return text != NULL ? arena_strndup (arena, text, strlen (text)) : NULL;
}

static struct store_bytes
copy_bytes (struct arena *arena, struct store_bytes bytes)
{
  if (bytes.data == NULL)
    return bytes;
  return (struct store_bytes){ arena_strndup (arena, bytes.data, bytes.len), bytes.len };
}

/* What of the facts is a text, for copying, writing and reading. */
static const struct {
  const char *name;
  size_t at;
} texts[] = {
#define TEXT(member)                                                                               \
  {                                                                                                \
#member, offsetof(struct approval_facts, member)                                               \
  }
  TEXT (id),      TEXT (tenant),     TEXT (principal), TEXT (session_id), TEXT (front),
  TEXT (call_id), TEXT (claimed_in), TEXT (tool),      TEXT (title),      TEXT (digest),
  TEXT (reason),  TEXT (decided_by), TEXT (text),      TEXT (outcome),
#undef TEXT
};

static const char **
text_of (struct approval_facts *facts, size_t i)
{
  return (const char **) ((char *) facts + texts[i].at);
}

static const struct {
  const char *name;
  size_t at;
} numbers[] = {
#define NUMBER(member)                                                                             \
  {                                                                                                \
#member, offsetof(struct approval_facts, member)                                               \
  }
  NUMBER (deadline_ms), NUMBER (created_ms), NUMBER (expires_ms),
  NUMBER (decided_ms),  NUMBER (ended_ms),
#undef NUMBER
};

static int64_t *
number_of (struct approval_facts *facts, size_t i)
{
  return (int64_t *) ((char *) facts + numbers[i].at);
}

enum { TEXTS = sizeof texts / sizeof *texts, NUMBERS = sizeof numbers / sizeof *numbers };

void
facts_copy (struct approval_facts *to, const struct approval_facts *from, struct arena *arena)
{
  struct approval_facts copy = *from;

  for (size_t i = 0; i < TEXTS; i++)
    *text_of (&copy, i) = copy_text (arena, *text_of (&copy, i));
  copy.metadata = copy_bytes (arena, from->metadata);
  copy.args = copy_bytes (arena, from->args);
  copy.shown = copy_bytes (arena, from->shown);
  *to = copy;
}

/* ---- as a record ---- */

static void
put_hash (struct json_writer *w, const char *name, const unsigned char hash[STORE_HASH])
{
  char hex[2 * STORE_HASH + 1];

  for (size_t i = 0; i < STORE_HASH; i++)
    sprintf (hex + 2 * i, "%02x", hash[i]);
  jsonw_name_string (w, name, hex);
}

static void
put_bytes (struct json_writer *w, const char *name, struct store_bytes bytes)
{
  if (bytes.data != NULL)
    jsonw_name_raw (w, name, bytes.data, bytes.len);
}

void
facts_write (const struct approval_facts *given, struct buf *out)
{
  struct approval_facts facts = *given;
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  jsonw_name_string (&w, "state", names[facts.state]);
  for (size_t i = 0; i < TEXTS; i++)
    if (*text_of (&facts, i) != NULL)
      jsonw_name_string (&w, texts[i].name, *text_of (&facts, i));
  for (size_t i = 0; i < NUMBERS; i++)
    jsonw_name_int (&w, numbers[i].name, *number_of (&facts, i));
  jsonw_name_bool (&w, "named", facts.named);
  jsonw_name_bool (&w, "by_caller", facts.by_caller);
  put_hash (&w, "key", facts.key);
  put_hash (&w, "what", facts.what);
  put_bytes (&w, "metadata", facts.metadata);
  put_bytes (&w, "args", facts.args);
  put_bytes (&w, "shown", facts.shown);
  jsonw_end (&w);
}

static bool
read_hash (const struct json_tape *tape, const struct json_node *node,
           unsigned char hash[STORE_HASH])
{
  size_t len;
  const char *hex = json_is (node, JSON_STRING) ? json_raw (tape, node, &len) : NULL;

  if (hex == NULL || len != 2 * STORE_HASH + 2)
    return false;
  for (size_t i = 0; i < STORE_HASH; i++) {
    unsigned byte;

    if (sscanf (hex + 1 + 2 * i, "%2x", &byte) != 1)
      return false;
    hash[i] = (unsigned char) byte;
  }
  return true;
}

static struct store_bytes
read_bytes (const struct json_tape *tape, const struct json_node *node, struct arena *arena)
{
  struct store_bytes bytes = { 0 };

  if (!json_is (node, JSON_OBJECT))
    return bytes;
  bytes.data = json_raw (tape, node, &bytes.len);
  return copy_bytes (arena, bytes);
}

static bool
read_members (struct approval_facts *facts, const struct json_tape *tape,
              const struct json_node *root, struct arena *arena)
{
  size_t len;
  const char *state = json_string (tape, json_member (tape, root, "state"), arena, &len);

  if (state == NULL || !approval_state_find (state, len, &facts->state))
    return false;
  for (size_t i = 0; i < TEXTS; i++)
    *text_of (facts, i) =
      copy_text (arena, json_cstring (tape, json_member (tape, root, texts[i].name), arena));
  for (size_t i = 0; i < NUMBERS; i++)
    if (!json_int64 (tape, json_member (tape, root, numbers[i].name), number_of (facts, i)))
      return false;
  facts->named = json_is (json_member (tape, root, "named"), JSON_TRUE);
  facts->by_caller = json_is (json_member (tape, root, "by_caller"), JSON_TRUE);
  facts->metadata = read_bytes (tape, json_member (tape, root, "metadata"), arena);
  facts->args = read_bytes (tape, json_member (tape, root, "args"), arena);
  facts->shown = read_bytes (tape, json_member (tape, root, "shown"), arena);
  return read_hash (tape, json_member (tape, root, "key"), facts->key)
         && read_hash (tape, json_member (tape, root, "what"), facts->what);
}

bool
facts_read (struct approval_facts *facts, const char *json, size_t len, struct arena *arena)
{
  CLEANUP_ARENA struct arena nodes = { 0 };
  struct json_tape tape;

  *facts = (struct approval_facts){ 0 };
  return json_read (&tape, json, len, &limits, &nodes)
         && read_members (facts, &tape, json_root (&tape), arena) && facts->id != NULL
         && facts->tenant != NULL && facts->tool != NULL && facts->call_id != NULL
         && facts->digest != NULL && facts->front != NULL && facts->args.data != NULL
         && facts->shown.data != NULL;
}

/* ---- for people ---- */

void
approval_put_time (struct json_writer *w, const char *name, int64_t ms)
{
  time_t seconds = (time_t) (ms / 1000);
  struct tm tm;
  char text[40];

  if (ms == 0)
    return;
  (void) gmtime_r (&seconds, &tm);
  (void) strftime (text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm);
  jsonw_name (w, name);
  jsonw_stringf (w, "%s.%03dZ", text, (int) (ms % 1000));
}

static void
put_text (struct json_writer *w, const char *name, const char *text)
{
  if (text != NULL && *text != '\0')
    jsonw_name_string (w, name, text);
}

void
approval_put (struct json_writer *w, const struct approval_facts *facts)
{
  jsonw_object (w);
  jsonw_name_string (w, "id", facts->id);
  jsonw_name_string (w, "state", names[facts->state]);
  jsonw_name_string (w, "tool", facts->tool);
  put_text (w, "title", facts->title);
  put_bytes (w, "arguments", facts->shown);
  jsonw_name_string (w, "tenant", facts->tenant);
  put_text (w, "principal", facts->principal);
  put_text (w, "session_id", facts->session_id);
  jsonw_name_string (w, "front", facts->front);
  jsonw_name_string (w, "call_id", facts->call_id);
  put_text (w, "reason", facts->reason);
  jsonw_name_string (w, "by", facts->by_caller ? "caller" : "approver");
  approval_put_time (w, "created", facts->created_ms);
  approval_put_time (w, "expires", facts->expires_ms);
  approval_put_time (w, "decided", facts->decided_ms);
  put_text (w, "decided_by", facts->decided_by);
  put_text (w, "text", facts->text);
  put_text (w, "outcome", facts->outcome);
  approval_put_time (w, "ended", facts->ended_ms);
  jsonw_end (w);
}
