#include "cli/remotes.h"

#include <errno.h>
#include <fts.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/input.h"
#include "cli/verdict.h"

bool
remotes_is_ref (const char *pair, struct error *err)
{
  const char *equals = strrchr (pair, '=');

  return (equals != NULL && equals != pair && equals[1] != '\0')
         || error_set (err, "--ref: expected URI=FILE, got \"%s\"", pair);
}

bool
remotes_add_ref (struct schema_registry *registry, const char *pair, struct error *err)
{
  CLEANUP_BUF struct buf text = { 0 };
  const char *equals = strrchr (pair, '=');

  CLEANUP_FREE char *uri = xstrndup (pair, (size_t) (equals - pair));
  if (!input_read (equals + 1, &text, err)
      || !schema_registry_add (registry, uri, text.data, text.len, err))
    return error_wrap (err, "--ref %s: ", pair);
  return true;
}

/* The URI a document gives itself; NULL: none. */
static const char *
own_uri (const struct json_tape *tape, struct arena *arena)
{
  static const char *const names[] = { "$id", "id" };

  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *uri = json_cstring (tape, json_member (tape, json_root (tape), names[i]), arena);
    if (uri != NULL && uri[0] != '\0' && uri[0] != '#')
      return uri;
  }
  return NULL;
}

static bool
add_file (struct schema_registry *registry, const char *path, bool needs_uri, struct error *err)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf text = { 0 };
  struct json_tape tape;

  if (!input_read (path, &text, err))
    return false;
  if (!json_read (&tape, text.data, text.len, &verdict_limits, &arena))
    return error_set (err, "not JSON: byte %zu: %s", tape.offset, tape.problem);
  const char *uri = own_uri (&tape, &arena);
  if (uri != NULL)
    return schema_registry_add (registry, uri, text.data, text.len, err);
  return !needs_uri || error_set (err, "it has no \"$id\"; name it by --ref URI=%s", path);
}

static int
by_name (const FTSENT **a, const FTSENT **b)
{
  return strcmp ((*a)->fts_name, (*b)->fts_name);
}

static bool
add_entry (struct schema_registry *registry, const FTSENT *entry, struct error *err)
{
  size_t len = entry->fts_namelen;

  if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR || entry->fts_info == FTS_NS)
    return error_set (err, "%s: %s", entry->fts_path, strerror (entry->fts_errno));
  if (entry->fts_info != FTS_F || len < 5 || strcmp (entry->fts_name + len - 5, ".json") != 0)
    return true;
  return add_file (registry, entry->fts_accpath, false, err)
         || error_wrap (err, "%s: ", entry->fts_path);
}

static bool
add_folder (struct schema_registry *registry, const char *path, struct error *err)
{
  char *paths[] = { (char *) (uintptr_t) path, NULL };
  FTS *tree = fts_open (paths, FTS_LOGICAL | FTS_NOCHDIR, by_name);
  FTSENT *entry;
  bool ok = tree != NULL || error_set (err, "%s: %s", path, strerror (errno));

  while (ok && (entry = fts_read (tree)) != NULL)
    ok = add_entry (registry, entry, err);
  if (tree != NULL)
    (void) fts_close (tree);
  return ok;
}

bool
remotes_add_path (struct schema_registry *registry, const char *path, struct error *err)
{
  struct stat st;
  bool folder = stat (path, &st) == 0 && S_ISDIR (st.st_mode);
  bool ok = folder ? add_folder (registry, path, err)
                   : add_file (registry, path, true, err) || error_wrap (err, "%s: ", path);

  return ok || error_wrap (err, "--registry: ");
}
