#include "cli/tools_apply.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_write.h"
#include "cli/answer.h"
#include "cli/command.h"
#include "cli/out.h"
#include "cli/said.h"
#include "daemon/document.h"

enum { DIFFERENCES_MAX = 16 /* that are named of one document */ };

/* ---- what the files say ------------------------------------------------------------------- */

/* The first name that stands in two files, or twice in one; allocated. */
static void
on_twice (void *ctx, enum definition_kind kind, const struct piece *was, const char *from)
{
  (void) kind;
  (void) from;
  if (*(char **) ctx == NULL)
    *(char **) ctx = xstrdup (was->name);
}

static bool
load_file (struct composed *c, const char *path, struct error *err)
{
  CLEANUP_FD int fd = open (path, O_RDONLY | O_CLOEXEC);
  CLEANUP_BUF struct buf text = { 0 };

  if (fd < 0)
    return error_set (err, "%s: %s", path, strerror (errno));
  if (document_text (fd, &text, err) && compose_add_text (c, text.data, text.len, path, err))
    return true;
  return error_wrap (err, "%s: ", path);
}

static int
is_document (const struct dirent *entry)
{
  const size_t len = strlen (entry->d_name);

  return entry->d_name[0] != '.' && len > 5 && strcmp (entry->d_name + len - 5, ".json") == 0;
}

static bool
load_folder (struct composed *c, const char *path, struct error *err)
{
  struct dirent **list = NULL;
  const int count = scandir (path, &list, is_document, alphasort);
  bool good = count >= 0 || error_set (err, "%s: %s", path, strerror (errno));

  for (int i = 0; i < count; i++) {
    CLEANUP_BUF struct buf file = { 0 };
    buf_printf (&file, "%s/%s", path, list[i]->d_name);
    good = good && load_file (c, buf_cstr (&file), err);
    free (list[i]);
  }
  free (list);
  return good;
}

static bool
load (struct composed *c, const char *path, struct error *err)
{
  struct stat st;
  char *twice = NULL;
  bool good;

  c->replaced = on_twice;
  c->ctx = &twice;
  if (stat (path, &st) < 0)
    return error_set (err, "%s: %s", path, strerror (errno));
  good = S_ISDIR (st.st_mode) ? load_folder (c, path, err) : load_file (c, path, err);
  if (good && twice != NULL)
    good = error_set (err, "%s: \"%s\" stands there twice", path, twice);
  free (twice);
  return good;
}

/* ---- what is to change -------------------------------------------------------------------- */

enum act { ACT_SAME, ACT_CREATE, ACT_CHANGE, ACT_PRUNE };

struct change {
  enum definition_kind kind;
  enum act act;
  char *name;
  struct buf body;
  struct buf differences; /* JSON pointers, one a line */
  int64_t revision;       /* that it is compared with */
};

struct plan {
  struct change *list;
  size_t count;
};

static void
plan_free (struct plan *plan)
{
  for (size_t i = 0; i < plan->count; i++) {
    free (plan->list[i].name);
    buf_free (&plan->list[i].body);
    buf_free (&plan->list[i].differences);
  }
  free (plan->list);
}

static struct change *
add_change (struct plan *plan, enum definition_kind kind, const char *name)
{
  struct change *change;

  plan->list = xrealloc (plan->list, (plan->count + 1) * sizeof *plan->list);
  change = &plan->list[plan->count++];
  *change = (struct change){ .kind = kind, .name = xstrdup (name) };
  return change;
}

static size_t
lines_of (const struct buf *text)
{
  size_t count = 0;

  for (size_t i = 0; i < text->len; i++)
    count += text->data[i] == '\n';
  return count;
}

/* Where two values differ: members of objects one by one, all else as a whole. */
static void
compare (const struct json_tape *a, const struct json_node *x, const struct json_tape *b,
         const struct json_node *y, struct buf *pointer, struct arena *arena, struct buf *out)
{
  const struct json_node *n;
  size_t len;

  if ((x != NULL && y != NULL && json_same (a, x, b, y)) || lines_of (out) >= DIFFERENCES_MAX)
    return;
  if (!json_is (x, JSON_OBJECT) || !json_is (y, JSON_OBJECT)) {
    buf_append (out, pointer->data, pointer->len);
    buf_putc (out, '\n');
    return;
  }
  for (n = json_first (x); n != json_end (x); n = json_next (json_next (n))) {
    const char *name = json_string (a, n, arena, &len);
    const size_t was = json_pointer_add (pointer, name, len);
    compare (a, json_next (n), b, json_member_len (b, y, name, len), pointer, arena, out);
    pointer->len = was;
  }
  for (n = json_first (y); n != json_end (y); n = json_next (json_next (n))) {
    const char *name = json_string (b, n, arena, &len);
    const size_t was = json_pointer_add (pointer, name, len);
    if (json_member_len (a, x, name, len) == NULL)
      compare (a, NULL, b, json_next (n), pointer, arena, out);
    pointer->len = was;
  }
}

