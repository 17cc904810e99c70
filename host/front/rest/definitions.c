#include "front/rest/definitions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json_write.h"
#include "front/auth/keys.h"

enum { LIMIT = 50, LIMIT_MAX = 1000, HISTORY_LIMIT = 20, DIGITS_MAX = 18 };

/* Seconds that a caller waits for being served what it wrote. */
static const double PATIENCE = 10;

/* A request whose answer comes later.  Whoever has left has x NULL, and what it asked goes on. */
struct asked_for {
  const struct front_env *env;
  struct http_exchange *x;
  char *tenant, *name;
  enum definition_kind kind;
  int64_t revision; /* that is asked for, or was written */
  bool restore, wait, created, gone, dry;
  char *author;
  int64_t expect;
};

static void
asked_free (struct asked_for *a)
{
  free (a->tenant);
  free (a->name);
  free (a->author);
  free (a);
}

/* ---- who may, and what the request says -------------------------------------------------- */

/* NULL: answered. */
static const char *
managed_tenant (const struct front_env *env, struct http_exchange *x, struct slice tenant)
{
  const struct http_request *request = http_request (x);
  const char *own = request->peer->tenant;

  if (env->definitions == NULL)
    http_reply_error (x, 503, "not_ready", "This daemon keeps no definitions");
  else if (!key_word (tenant.data, tenant.len))
    http_reply_error (x, 404, "not_found", "There can be no tenant of this name");
  else if (own != NULL && strcmp (own, TENANT_DEFAULT) != 0 && !slice_is (tenant, own))
    http_reply_error (x, 403, "not_allowed", "This key manages the tenant %s alone", own);
  else
    return arena_strndup (request->arena, tenant.data, tenant.len);
  return NULL;
}

/* NULL: it holds U+0000, or there is none. */
static const char *
text_of (const struct http_exchange *x, struct slice s)
{
  return s.data != NULL && memchr (s.data, '\0', s.len) == NULL
           ? arena_strndup (http_request (x)->arena, s.data, s.len)
           : NULL;
}

/* A whole number; false: it is none. */
static bool
read_number (struct slice text, int64_t *number)
{
  *number = 0;
  if (text.len == 0 || text.len > DIGITS_MAX)
    return false;
  for (size_t i = 0; i < text.len; i++) {
    if (text.data[i] < '0' || text.data[i] > '9')
      return false;
    *number = *number * 10 + (text.data[i] - '0');
  }
  return true;
}

/* False: answered. */
static bool
query_number (struct http_exchange *x, const char *name, int64_t otherwise, int64_t most,
              int64_t *number)
{
  const struct slice text = http_query (x, name);

  *number = otherwise;
  if (text.data == NULL || (read_number (text, number) && *number <= most))
    return true;
  http_reply_error (x, 400, "bad_parameter", "%s: expected a whole number up to %lld", name,
                    (long long) most);
  return false;
}

static bool
query_says (const struct http_exchange *x, const char *name)
{
  const struct slice text = http_query (x, name);

  return slice_is (text, "true") || slice_is (text, "1");
}

/* The revision that the headers expect: -1 any, 0 none.  False: answered. */
static bool
read_expected (struct http_exchange *x, const struct definition *now, int64_t *expect)
{
  struct slice match = http_header (x, "if-match");
  const struct slice none = http_header (x, "if-none-match");

  *expect = -1;
  if (none.data != NULL && slice_is (none, "*")) {
    *expect = 0;
    return true;
  }
  if (none.data != NULL) {
    http_reply_error (x, 400, "bad_request", "If-None-Match: expected *");
    return false;
  }
  if (match.data == NULL)
    return true;
  if (slice_is (match, "*")) {
    *expect = now != NULL ? now->revision : INT64_MAX; /* which none has */
    return true;
  }
  if (match.len > 2 && match.data[0] == '"' && match.data[match.len - 1] == '"')
    match = (struct slice){ match.data + 1, match.len - 2 };
  if (read_number (match, expect) && *expect != 0)
    return true;
  http_reply_error (x, 400, "bad_request", "If-Match: expected a revision, as ETag says it");
  return false;
}

/* ---- what is answered --------------------------------------------------------------------- */

