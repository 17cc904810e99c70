#include "front/rest/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/json_write.h"
#include "store/store.h"

enum { NAME_MAX_LEN = 100 };

/* ---- GET /v1/store ---- */

static void
put_figures (struct json_writer *w, const struct store_figures *f)
{
  const struct {
    const char *name;
    uint64_t value;
  } figures[] = {
    { "calls", f->calls },
    { "running", f->running },
    { "unknown", f->unknown },
    { "definitions", f->definitions },
    { "contexts", f->contexts },
    { "letters", f->letters },
    { "records", f->records },
    { "revision", (uint64_t) f->revision },
    { "bytes", f->bytes },
    { "free_bytes", f->free_bytes },
    { "forgotten", f->forgotten },
    { "commits", f->commits },
    { "acts", f->acts },
    { "failures", f->failures },
    { "commit_max_us", f->commit_us_max },
  };

  for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
    jsonw_name_int (w, figures[i].name, (int64_t) figures[i].value);
}

static bool
has_store (const struct front_env *env, struct http_exchange *x)
{
  if (env->store == NULL)
    http_reply_error (x, 404, "not_found", "This daemon keeps no store");
  return env->store != NULL;
}

void
rest_store_get (const struct front_env *env, struct http_exchange *x)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };
  struct store_figures figures;

  if (!has_store (env, x))
    return;
  figures = store_figures (env->store);
  jsonw_object (&w);
  jsonw_name_string (&w, "engine", store_name (env->store));
  jsonw_name_bool (&w, "durable", store_is_durable (env->store));
  if (store_path (env->store) != NULL)
    jsonw_name_string (&w, "file", store_path (env->store));
  jsonw_name_bool (&w, "well", store_trouble (env->store) == NULL);
  if (store_trouble (env->store) != NULL)
    jsonw_name_string (&w, "why", store_trouble (env->store));
  put_figures (&w, &figures);
  jsonw_end (&w);
  http_reply_json (x, 200, NULL, &out);
}

/* ---- POST /v1/store/backup ---- */

/* An exchange that waits for its copy. */
struct wait {
  struct http_exchange *x; /* NULL: its peer has left; the copy is made all the same */
  struct log *log;
  struct buf path;
};

static void
on_gone (void *data)
{
  ((struct wait *) data)->x = NULL;
}

static void
reply_made (struct http_exchange *x, const char *path)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  jsonw_object (&w);
  jsonw_name_string (&w, "file", path);
  jsonw_end (&w);
  http_reply_json (x, 201, NULL, &out);
}

static void
reply_not_made (struct http_exchange *x, enum store_status status, const char *why)
{
  if (status == STORE_UNAVAILABLE)
    http_reply_error (x, 503, "backup_failed", "There is no copy: %s", why);
  else
    http_reply_error (x, 409, "backup_refused", "There is no copy: %s", why);
}

static void
on_copied (void *ctx, enum store_status status, const char *why)
{
  struct wait *wait = ctx;
  struct http_exchange *x = wait->x;
  const char *path = buf_cstr (&wait->path);

  log_event (wait->log, status == STORE_OK ? LOG_NOTICE : LOG_ERROR,
             status == STORE_OK ? "store_copied" : "store_not_copied", "file", path, "why", why,
             NULL);
  if (x != NULL) {
    http_on_gone (x, NULL);
    if (status == STORE_OK)
      reply_made (x, path);
    else
      reply_not_made (x, status, why);
  }
  buf_free (&wait->path);
  free (wait);
}

/* A name, and nothing of a path. */
static bool
is_name (struct slice name)
{
  static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

  for (size_t i = 0; i < name.len; i++)
    if (name.data[i] == '\0' || strchr (allowed, name.data[i]) == NULL)
      return false;
  return name.len != 0 && name.len <= NAME_MAX_LEN && name.data[0] != '.';
}

static void
add_name (struct buf *path, struct slice name)
{
  time_t now = time (NULL);
  struct tm tm;

  if (name.data != NULL) {
    buf_append (path, name.data, name.len);
    return;
  }
  (void) gmtime_r (&now, &tm);
  buf_printf (path, "toolhost-%04d%02d%02dT%02d%02d%02dZ.db", tm.tm_year + 1900, tm.tm_mon + 1,
              tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
}

/* The folder, made when it is not there; false: why not is in errno. */
static bool
add_folder (struct buf *path, const char *state_dir)
{
  struct stat is;

  buf_printf (path, "%s/backups", state_dir);
  if (mkdir (buf_cstr (path), 0700) != 0 && errno != EEXIST)
    return false;
  errno = ENOTDIR;
  return lstat (buf_cstr (path), &is) == 0 && S_ISDIR (is.st_mode);
}

void
rest_store_backup (const struct front_env *env, struct http_exchange *x)
{
  const struct slice name = http_query (x, "name");
  struct wait *wait;

  if (!has_store (env, x))
    return;
  if (name.data != NULL && !is_name (name))
    return http_reply_error (x, 400, "bad_request",
                             "name: expected a file's name of letters, digits, '.', '_' and '-', "
                             "at most %d of them, and no '.' at its begin",
                             NAME_MAX_LEN);
  if (!store_is_durable (env->store) || env->state_dir == NULL)
    return reply_not_made (x, STORE_NOT_FOUND, "the store is in memory");
  wait = xcalloc (1, sizeof *wait);
  if (!add_folder (&wait->path, env->state_dir)) {
    reply_not_made (x, STORE_UNAVAILABLE, strerror (errno));
    buf_free (&wait->path);
    free (wait);
    return;
  }
  buf_putc (&wait->path, '/');
  add_name (&wait->path, name);
  wait->x = x;
  wait->log = env->log;
  http_set_data (x, wait);
  http_on_gone (x, on_gone);
  store_backup (env->store, buf_cstr (&wait->path), on_copied, wait);
}