/* The answer to GET of one that is there. */
static bool
compare_with (struct change *change, const struct piece *piece, const struct reply *reply)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf pointer = { 0 };
  struct json_tape here, there;
  const struct said said = { &there, &arena };
  const struct json_node *document = NULL;

  if (json_read (&there, reply->body.data, reply->body.len, &answer_limits, &arena))
    document = json_member (&there, json_root (&there), "document");
  if (document == NULL || !json_read (&here, piece->body, piece->len, &answer_limits, &arena))
    return false;
  change->revision = said_number (&said, json_root (&there), "revision");
  compare (&there, document, &here, json_root (&here), &pointer, &arena, &change->differences);
  change->act = change->differences.len != 0 ? ACT_CHANGE : ACT_SAME;
  return true;
}

static enum cli_exit
plan_piece (const struct made *made, struct plan *plan, enum definition_kind kind,
            const struct piece *piece)
{
  CLEANUP_BUF struct buf path = { 0 };
  struct change *change = add_change (plan, kind, piece->name);
  struct reply reply = { 0 };
  enum cli_exit status = CLI_OK;

  buf_append (&change->body, piece->body, piece->len);
  made_path (made, kind, piece->name, "", &path);
  if (!made_ask (made, "GET", path.data, NULL, NULL, &reply))
    status = CLI_UNREACHABLE;
  else if (reply.status == 404)
    change->act = ACT_CREATE;
  else if (reply.status != 200)
    status = client_refused (&reply);
  else if (!compare_with (change, piece, &reply))
    status = out_error (CLI_UNREACHABLE, "the daemon's answer has no document");
  reply_free (&reply);
  return status;
}

/* Those of one page that no file has; *total: how many there are in all. */
static enum cli_exit
plan_page (const struct made *made, struct plan *plan, enum definition_kind kind,
           const struct composed *c, int64_t offset, int64_t *total)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf path = { 0 };
  struct json_tape tape;
  const struct said said = { &tape, &arena };
  const struct json_node *list = NULL;
  struct reply reply = { 0 };
  enum cli_exit status;
  char more[64];

  (void) snprintf (more, sizeof more, "?limit=1000&offset=%lld", (long long) offset);
  made_path (made, kind, NULL, more, &path);
  status = made_fetch (made, "GET", path.data, NULL, &reply);
  if (status == CLI_OK && (list = said_list (&tape, &arena, &reply, "items")) == NULL)
    status = CLI_UNREACHABLE;
  for (const struct json_node *n = list != NULL ? json_first (list) : NULL;
       n != NULL && n != json_end (list); n = json_next (n)) {
    const char *name = said_text (&said, n, "name", "");
    const struct piece *piece = NULL;
    HASH_FIND_STR (c->by_name[kind], name, piece);
    if (piece == NULL) {
      struct change *change = add_change (plan, kind, name);
      change->act = ACT_PRUNE;
      change->revision = said_number (&said, n, "revision");
    }
  }
  *total = list != NULL ? said_number (&said, json_root (&tape), "total") : 0;
  reply_free (&reply);
  return status;
}

static enum cli_exit
plan_prune (const struct made *made, struct plan *plan, enum definition_kind kind,
            const struct composed *c)
{
  enum cli_exit status = CLI_OK;
  int64_t total = 1;

  for (int64_t offset = 0; status == CLI_OK && offset < total; offset += 1000)
    status = plan_page (made, plan, kind, c, offset, &total);
  return status;
}

/* Endpoints come before the tools that need them, and go after these. */
static enum cli_exit
make_plan (const struct made *made, const struct options *options, const struct composed *c,
           struct plan *plan)
{
  static const enum definition_kind order[] = { DEFINITION_ENDPOINT, DEFINITION_TOOL };
  enum cli_exit status = CLI_OK;

  for (int i = 0; i < 2; i++)
    for (const struct piece *p = c->by_name[order[i]]; status == CLI_OK && p != NULL;
         p = p->hh.next)
      status = plan_piece (made, plan, order[i], p);
  for (int i = 1; i >= 0 && options->prune && status == CLI_OK; i--)
    status = plan_prune (made, plan, order[i], c);
  return status;
}

/* ---- showing ------------------------------------------------------------------------------ */

static const char *const act_words[] = { "same", "create", "change", "prune" };

/* `done`: what came of it; NULL: nothing was done. */
static void
show_json (const struct change *change, const char *done, const struct reply *reply)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };
  const char *at = change->differences.data, *end = at + change->differences.len;

  jsonw_object (&w);
  jsonw_name_string (&w, "act", act_words[change->act]);
  jsonw_name_string (&w, "kind", definition_word (change->kind));
  jsonw_name_string (&w, "name", change->name);
  if (change->act == ACT_CHANGE) {
    jsonw_name (&w, "changes");
    jsonw_array (&w);
    for (const char *stop; at < end; at = stop + 1) {
      stop = memchr (at, '\n', (size_t) (end - at));
      jsonw_string_len (&w, at, (size_t) (stop - at));
    }
    jsonw_end (&w);
  }
  if (done != NULL)
    jsonw_name_string (&w, "done", done);
  if (reply != NULL && reply->status / 100 != 2 && reply->body.len != 0)
    jsonw_name_raw (&w, "answer", reply->body.data, reply->body.len);
  jsonw_end (&w);
  out_text (out.data, out.len);
}