static void
put_time (struct json_writer *w, const char *name, int64_t ms)
{
  const time_t seconds = (time_t) (ms / 1000);
  struct tm tm;
  char text[32];

  (void) gmtime_r (&seconds, &tm);
  (void) strftime (text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm);
  jsonw_name_string (w, name, text);
}

/* Is this what the tenant is served? */
static bool
is_served (const struct front_env *env, const char *tenant, enum definition_kind kind,
           const char *name, int64_t revision, bool gone)
{
  const struct toolset *set = front_toolset (env, tenant);

  if (manage_served (env->definitions, tenant) < revision)
    return false;
  return kind != DEFINITION_TOOL || (toolset_find (set, name, strlen (name)) != NULL) == !gone;
}

/* The text of a member, in the arena; "": it has none. */
static const char *
member_of (const struct definition *d, const char *name, struct arena *arena)
{
  struct json_tape tape;
  const char *text = NULL;

  if (json_read (&tape, d->body, d->body_len, &document_limits, arena))
    text = json_cstring (&tape, json_member (&tape, json_root (&tape), name), arena);
  return text != NULL ? text : "";
}

static void
put_head (struct json_writer *w, const struct front_env *env, const char *tenant,
          enum definition_kind kind, const struct definition *d, struct arena *arena)
{
  jsonw_name_string (w, "id", d->name);
  jsonw_name_string (w, "name", d->name);
  if (kind == DEFINITION_TOOL)
    jsonw_name_string (w, "description", member_of (d, "description", arena));
  jsonw_name_int (w, "revision", d->revision);
  put_time (w, "created_at", d->created_ms);
  put_time (w, "updated_at", d->written_ms);
  jsonw_name_string (w, "author", d->author);
  jsonw_name_bool (w, "served", is_served (env, tenant, kind, d->name, d->revision, false));
}

/* With its revision as ETag; 0: it has none. */
static void
reply (struct http_exchange *x, int status, int64_t revision, const struct buf *json)
{
  char etag[40];

  (void) snprintf (etag, sizeof etag, "ETag: \"%lld\"\r\n", (long long) revision);
  http_reply_json (x, status, revision != 0 ? etag : NULL, json);
}

/* ---- reading ------------------------------------------------------------------------------ */

struct listing {
  const struct definition **list;
  size_t count;
};

static int
by_name (const void *a, const void *b)
{
  const struct definition *const *x = a, *const *y = b;

  return strcmp ((*x)->name, (*y)->name);
}

/* Those that have the text in their name or description, sorted. */
static void
find_all (struct listing *found, const struct tenant_definitions *of, enum definition_kind kind,
          const char *search)
{
  CLEANUP_ARENA struct arena arena = { 0 };

  found->list = xcalloc (of != NULL ? of->count[kind] + 1 : 1, sizeof (struct definition *));
  for (const struct definition *d = of != NULL ? of->by_name[kind] : NULL; d != NULL;
       d = d->hh.next) {
    arena_reset (&arena);
    if (search == NULL || strcasestr (d->name, search) != NULL
        || strcasestr (member_of (d, "description", &arena), search) != NULL)
      found->list[found->count++] = d;
  }
  qsort (found->list, found->count, sizeof (struct definition *), by_name);
}

void
rest_definitions_list (const struct front_env *env, struct http_exchange *x,
                       const struct definition_path *path)
{
  const char *tenant = managed_tenant (env, x, path->tenant);
  struct listing found = { .count = 0 };
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };
  int64_t limit, offset;

  if (tenant == NULL || !query_number (x, "limit", LIMIT, LIMIT_MAX, &limit)
      || !query_number (x, "offset", 0, INT32_MAX, &offset))
    return;
  find_all (&found, definitions_of (manage_definitions (env->definitions), tenant), path->kind,
            text_of (x, http_query (x, "search")));
  jsonw_object (&w);
  jsonw_name (&w, "items");
  jsonw_array (&w);
  for (size_t i = (size_t) offset; i < found.count && i < (size_t) (offset + limit); i++) {
    jsonw_object (&w);
    put_head (&w, env, tenant, path->kind, found.list[i], http_request (x)->arena);
    jsonw_end (&w);
  }
  jsonw_end (&w);
  jsonw_name_int (&w, "total", (int64_t) found.count);
  jsonw_name_int (&w, "limit", limit);
  jsonw_name_int (&w, "offset", offset);
  jsonw_end (&w);
  free (found.list);
  reply (x, 200, 0, &out);
}

