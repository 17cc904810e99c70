#include "manage/manage.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_write.h"
#include "manage/merge_patch.h"

static const char CHECK[] = "actions_check", TRY[] = "actions_try";

struct waiting {
  struct manage *manage;
  char *tenant;
  int64_t revision;
  void (*done) (void *ctx);
  void *ctx;
  ev_timer late;
  struct waiting *next;
};

struct manage {
  struct manage_needs needs;
  struct waiting *waiting;
};

struct work {
  struct manage *manage;
  manage_done done;
  void *ctx;
  char *tenant, *name, *author;
  enum definition_kind kind;
  enum manage_act act;
  int64_t expect;
  bool dry, created;
  int64_t revision;    /* that was written */
  struct buf document; /* as it is to be */
  struct buf problems; /* items of a JSON array, with commas between them */
  struct buf shown;    /* "definitions" of what the check answered */
  struct buf warnings; /* likewise */
};

static void
work_free (struct work *work)
{
  free (work->tenant);
  free (work->name);
  free (work->author);
  buf_free (&work->document);
  buf_free (&work->problems);
  buf_free (&work->shown);
  buf_free (&work->warnings);
  free (work);
}

/* ---- answers ---- */

static void
answer_with (struct work *work, struct manage_answer *answer)
{
  const struct definition *now =
    work->name != NULL
      ? definitions_find (work->manage->needs.definitions, work->tenant, work->kind, work->name)
      : NULL;

  answer->name = work->name;
  if (answer->revision == 0 && now != NULL)
    answer->revision = now->revision;
  work->done (work->ctx, answer);
  work_free (work);
}

static void
refuse (struct work *work, int status, const char *code, const char *message)
{
  answer_with (work, &(struct manage_answer){ .status = status, .code = code, .message = message });
}

static void
refuse_conflict (struct work *work, int64_t revision)
{
  struct manage_answer answer = { .status = 412,
                                  .code = "revision_conflict",
                                  .message = "It is not what was expected any more; read it again",
                                  .revision = revision };

  if (work->act == MANAGE_CREATE) {
    answer.status = 409;
    answer.code = "already_exists";
    answer.message = "There is one of this name already; PUT takes its place";
  }
  else if (work->expect == 0)
    answer.message = "There is one of this name already";
  else if (revision == 0)
    answer.message = "It is not there any more";
  answer_with (work, &answer);
}

static void
refuse_problems (struct work *work)
{
  CLEANUP_BUF struct buf list = { 0 };

  buf_putc (&list, '[');
  buf_append (&list, work->problems.data, work->problems.len);
  buf_putc (&list, ']');
  answer_with (work, &(struct manage_answer){ .status = 422,
                                              .code = "definition_invalid",
                                              .message = "The document is not valid",
                                              .problems = list.data,
                                              .problems_len = list.len });
}

static void
add_problem (struct work *work, const char *pointer, const char *code, const char *message,
             const char *hint)
{
  struct json_writer w = { .out = &work->problems };

  if (work->problems.len != 0)
    buf_putc (&work->problems, ',');
  jsonw_object (&w);
  jsonw_name_string (&w, "pointer", pointer);
  jsonw_name_string (&w, "code", code);
  jsonw_name_string (&w, "message", message);
  if (hint != NULL)
    jsonw_name_string (&w, "hint", hint);
  jsonw_end (&w);
}

/* ---- writing ---- */

static void
tell (const struct work *work)
{
  static const char *const acts[] = { "replaced", "created", "patched", "deleted", "restored" };

  log_event (work->manage->needs.log, LOG_NOTICE, "definition_changed", "tenant", work->tenant,
             "kind", definition_word (work->kind), "name", work->name, "act",
             work->created ? "created" : acts[work->act], "revision", LOG_INT (work->revision),
             "author", work->author, NULL);
}

static void
on_here (void *ctx)
{
  struct work *work = ctx;

  answer_with (work, &(struct manage_answer){ .status = work->created ? 201 : 200,
                                              .revision = work->revision,
                                              .created = work->created });
}

static void
on_changed (void *ctx, enum store_status status, int64_t revision, size_t wrong)
{
  struct work *work = ctx;

  (void) wrong;
  switch (status) {
  case STORE_OK:
    work->revision = revision;
    tell (work);
    definitions_await (work->manage->needs.definitions, revision, on_here, work);
    return;
  case STORE_CONFLICT:
  case STORE_NOT_FOUND:
    refuse_conflict (work, revision);
    return;
  case STORE_TOO_LARGE:
    refuse (work, 413, "too_large", "The document is larger than the store takes");
    return;
  case STORE_UNAVAILABLE:
    break;
  }
  refuse (work, 503, "store_unavailable",
          "The store does not answer; whether it was written is not known, ask again");
}