static void
show_line (const struct change *change, const char *done, const struct reply *reply)
{
  CLEANUP_BUF struct buf out = { 0 };
  const char *at = change->differences.data, *end = at + change->differences.len;

  if (change->act == ACT_SAME)
    return;
  buf_printf (&out, "%c %s %s%s%s\n", "=+~-"[change->act], definition_word (change->kind),
              change -> name, done != NULL ? ": " : "", done != NULL ? done : "");
  for (const char *stop; change->act == ACT_CHANGE && at < end; at = stop + 1) {
    stop = memchr (at, '\n', (size_t) (end - at));
    buf_printf (&out, "    %.*s\n", (int) (stop - at), at);
  }
  if (reply != NULL)
    (void) made_problems (reply, &out);
  out_text (out.data, out.len);
}

static void
show (const struct options *options, const struct change *change, const char *done,
      const struct reply *reply)
{
  if (command_wants_json (options))
    show_json (change, done, reply);
  else
    show_line (change, done, reply);
}

/* ---- doing -------------------------------------------------------------------------------- */

static const char *
what_was_done (const struct change *change, const struct reply *reply, bool dry)
{
  static const char *const done[] = { "same", "created", "changed", "pruned" };

  if (reply->status / 100 == 2)
    return dry ? "valid" : done[change->act];
  return reply->status == 412   ? "is another meanwhile: not touched"
         : reply->status == 422 ? "not valid"
                                : "refused";
}

static enum cli_exit
carry_out (const struct made *made, const struct options *options, const struct change *change,
           bool dry)
{
  const bool prune = change->act == ACT_PRUNE;
  CLEANUP_BUF struct buf path = { 0 };
  struct reply reply = { 0 };
  char expected[64] = "If-None-Match: *";
  enum cli_exit status;

  if (change->revision != 0)
    (void) snprintf (expected, sizeof expected, "If-Match: \"%lld\"", (long long) change->revision);
  made_path (made, change->kind, change->name, dry ? "?validate=true" : "", &path);
  if (!made_ask (made, prune ? "DELETE" : "PUT", path.data, expected, prune ? NULL : &change->body,
                 &reply))
    return CLI_UNREACHABLE;
  show (options, change, what_was_done (change, &reply, dry), &reply);
  status = reply.status / 100 == 2 ? CLI_OK : CLI_FAILED;
  if (status != CLI_OK && reply.status != 412 && reply.status != 422)
    status = client_refused (&reply);
  reply_free (&reply);
  return status;
}

/* A tool may need endpoints that are not there yet: then only the files' endpoints can be judged.
 */
static bool
can_be_judged (const struct plan *plan, const struct change *change)
{
  if (change->kind == DEFINITION_ENDPOINT)
    return true;
  for (size_t i = 0; i < plan->count; i++)
    if (plan->list[i].kind == DEFINITION_ENDPOINT && plan->list[i].act == ACT_CREATE)
      return false;
  return true;
}

static enum cli_exit
carry_out_all (const struct made *made, const struct options *options, const struct plan *plan)
{
  enum cli_exit worst = CLI_OK;

  for (size_t i = 0; i < plan->count && worst != CLI_UNREACHABLE; i++) {
    const struct change *change = &plan->list[i];
    enum cli_exit status = CLI_OK;
    if (change->act == ACT_SAME || (options->dry_run && !can_be_judged (plan, change)))
      show (options, change, NULL, NULL);
    else
      status = carry_out (made, options, change, options->dry_run);
    if (status != CLI_OK)
      worst = status;
  }
  return worst;
}

static bool
is_confirmed (const struct options *options, const struct plan *plan)
{
  size_t pruned = 0;

  for (size_t i = 0; i < plan->count; i++)
    pruned += plan->list[i].act == ACT_PRUNE;
  return pruned == 0 || options->yes || options->dry_run;
}

enum cli_exit
tools_apply (const struct made *made, const struct options *options)
{
  struct composed c = { .count = 0 };
  struct plan plan = { .count = 0 };
  struct error err = { 0 };
  enum cli_exit status = CLI_OK;

  if (!load (&c, options->file, &err))
    status = out_error (CLI_BAD_DOCUMENT, "%s", err.text);
  else
    status = make_plan (made, options, &c, &plan);
  if (status == CLI_OK && is_confirmed (options, &plan))
    status = carry_out_all (made, options, &plan);
  else if (status == CLI_OK) {
    for (size_t i = 0; i < plan.count; i++)
      show (options, &plan.list[i], NULL, NULL);
    status = out_error (CLI_USAGE, "--prune takes away what no file has: say --yes to do it");
  }
  plan_free (&plan);
  composed_free (&c);
  return status;
}
