/* write.c - one write: what is wanted, what is said of it, how it is written. */
#include <stdlib.h>
#include <string.h>

#include "base/json_write.h"
#include "manage/manage_parts.h"
#include "manage/merge_patch.h"

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

void
work_answer (struct work *work, struct manage_answer *answer)
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

void
work_refuse (struct work *work, int status, const char *code, const char *message)
{
  work_answer (work, &(struct manage_answer){ .status = status, .code = code, .message = message });
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
  work_answer (work, &answer);
}

static void
refuse_problems (struct work *work)
{
  CLEANUP_BUF struct buf list = { 0 };

  buf_putc (&list, '[');
  buf_append (&list, work->problems.data, work->problems.len);
  buf_putc (&list, ']');
  work_answer (work, &(struct manage_answer){ .status = 422,
                                              .code = "definition_invalid",
                                              .message = "The document is not valid",
                                              .problems = list.data,
                                              .problems_len = list.len });
}

void
work_problem (struct work *work, const char *pointer, const char *code, const char *message,
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

  work_answer (work, &(struct manage_answer){ .status = work->created ? 201 : 200,
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
    work_refuse (work, 413, "too_large", "The document is larger than the store takes");
    return;
  case STORE_UNAVAILABLE:
    break;
  }
  work_refuse (work, 503, "store_unavailable",
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

static void
answer_dry (struct work *work)
{
  work_answer (work, &(struct manage_answer){ .status = 200,
                                              .problems = "[]",
                                              .problems_len = 2,
                                              .created = work->created,
                                              .definitions = work->shown.data,
                                              .definitions_len = work->shown.len,
                                              .warnings = work->warnings.data,
                                              .warnings_len = work->warnings.len });
}

/* Everything but what is only to be said when it is really written. */
void
work_conclude (struct work *work)
{
  if (work->problems.len != 0)
    refuse_problems (work);
  else if (work->dry)
    answer_dry (work);
  else
    write_it (work);
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
    work_problem (work, "/name", "name_invalid",
                  work->kind == DEFINITION_TOOL
                    ? "expected 1 to 64 of a-z, 0-9 and '_', a letter first"
                    : "expected 1 to 64 of a-z, 0-9, '_' and single dots, a letter first",
                  NULL);
  plugin = work->kind == DEFINITION_TOOL
             ? work->manage->needs.taken (work->manage->needs.ctx, work->tenant, work->name)
             : NULL;
  if (plugin != NULL)
    work_problem (work, "/name", "name_taken", "a plugin's tool has this name already",
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
    work_problem (work, "/name", "name_invalid", "expected a name, a string", NULL);
    return false;
  }
  if (node != NULL && (name == NULL || strcmp (name, work->name) != 0))
    work_problem (work, "/name", "name_mismatch", "expected the name of the path, or none", NULL);
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
    work_problem (work, url != NULL ? "/url" : "/base_url", "not_granted",
                  "nothing that the operator grants declarative tools covers this",
                  "it takes a grant in permissions.http of the plugin's policy, in plugins.d");
}

static bool
read_object (struct work *work, struct json_tape *tape, const char *text, size_t len,
             struct arena *arena)
{
  CLEANUP_BUF struct buf why = { 0 };

  if (len > DOCUMENT_MAX) {
    work_refuse (work, 413, "too_large", "A document has at most 128 KiB");
    return false;
  }
  if (!json_read (tape, text, len, &document_limits, arena))
    buf_printf (&why, "The body is not JSON: byte %zu: %s", tape->offset, tape->problem);
  else if (!json_is (json_root (tape), JSON_OBJECT))
    buf_puts (&why, "The body is to be a JSON object, a document");
  if (why.len != 0)
    work_refuse (work, 400, "bad_request", buf_cstr (&why));
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
    work_refuse (work, 404, "not_found", "There is none of this name to be changed");
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
  work_refuse (work, 413, "tenant_full", "The documents of a tenant have at most 12 MiB together");
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
    work_check (work);
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
    work_refuse (work, 404, "not_found", "There is none of this name");
  else
    work_conclude (work);
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
    work_refuse (work, 503, "not_ready", "The store is still being read; come again");
  else if (!is_expected (work))
    return;
  else if (work->act == MANAGE_DELETE)
    begin_delete (work);
  else
    begin_document (work, write);
}