static void
write_it (struct work *work)
{
  const bool gone = work->act == MANAGE_DELETE;
  const struct store_change change = { .tenant = work->tenant,
                                       .kind = definition_word (work->kind),
                                       .name = work->name,
                                       .body = { gone ? NULL : work->document.data,
                                                 gone ? 0 : work->document.len },
                                       .expect = work->expect,
                                       .author = work->author };

  store_change (work->manage->needs.store, &change, 1, on_changed, work);
}

/* ---- checking ---- */

static void
answer_dry (struct work *work)
{
  answer_with (work, &(struct manage_answer){ .status = 200,
                                              .problems = "[]",
                                              .problems_len = 2,
                                              .created = work->created,
                                              .definitions = work->shown.data,
                                              .definitions_len = work->shown.len,
                                              .warnings = work->warnings.data,
                                              .warnings_len = work->warnings.len });
}

/* Everything but what is only to be said when it is really written. */
static void
conclude (struct work *work)
{
  if (work->problems.len != 0)
    refuse_problems (work);
  else if (work->dry)
    answer_dry (work);
  else
    write_it (work);
}

/* Where a problem stands in the document; NULL: in another one. */
static const char *
own_pointer (const struct work *work, const char *pointer)
{
  const char *own = work->kind == DEFINITION_TOOL ? "/tools/0" : "/endpoints/0";
  const size_t len = strlen (own);

  if (strncmp (pointer, own, len) == 0 && (pointer[len] == '/' || pointer[len] == '\0'))
    return pointer + len;
  return strncmp (pointer, "/tools/", 7) != 0 && strncmp (pointer, "/endpoints/", 11) != 0 ? pointer
                                                                                           : NULL;
}

static void
take_problem (struct work *work, const struct json_tape *tape, const struct json_node *node,
              struct arena *arena)
{
  const char *pointer = json_cstring (tape, json_member (tape, node, "pointer"), arena);
  const char *code = json_cstring (tape, json_member (tape, node, "code"), arena);
  const char *message = json_cstring (tape, json_member (tape, node, "message"), arena);

  pointer = own_pointer (work, pointer != NULL ? pointer : "");
  if (pointer != NULL)
    add_problem (work, pointer, code != NULL ? code : "invalid", message != NULL ? message : "",
                 json_cstring (tape, json_member (tape, node, "hint"), arena));
}

/* A member as it stands in the answer; nothing, if it is not there. */
static void
copy_member (const struct json_tape *tape, const char *name, struct buf *out)
{
  const struct json_node *node = json_member (tape, json_root (tape), name);
  const char *raw;
  size_t len;

  if (node == NULL)
    return;
  raw = json_raw (tape, node, &len);
  buf_append (out, raw, len);
}

/* False: it is no answer of a check. */
static bool
take_check (struct work *work, const char *text, size_t len)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  const struct json_node *problems;
  struct json_tape tape;

  if (text == NULL || !json_read (&tape, text, len, &documents_limits, &arena))
    return false;
  problems = json_member (&tape, json_root (&tape), "problems");
  if (!json_is (problems, JSON_ARRAY))
    return false;
  for (const struct json_node *n = json_first (problems); n != json_end (problems);
       n = json_next (n))
    take_problem (work, &tape, n, &arena);
  copy_member (&tape, "definitions", &work->shown);
  copy_member (&tape, "warnings", &work->warnings);
  return true;
}

static void
on_checked (void *ctx, const struct result *result)
{
  struct work *work = ctx;

  if (result == NULL)
    refuse (work, 503, "actions_unavailable",
            "No plugin that builds declarative tools is there: install the plugin actions");
  else if (result->error != CALL_OK)
    answer_with (work, &(struct manage_answer){ .status = call_error_info (result->error)->http,
                                                .code = call_error_info (result->error)->code,
                                                .message = result->message,
                                                .retry_after_ms = result->retry_after_ms });
  else if (!take_check (work, result->structured, result->structured_len))
    refuse (work, 502, "actions_unavailable", "The plugin's check gave no answer of a check");
  else
    conclude (work);
}

