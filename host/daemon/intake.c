#include "daemon/intake.h"

#include <errno.h>
#include <json.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "catalog/skill_index.h"
#include "catalog/tree.h"
#include "daemon/document.h"

/* Seconds: how long a copy is kept that nothing refers to, and how long after a change such copies
 * are looked for. */
enum { KEPT = 60, SWEEP_AFTER = 65, SWEEP_FIRST = 2 };

static const char POLICY_FILE[] = "policy.json";

struct intake {
  struct intake_needs needs;
  ev_timer sweep;
  bool swept;
};

/* What a thread works on; the loop looks at it again when done. */
struct taking {
  struct intake *intake;
  struct offload_job *job;
  char *name;
  struct source source;
  bool expected; /* this content, as far as the identity tells: */
  struct known known;
  void (*done) (void *ctx, const struct plugin_copy *taken, const struct error *err);
  void *ctx;
  /* the outcome */
  struct copies_file copy;
  char *suggests, *skills;
  bool damaged; /* a copy was there, and was not what its name says */
  struct error trouble, err;
};

/* ---- in a thread ---- */

static bool
stopped (const void *ctx)
{
  return offload_cancelled (ctx);
}

/* The copy may be there, and only its own identity unknown. */
static bool
use_copy (struct taking *t, const struct copies_stop *stop)
{
  const struct copies *copies = t->intake->needs.copies;

  if (!t->expected || !copies_open (copies, t->known.hex, t->source.folder, &t->copy))
    return false;
  if (copies_verify (copies, &t->copy, t->source.folder, stop))
    return true;
  t->damaged = true;
  fd_cleanup (&t->copy.fd);
  t->copy.fd = -1;
  return false;
}