static void
reply_definition (const struct front_env *env, struct http_exchange *x, const char *tenant,
                  enum definition_kind kind, const struct definition *d)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  if (query_says (x, "raw")) {
    buf_append (&out, d->body, d->body_len);
    reply (x, 200, d->revision, &out);
    return;
  }
  jsonw_object (&w);
  put_head (&w, env, tenant, kind, d, http_request (x)->arena);
  jsonw_name_raw (&w, "document", d->body, d->body_len);
  jsonw_end (&w);
  reply (x, 200, d->revision, &out);
}

static void
refuse_unknown (struct http_exchange *x, enum definition_kind kind)
{
  http_reply_error (x, 404, "not_found", "The tenant has made no %s of this name",
                    definition_word (kind));
}

/* ---- what comes later --------------------------------------------------------------------- */

static void
on_gone (void *data)
{
  ((struct asked_for *) data)->x = NULL;
}

static struct asked_for *
ask_for (const struct front_env *env, struct http_exchange *x, const char *tenant,
         const struct definition_path *path)
{
  struct asked_for *a = xcalloc (1, sizeof *a);
  const struct slice prefer = http_header (x, "prefer");

  *a = (struct asked_for){ .env = env,
                           .x = x,
                           .tenant = xstrdup (tenant),
                           .kind = path->kind,
                           .wait = query_says (x, "wait") || slice_is (prefer, "wait"),
                           .dry = query_says (x, "validate"),
                           .author = xstrdup (http_request (x)->peer->principal),
                           .expect = -1 };
  if (path->name.data != NULL)
    a->name = xstrndup (path->name.data, path->name.len);
  http_set_data (x, a);
  http_on_gone (x, on_gone);
  return a;
}

/* ---- writing ------------------------------------------------------------------------------ */

static void
refuse (struct asked_for *a, const struct manage_answer *answer)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  jsonw_object (&w);
  jsonw_name (&w, "error");
  jsonw_object (&w);
  jsonw_name_string (&w, "code", answer->code);
  jsonw_name_string (&w, "message", answer->message);
  if (answer->revision != 0)
    jsonw_name_int (&w, "revision", answer->revision);
  jsonw_end (&w);
  if (answer->problems != NULL) {
    jsonw_name_bool (&w, "ok", false);
    jsonw_name_raw (&w, "problems", answer->problems, answer->problems_len);
  }
  jsonw_end (&w);
  reply (a->x, answer->status, answer->status == 412 ? answer->revision : 0, &out);
}

static void
reply_dry (struct asked_for *a, const struct manage_answer *answer)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  jsonw_object (&w);
  jsonw_name_bool (&w, "ok", true);
  jsonw_name_bool (&w, "created", answer->created);
  jsonw_name_raw (&w, "problems", "[]", 2);
  if (answer->definitions_len != 0)
    jsonw_name_raw (&w, "definitions", answer->definitions, answer->definitions_len);
  if (answer->warnings_len != 0)
    jsonw_name_raw (&w, "warnings", answer->warnings, answer->warnings_len);
  jsonw_end (&w);
  reply (a->x, 200, 0, &out);
}

/* It is written, and perhaps served. */
static void
reply_written (struct asked_for *a)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  jsonw_object (&w);
  jsonw_name_string (&w, "name", a->name);
  jsonw_name_int (&w, "revision", a->revision);
  jsonw_name_bool (&w, a->gone ? "deleted" : "created", a->gone || a->created);
  jsonw_name_bool (&w, "served",
                   is_served (a->env, a->tenant, a->kind, a->name, a->revision, a->gone));
  jsonw_end (&w);
  reply (a->x, a->created ? 201 : 200, a->gone ? 0 : a->revision, &out);
}

static void
on_served (void *ctx)
{
  struct asked_for *a = ctx;

  if (a->x != NULL)
    reply_written (a);
  asked_free (a);
}