/* An endpoint is checked beside the others, a tool with all of them. */
static void
check (struct work *work)
{
  const struct manage_needs *needs = &work->manage->needs;
  const bool tool = work->kind == DEFINITION_TOOL;
  bool strict;
  CLEANUP_BUF struct buf arguments = { 0 };
  CLEANUP_BUF struct buf endpoints = { 0 };
  struct composed c = { .count = 0 };

  needs->compose (needs->ctx, work->tenant, &c);
  compose_put_endpoints (&c, tool ? NULL : work->name, &endpoints);
  strict = c.strict;
  composed_free (&c);
  buf_puts (&arguments, "{\"tools\":[");
  if (tool)
    buf_append (&arguments, work->document.data, work->document.len);
  buf_puts (&arguments, "],\"endpoints\":[");
  if (!tool) {
    buf_append (&arguments, work->document.data, work->document.len);
    if (endpoints.len > 2)
      buf_putc (&arguments, ',');
  }
  buf_append (&arguments, endpoints.data + 1, endpoints.len - 1);
  buf_puts (&arguments, strict ? ",\"strict_templates\":true}" : "}");
  sandboxed_call (&needs->sandboxed, work->tenant, CHECK, &arguments, on_checked, work);
}

/* ---- what is wanted ---- */

/* Members after "name", which is written first. */
static void
put_named (struct work *work, const struct json_tape *tape)
{
  struct json_writer w = { .out = &work->document };
  const struct json_node *root = json_root (tape), *name, *value;
  CLEANUP_ARENA struct arena arena = { 0 };

  jsonw_object (&w);
  jsonw_name_string (&w, "name", work->name);
  for (name = json_first (root); name != json_end (root); name = json_next (value)) {
    size_t len;
    const char *text = json_string (tape, name, &arena, &len);
    value = json_next (name);
    jsonw_name_len (&w, text, len);
    text = json_raw (tape, value, &len);
    jsonw_raw (&w, text, len);
  }
  jsonw_end (&w);
}

static void
judge_name (struct work *work)
{
  const char *plugin;

  if (!document_name (work->kind, work->name, strlen (work->name)))
    add_problem (work, "/name", "name_invalid",
                 work->kind == DEFINITION_TOOL
                   ? "expected 1 to 64 of a-z, 0-9 and '_', a letter first"
                   : "expected 1 to 64 of a-z, 0-9, '_' and single dots, a letter first",
                 NULL);
  plugin = work->kind == DEFINITION_TOOL
             ? work->manage->needs.taken (work->manage->needs.ctx, work->tenant, work->name)
             : NULL;
  if (plugin != NULL)
    add_problem (work, "/name", "name_taken", "a plugin's tool has this name already",
                 "choose another name, or leave that tool out of the tenant's file");
}

/* The document's name is the path's, or becomes it.  False: there is none. */
static bool
take_name (struct work *work, const struct json_tape *tape, struct arena *arena)
{
  const struct json_node *node = json_member (tape, json_root (tape), "name");
  const char *name = json_cstring (tape, node, arena);

  if (work->name == NULL && name != NULL)
    work->name = xstrdup (name);
  if (work->name == NULL) {
    add_problem (work, "/name", "name_invalid", "expected a name, a string", NULL);
    return false;
  }
  if (node != NULL && (name == NULL || strcmp (name, work->name) != 0))
    add_problem (work, "/name", "name_mismatch", "expected the name of the path, or none", NULL);
  judge_name (work);
  if (node == NULL)
    put_named (work, tape);
  return true;
}

/* What the operator grants is known here and not to the plugin: better said now than when the first
 * request is refused.  An endpoint has its url, or base_url and path (U2-8). */
static void
judge_reach (struct work *work, const struct json_tape *tape, struct arena *arena)
{
  const struct json_node *root = json_root (tape);
  const char *url = json_cstring (tape, json_member (tape, root, "url"), arena);
  const char *base = json_cstring (tape, json_member (tape, root, "base_url"), arena);
  const char *path = json_cstring (tape, json_member (tape, root, "path"), arena);
  const char *method = json_cstring (tape, json_member (tape, root, "method"), arena);
  CLEANUP_BUF struct buf whole = { 0 };
  char *template;

  buf_printf (&whole, "%s%s",
              url != NULL    ? url
              : base != NULL ? base
                             : "",
              url == NULL && path != NULL ? path : "");
  template = strstr (buf_cstr (&whole), "{{");
  if (template != NULL)
    *template = '\0';
  if (!work->manage->needs.granted (work->manage->needs.ctx, whole.data,
                                    method != NULL ? method : "POST", template == NULL))
    add_problem (work, url != NULL ? "/url" : "/base_url", "not_granted",
                 "nothing that the operator grants declarative tools covers this",
                 "it takes a grant in permissions.http of the plugin's policy, in plugins.d");
}