/* The policy that a folder suggests must be one; then it is kept as text, for people to read. */
static bool
read_suggestion (struct taking *t)
{
  CLEANUP_FD int fd = t->source.folder ? tree_open (t->source.fd, POLICY_FILE) : -1;
  struct json_object *policy;

  if (fd < 0)
    return !t->source.folder || errno == ENOENT
           || error_set (&t->err, "%s in it: %s", POLICY_FILE, strerror (errno));
  policy = document_read (fd, policy_schema_json, &t->err);
  if (policy == NULL)
    return error_wrap (&t->err, "%s in it: ", POLICY_FILE);
  t->suggests = xstrdup (json_object_to_json_string_ext (
    policy, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
  json_object_put (policy);
  return true;
}

/* They are read from the copy: what was hashed is what is served. */
static void
read_skills (struct taking *t, const struct copies_stop *stop)
{
  CLEANUP_BUF struct buf index = { 0 };

  if (!t->source.folder)
    return;
  if (skill_index (t->copy.fd, stop, &index)) {
    t->skills = index.len != 0 ? xstrndup (index.data, index.len) : NULL;
    return;
  }
  fd_cleanup (&t->copy.fd);
  t->copy.fd = -1;
  error_set (&t->err, "its copy can't be read, or is not wanted any more");
}

static void
take (void *ctx, const struct offload_job *job)
{
  struct taking *t = ctx;
  const struct copies_stop stop = { .stopped = stopped, .ctx = job };

  if (use_copy (t, &stop) || !read_suggestion (t))
    return;
  if (copies_take (t->intake->needs.copies, t->name, &t->source, &stop, &t->copy, &t->trouble,
                   &t->err))
    read_skills (t, &stop);
}

/* ---- on the loop ---- */

static void
taking_free (struct taking *t)
{
  fd_cleanup (&t->source.fd);
  fd_cleanup (&t->copy.fd);
  free (t->known.suggests);
  free (t->known.skills);
  free (t->suggests);
  free (t->skills);
  free (t->name);
  free (t);
}

/* What was learnt, for the next time. */
static void
know (const struct taking *t, const struct plugin_copy *taken)
{
  struct describe_cache *cache = t->intake->needs.cache;
  struct known known = { .suggests = (char *) taken->suggests, .skills = (char *) taken->skills };

  memcpy (known.hex, t->copy.hex, sizeof known.hex);
  describe_cache_know (cache, &t->source.identity, &known);
  known.suggests = known.skills = NULL;
  if (t->copy.identity.text[0] != '\0')
    describe_cache_know (cache, &t->copy.identity, &known);
}

static void
tell_of_store (const struct taking *t)
{
  struct log *log = t->intake->needs.log;

  if (t->damaged)
    log_event (log, LOG_WARNING, "plugin_store_damaged", "plugin", t->name, "sha256", t->known.hex,
               NULL);
  if (t->trouble.text[0] != '\0')
    log_event (log, LOG_WARNING, "plugin_store_failed", "plugin", t->name, "why", t->trouble.text,
               NULL);
}

static const char *
or_else (const char *text, const char *other)
{
  return text != NULL ? text : other;
}

static void
taken (void *ctx, bool cancelled)
{
  struct taking *t = ctx;

  if (cancelled) {
    taking_free (t);
    return;
  }
  tell_of_store (t);
  if (t->copy.fd < 0)
    t->done (t->ctx, NULL, &t->err);
  else {
    const struct plugin_copy taken = { .fd = t->copy.fd,
                                       .hex = t->copy.hex,
                                       .suggests = or_else (t->suggests, t->known.suggests),
                                       .skills = or_else (t->skills, t->known.skills) };
    know (t, &taken);
    t->copy.fd = -1;
    t->done (t->ctx, &taken, NULL);
  }
  taking_free (t);
}

bool
intake_now (struct intake *intake, const struct source *source, struct plugin_copy *taken)
{
  struct describe_cache *cache = intake->needs.cache;
  const struct known *known = describe_cache_known (cache, &source->identity);
  const struct known *copy;
  struct copies_file stored;

  if (known == NULL || !copies_open (intake->needs.copies, known->hex, source->folder, &stored))
    return false;
  copy = describe_cache_known (cache, &stored.identity);
  if (copy == NULL || strcmp (copy->hex, known->hex) != 0) {
    (void) close (stored.fd);
    return false;
  }
  *taken = (struct plugin_copy){
    .fd = stored.fd, .hex = known->hex, .suggests = known->suggests, .skills = known->skills
  };
  return true;
}

struct taking *
intake_begin (struct intake *intake, const char *name, const struct source *source,
              void (*done) (void *ctx, const struct plugin_copy *taken, const struct error *err),
              void *ctx)
{
  const struct known *known = describe_cache_known (intake->needs.cache, &source->identity);
  struct taking *t = xcalloc (1, sizeof *t);

  t->intake = intake;
  t->name = xstrdup (name);
  t->source = *source;
  t->copy.fd = -1;
  t->done = done;
  t->ctx = ctx;
  if (known != NULL) {
    t->expected = true;
    t->known = *known;
    t->known.suggests = known->suggests != NULL ? xstrdup (known->suggests) : NULL;
    t->known.skills = known->skills != NULL ? xstrdup (known->skills) : NULL;
  }
  t->job = offload_submit (intake->needs.offload,
                           &(struct offload_work){ .work = take, .done = taken, .ctx = t });
  return t;
}

void
taking_cancel (struct taking *taking)
{
  if (taking != NULL)
    offload_cancel (taking->job);
}

/* ---- copies that are no longer used ---- */

struct sweep {
  struct intake *intake;
  char (*keep)[SHA256_HEX];
  size_t count;
  unsigned removed;
};

static void
sweep (void *ctx, const struct offload_job *job)
{
  struct sweep *s = ctx;

  (void) job;
  s->removed = copies_sweep (s->intake->needs.copies, s->keep, s->count, KEPT);
}

static void
swept (void *ctx, bool cancelled)
{
  struct sweep *s = ctx;

  if (!cancelled && s->removed != 0)
    log_event (s->intake->needs.log, LOG_INFO, "plugin_store_swept", "removed",
               LOG_INT (s->removed), NULL);
  free (s->keep);
  free (s);
}

static void
on_sweep (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct intake *intake = timer->data;
  struct sweep *s = xcalloc (1, sizeof *s);

  (void) loop;
  (void) revents;
  s->intake = intake;
  s->count = intake->needs.used (intake->needs.ctx, &s->keep);
  (void) offload_submit (intake->needs.offload,
                         &(struct offload_work){ .work = sweep, .done = swept, .ctx = s });
}

void
intake_sweep_later (struct intake *intake)
{
  ev_timer_stop (intake->needs.loop, &intake->sweep);
  ev_timer_set (&intake->sweep, intake->swept ? SWEEP_AFTER : SWEEP_FIRST, 0);
  intake->swept = true;
  ev_timer_start (intake->needs.loop, &intake->sweep);
}

struct intake *
intake_new (const struct intake_needs *needs)
{
  struct intake *intake = xcalloc (1, sizeof *intake);

  intake->needs = *needs;
  ev_timer_init (&intake->sweep, on_sweep, 0, 0);
  intake->sweep.data = intake;
  return intake;
}

void
intake_free (struct intake *intake)
{
  if (intake == NULL)
    return;
  ev_timer_stop (intake->needs.loop, &intake->sweep);
  free (intake);
}