static void
on_written (void *ctx, const struct manage_answer *answer)
{
  struct asked_for *a = ctx;

  a->revision = answer->revision;
  a->created = answer->created;
  if (a->name == NULL && answer->name != NULL)
    a->name = xstrdup (answer->name);
  if (a->x != NULL && answer->code != NULL)
    refuse (a, answer);
  else if (a->x != NULL && a->dry)
    reply_dry (a, answer);
  else if (a->x != NULL && a->wait
           && manage_served (a->env->definitions, a->tenant) < a->revision) {
    manage_await_served (a->env->definitions, a->tenant, a->revision, PATIENCE, on_served, a);
    return;
  }
  else if (a->x != NULL)
    reply_written (a);
  asked_free (a);
}

void
rest_definition_write (const struct front_env *env, struct http_exchange *x,
                       const struct definition_path *path, enum manage_act act)
{
  const struct http_request *request = http_request (x);
  const char *tenant = managed_tenant (env, x, path->tenant);
  const char *name = text_of (x, path->name);
  const struct definition *now =
    tenant != NULL && name != NULL
      ? definitions_find (manage_definitions (env->definitions), tenant, path->kind, name)
      : NULL;
  struct manage_write write = { .tenant = tenant,
                                .kind = path->kind,
                                .act = act,
                                .name = name,
                                .body = request->body.data,
                                .body_len = request->body.len,
                                .author = request->peer->principal };
  struct asked_for *a;

  if (tenant == NULL || !read_expected (x, now, &write.expect))
    return;
  a = ask_for (env, x, tenant, path);
  a->gone = act == MANAGE_DELETE;
  write.dry = a->dry;
  manage_write (env->definitions, &write, on_written, a);
}

/* ---- what was ----------------------------------------------------------------------------- */

static void
put_past (struct json_writer *w, const struct store_definition *d)
{
  jsonw_object (w);
  jsonw_name_int (w, "revision", d->revision);
  put_time (w, "written_at", d->written_ms);
  jsonw_name_string (w, "author", d->author != NULL ? d->author : "");
  jsonw_name_bool (w, "deleted", d->body.data == NULL);
  if (d->body.data != NULL)
    jsonw_name_raw (w, "document", d->body.data, d->body.len);
  jsonw_end (w);
}

static void
on_history (void *ctx, enum store_status status, const struct store_definition *list, size_t count,
            int64_t revision)
{
  struct asked_for *a = ctx;
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  (void) revision;
  if (a->x != NULL && status != STORE_OK)
    http_reply_error (a->x, 503, "store_unavailable", "The store does not answer");
  else if (a->x != NULL && count == 0)
    refuse_unknown (a->x, a->kind);
  else if (a->x != NULL) {
    jsonw_object (&w);
    jsonw_name_string (&w, "name", a->name);
    jsonw_name (&w, "items");
    jsonw_array (&w);
    for (size_t i = 0; i < count; i++)
      put_past (&w, &list[i]);
    jsonw_end (&w);
    jsonw_end (&w);
    reply (a->x, 200, 0, &out);
  }
  asked_free (a);
}

void
rest_definition_history (const struct front_env *env, struct http_exchange *x,
                         const struct definition_path *path)
{
  const char *tenant = managed_tenant (env, x, path->tenant);
  struct asked_for *a;
  int64_t limit;

  if (tenant == NULL || !query_number (x, "limit", HISTORY_LIMIT, LIMIT_MAX, &limit))
    return;
  a = ask_for (env, x, tenant, path);
  manage_history (env->definitions, tenant, path->kind, a->name, (size_t) limit, on_history, a);
}

static void
reply_past (struct asked_for *a, const struct store_definition *then)
{
  const struct definition d = { .name = a->name,
                                .body = (char *) then->body.data,
                                .body_len = then->body.len,
                                .revision = then->revision,
                                .written_ms = then->written_ms,
                                .created_ms = then->created_ms,
                                .author = (char *) (then->author != NULL ? then->author : "") };

  reply_definition (a->env, a->x, a->tenant, a->kind, &d);
}

/* It is as a PUT of what it was then. */
static void
restore (struct asked_for *a, const struct store_definition *then)
{
  const struct manage_write write = { .tenant = a->tenant,
                                      .kind = a->kind,
                                      .act = MANAGE_RESTORE,
                                      .name = a->name,
                                      .body = then->body.data,
                                      .body_len = then->body.len,
                                      .expect = a->expect,
                                      .dry = a->dry,
                                      .author = a->author };

  manage_write (a->env->definitions, &write, on_written, a);
}