static bool
read_object (struct work *work, struct json_tape *tape, const char *text, size_t len,
             struct arena *arena)
{
  CLEANUP_BUF struct buf why = { 0 };

  if (len > DOCUMENT_MAX) {
    refuse (work, 413, "too_large", "A document has at most 128 KiB");
    return false;
  }
  if (!json_read (tape, text, len, &document_limits, arena))
    buf_printf (&why, "The body is not JSON: byte %zu: %s", tape->offset, tape->problem);
  else if (!json_is (json_root (tape), JSON_OBJECT))
    buf_puts (&why, "The body is to be a JSON object, a document");
  if (why.len != 0)
    refuse (work, 400, "bad_request", buf_cstr (&why));
  return why.len == 0;
}

/* What is there with the patch in it; false: answered. */
static bool
patch (struct work *work, const struct manage_write *write, struct buf *text)
{
  const struct definition *now =
    definitions_find (work->manage->needs.definitions, work->tenant, work->kind, work->name);
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape was, change;
  struct json_writer w = { .out = text };

  if (now == NULL) {
    refuse (work, 404, "not_found", "There is none of this name to be changed");
    return false;
  }
  if (!read_object (work, &change, write->body, write->body_len, &arena)
      || !read_object (work, &was, now->body, now->body_len, &arena))
    return false;
  merge_patch ((struct json_place){ &was, json_root (&was) },
               (struct json_place){ &change, json_root (&change) }, &arena, &w);
  if (work->expect == -1)
    work->expect = now->revision; /* it was made of this, and of nothing else */
  return true;
}

static bool
has_room (struct work *work)
{
  const struct tenant_definitions *of =
    definitions_of (work->manage->needs.definitions, work->tenant);

  if (of == NULL || of->bytes + work->document.len <= DOCUMENTS_BYTES_MAX)
    return true;
  refuse (work, 413, "tenant_full", "The documents of a tenant have at most 12 MiB together");
  return false;
}

static void
begin_document (struct work *work, const struct manage_write *write)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf patched = { 0 };
  const char *text = write->body;
  size_t len = write->body_len;
  struct json_tape tape;
  bool named;

  if (work->act == MANAGE_PATCH) {
    if (!patch (work, write, &patched))
      return;
    text = patched.data;
    len = patched.len;
  }
  if (!read_object (work, &tape, text, len, &arena))
    return;
  named = take_name (work, &tape, &arena);
  if (work->kind == DEFINITION_ENDPOINT)
    judge_reach (work, &tape, &arena);
  if (work->document.len == 0)
    buf_append (&work->document, text, len);
  if (!named) {
    refuse_problems (work);
    return;
  }
  work->created =
    definitions_find (work->manage->needs.definitions, work->tenant, work->kind, work->name)
    == NULL;
  if (has_room (work))
    check (work);
}

/* Is it what is expected, as far as is known here?  The store has the last word. */
static bool
is_expected (struct work *work)
{
  const struct definition *now =
    work->name != NULL
      ? definitions_find (work->manage->needs.definitions, work->tenant, work->kind, work->name)
      : NULL;
  const int64_t revision = now != NULL ? now->revision : 0;

  if (work->name == NULL || work->expect == -1 || work->expect == revision)
    return true;
  refuse_conflict (work, revision);
  return false;
}

static void
begin_delete (struct work *work)
{
  if (definitions_find (work->manage->needs.definitions, work->tenant, work->kind, work->name)
      == NULL)
    refuse (work, 404, "not_found", "There is none of this name");
  else
    conclude (work);
}

void
manage_write (struct manage *manage, const struct manage_write *write, manage_done done, void *ctx)
{
  struct work *work = xcalloc (1, sizeof *work);

  *work = (struct work){ .manage = manage,
                         .done = done,
                         .ctx = ctx,
                         .tenant = xstrdup (write->tenant),
                         .name = write->name != NULL ? xstrdup (write->name) : NULL,
                         .author = xstrdup (write->author),
                         .kind = write->kind,
                         .act = write->act,
                         .expect = write->act == MANAGE_CREATE ? 0 : write->expect,
                         .dry = write->dry };
  if (!definitions_are_loaded (manage->needs.definitions))
    refuse (work, 503, "not_ready", "The store is still being read; come again");
  else if (!is_expected (work))
    return;
  else if (work->act == MANAGE_DELETE)
    begin_delete (work);
  else
    begin_document (work, write);
}