static void
on_past (void *ctx, enum store_status status, const struct store_definition *list, size_t count,
         int64_t revision)
{
  struct asked_for *a = ctx;
  const struct store_definition *then = NULL;

  (void) revision;
  for (size_t i = 0; i < count; i++)
    if (list[i].revision == a->revision && list[i].body.data != NULL)
      then = &list[i];
  if (a->x != NULL && then != NULL && a->restore) {
    restore (a, then);
    return;
  }
  if (a->x != NULL && status != STORE_OK)
    http_reply_error (a->x, 503, "store_unavailable", "The store does not answer");
  else if (a->x != NULL && then == NULL)
    http_reply_error (a->x, 404, "not_found", "It has no such revision, or not any more");
  else if (a->x != NULL)
    reply_past (a, then);
  asked_free (a);
}

void
rest_definition_get (const struct front_env *env, struct http_exchange *x,
                     const struct definition_path *path)
{
  const char *tenant = managed_tenant (env, x, path->tenant);
  const char *name = text_of (x, path->name);
  const struct definition *d;
  struct asked_for *a;
  int64_t revision;

  if (tenant == NULL || !query_number (x, "revision", 0, INT64_MAX, &revision))
    return;
  d = name != NULL
        ? definitions_find (manage_definitions (env->definitions), tenant, path->kind, name)
        : NULL;
  if (name == NULL || (revision == 0 && d == NULL))
    return refuse_unknown (x, path->kind);
  if (revision == 0 || (d != NULL && d->revision == revision))
    return reply_definition (env, x, tenant, path->kind, d);
  a = ask_for (env, x, tenant, path);
  a->revision = revision;
  manage_history (env->definitions, tenant, path->kind, a->name, 0, on_past, a);
}

void
rest_definition_restore (const struct front_env *env, struct http_exchange *x,
                         const struct definition_path *path)
{
  const char *tenant = managed_tenant (env, x, path->tenant);
  const char *name = text_of (x, path->name);
  const struct definition *now;
  struct asked_for *a;
  int64_t revision, expect;

  if (tenant == NULL || !query_number (x, "revision", 0, INT64_MAX, &revision))
    return;
  if (name == NULL || revision == 0)
    return http_reply_error (x, 400, "bad_parameter", "revision: expected one of its history");
  now = definitions_find (manage_definitions (env->definitions), tenant, path->kind, name);
  if (!read_expected (x, now, &expect))
    return;
  a = ask_for (env, x, tenant, path);
  a->restore = true;
  a->revision = revision;
  a->expect = expect;
  manage_history (env->definitions, tenant, path->kind, a->name, 0, on_past, a);
}

/* ---- trying ------------------------------------------------------------------------------- */

static void
on_tried (void *ctx, const struct result *result)
{
  struct asked_for *a = ctx;
  CLEANUP_BUF struct buf out = { 0 };

  if (a->x != NULL && result == NULL)
    http_reply_error (a->x, 503, "actions_unavailable",
                      "No plugin that builds declarative tools is there");
  else if (a->x != NULL && result->error != CALL_OK)
    http_reply_error (a->x, call_error_info (result->error)->http, result->code, "%.*s",
                      (int) result->message_len, result->message);
  else if (a->x != NULL) {
    buf_append (&out, result->structured, result->structured_len);
    reply (a->x, 200, 0, &out);
  }
  asked_free (a);
}

void
rest_definition_test (const struct front_env *env, struct http_exchange *x,
                      const struct definition_path *path)
{
  const struct http_request *request = http_request (x);
  const char *tenant = managed_tenant (env, x, path->tenant);
  struct slice body = request->body;
  struct json_tape tape;
  struct asked_for *a;

  if (tenant == NULL)
    return;
  if (body.len == 0)
    body = (struct slice){ "{}", 2 };
  if (!json_read (&tape, body.data, body.len, &document_limits, request->arena))
    return http_reply_error (x, 400, "bad_request", "The body is not JSON: byte %zu: %s",
                             tape.offset, tape.problem);
  if (!json_is (json_root (&tape), JSON_OBJECT))
    return http_reply_error (x, 400, "bad_request",
                             "Expected an object with arguments, context, webhooks");
  a = ask_for (env, x, tenant, path);
  if (manage_try (env->definitions, tenant, a->name, &tape, on_tried, a))
    return;
  refuse_unknown (a->x, path->kind);
  asked_free (a);
}