void
manage_history (struct manage *manage, const char *tenant, enum definition_kind kind,
                const char *name, size_t limit, store_scan_cb cb, void *ctx)
{
  const struct store_scan scan = {
    .tenant = tenant, .kind = definition_word (kind), .name = name, .history = true, .limit = limit
  };

  store_scan (manage->needs.store, &scan, cb, ctx);
}

/* ---- trying ---- */

bool
manage_try (struct manage *manage, const char *tenant, const char *name,
            const struct json_tape *body, void (*done) (void *ctx, const struct result *),
            void *ctx)
{
  static const char *const members[] = { "arguments", "context", "webhooks", "now" };
  const struct manage_needs *needs = &manage->needs;
  const struct json_node *given = json_member (body, json_root (body), "tool");
  CLEANUP_BUF struct buf text = { 0 };
  CLEANUP_BUF struct buf endpoints = { 0 };
  struct composed c = { .count = 0 };
  struct json_writer w = { .out = &text };
  const struct piece *piece = NULL;
  const char *raw;
  size_t len;

  needs->compose (needs->ctx, tenant, &c);
  compose_put_endpoints (&c, NULL, &endpoints);
  HASH_FIND_STR (c.by_name[DEFINITION_TOOL], name, piece);
  if (given == NULL && piece == NULL) {
    composed_free (&c);
    return false;
  }
  jsonw_object (&w);
  if (given != NULL) {
    raw = json_raw (body, given, &len);
    jsonw_name_raw (&w, "tool", raw, len);
  }
  else
    jsonw_name_raw (&w, "tool", piece->body, piece->len);
  jsonw_name_raw (&w, "endpoints", endpoints.data, endpoints.len);
  for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
    const struct json_node *node = json_member (body, json_root (body), members[i]);
    if (node == NULL)
      continue;
    raw = json_raw (body, node, &len);
    jsonw_name_raw (&w, members[i], raw, len);
  }
  jsonw_end (&w);
  composed_free (&c);
  sandboxed_call (&needs->sandboxed, tenant, TRY, &text, done, ctx);
  return true;
}

/* ---- waiting until it is served ---- */

static void
waiting_free (struct waiting *w)
{
  ev_timer_stop (w->manage->needs.loop, &w->late);
  free (w->tenant);
  free (w);
}

static void
waiting_end (struct waiting *w)
{
  struct waiting **at = &w->manage->waiting;

  while (*at != w)
    at = &(*at)->next;
  *at = w->next;
  w->done (w->ctx);
  waiting_free (w);
}

static void
on_late (struct ev_loop *loop, ev_timer *timer, int revents)
{
  (void) loop;
  (void) revents;
  waiting_end (timer->data);
}

void
manage_await_served (struct manage *manage, const char *tenant, int64_t revision, double seconds,
                     void (*done) (void *ctx), void *ctx)
{
  struct waiting *w = xcalloc (1, sizeof *w);

  *w = (struct waiting){ .manage = manage,
                         .tenant = xstrdup (tenant),
                         .revision = revision,
                         .done = done,
                         .ctx = ctx,
                         .next = manage->waiting };
  manage->waiting = w;
  ev_timer_init (&w->late, on_late, seconds, 0);
  w->late.data = w;
  ev_timer_start (manage->needs.loop, &w->late);
}

void
manage_look (struct manage *manage)
{
  for (struct waiting *w = manage->waiting, *next; w != NULL; w = next) {
    next = w->next;
    if (manage_served (manage, w->tenant) >= w->revision)
      waiting_end (w);
  }
}

/* ---- making it ---- */

struct manage *
manage_new (const struct manage_needs *needs)
{
  struct manage *manage = xcalloc (1, sizeof *manage);

  manage->needs = *needs;
  return manage;
}

void
manage_free (struct manage *manage)
{
  struct waiting *w;

  if (manage == NULL)
    return;
  while ((w = manage->waiting) != NULL)
    waiting_end (w);
  free (manage);
}

const struct definitions *
manage_definitions (const struct manage *manage)
{
  return manage->needs.definitions;
}

int64_t
manage_served (const struct manage *manage, const char *tenant)
{
  return manage->needs.served (manage->needs.ctx, tenant);
}
