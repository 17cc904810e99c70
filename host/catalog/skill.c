#include "catalog/skill.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/json_tape.h"
#include "base/json_write.h"
#include "catalog/definition.h"

static const char MAIN_FILE[] = "SKILL.md";

struct skills {
  unsigned refs;
  int fd; /* the copy */
  struct arena arena;
  struct skill *list;
  size_t count;
  const char **problems;
  size_t problems_count;
};

/* ---- from an index ---- */

static bool
read_number (const struct json_tape *tape, const struct json_node *node, uint64_t *value)
{
  int64_t number;

  if (!json_int64 (tape, node, &number) || number < 0)
    return false;
  *value = (uint64_t) number;
  return true;
}

static bool
read_file (struct skills *skills, const struct json_tape *tape, const struct json_node *node,
           struct skill_file *file)
{
  const struct json_node *start;

  if (!json_is (node, JSON_ARRAY) || node->count != 4)
    return false;
  start = json_next (json_first (node));
  file->path = json_cstring (tape, json_first (node), &skills->arena);
  file->sha256 = json_cstring (tape, json_next (json_next (start)), &skills->arena);
  return file->path != NULL && file->sha256 != NULL && read_number (tape, start, &file->start)
         && read_number (tape, json_next (start), &file->size);
}

static bool
read_files (struct skills *skills, const struct json_tape *tape, const struct json_node *files,
            struct skill *skill)
{
  if (!json_is (files, JSON_ARRAY))
    return false;
  skill->files = arena_alloc (&skills->arena, files->count * sizeof *skill->files);
  for (const struct json_node *n = json_first (files); n != json_end (files); n = json_next (n))
    if (!read_file (skills, tape, n, &skill->files[skill->count++]))
      return false;
  return true;
}

static bool
read_skill (struct skills *skills, const char *plugin, const struct json_tape *tape,
            const struct json_node *node, struct skill *skill)
{
  CLEANUP_BUF struct buf root = { 0 };
  const struct json_node *front_matter = json_member (tape, node, "frontmatter");
  const char *path = json_cstring (tape, json_member (tape, node, "path"), &skills->arena), *raw;

  *skill = (struct skill){ .all = skills };
  if (path == NULL || !json_is (front_matter, JSON_OBJECT))
    return false;
  buf_printf (&root, SKILL_SCHEME "%s/%s", plugin, path);
  skill->root = arena_strndup (&skills->arena, root.data, root.len);
  skill->root_len = root.len;
  raw = json_raw (tape, front_matter, &skill->front_matter_len);
  skill->front_matter = arena_strndup (&skills->arena, raw, skill->front_matter_len);
  skill->name = json_cstring (tape, json_member (tape, front_matter, "name"), &skills->arena);
  skill->description =
    json_cstring (tape, json_member (tape, front_matter, "description"), &skills->arena);
  return skill->name != NULL && skill->description != NULL
         && read_files (skills, tape, json_member (tape, node, "files"), skill);
}

static bool
read_index (struct skills *skills, const char *plugin, const struct json_tape *tape)
{
  const struct json_node *list = json_member (tape, json_root (tape), "skills");
  const struct json_node *problems = json_member (tape, json_root (tape), "problems");

  if (!json_is (list, JSON_ARRAY) || !json_is (problems, JSON_ARRAY))
    return false;
  skills->list = arena_alloc (&skills->arena, list->count * sizeof *skills->list);
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n))
    if (!read_skill (skills, plugin, tape, n, &skills->list[skills->count++]))
      return false;
  skills->problems = arena_alloc (&skills->arena, problems->count * sizeof *skills->problems);
  for (const struct json_node *n = json_first (problems); n != json_end (problems);
       n = json_next (n)) {
    const char *text = json_cstring (tape, n, &skills->arena);
    if (text != NULL)
      skills->problems[skills->problems_count++] = text;
  }
  return true;
}

struct skills *
skills_new (const char *plugin, const char *index, size_t len, int fd)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct skills *skills = xcalloc (1, sizeof *skills);
  struct json_tape tape;

  skills->refs = 1;
  skills->fd = fd;
  if (json_read (&tape, index, len, &json_default_limits, &arena)
      && read_index (skills, plugin, &tape))
    return skills;
  skills_unref (skills);
  return NULL;
}

struct skills *
skills_ref (struct skills *skills)
{
  skills->refs++;
  return skills;
}

void
skills_unref (struct skills *skills)
{
  if (skills == NULL || --skills->refs != 0)
    return;
  fd_cleanup (&skills->fd);
  arena_free (&skills->arena);
  free (skills);
}

/* ---- as offers ---- */

static void
uri_of (const struct skill *skill, const struct skill_file *file, struct buf *uri)
{
  buf_printf (uri, "%s/%s", skill->root, file->path);
}

static void
write_entry (const struct skill *skill, struct buf *out)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  jsonw_name (&w, "uri");
  jsonw_stringf (&w, "%s/%s", skill->root, MAIN_FILE);
  jsonw_name_raw (&w, "frontmatter", skill->front_matter, skill->front_matter_len);
  jsonw_name (&w, "resources");
  jsonw_array (&w);
  for (size_t i = 0; i < skill->count; i++) {
    const struct skill_file *file = &skill->files[i];
    jsonw_object (&w);
    jsonw_name (&w, "uri");
    jsonw_stringf (&w, "%s/%s", skill->root, file->path);
    jsonw_name (&w, "digest");
    jsonw_stringf (&w, "sha256:%s", file->sha256);
    jsonw_name_int (&w, "size", (int64_t) file->size);
    jsonw_end (&w);
  }
  jsonw_end (&w);
  jsonw_end (&w);
}

static void
write_resource (const struct skill *skill, const struct skill_file *file, struct buf *out)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  jsonw_name (&w, "uri");
  jsonw_stringf (&w, "%s/%s", skill->root, file->path);
  jsonw_name_string (&w, "name", skill->name);
  jsonw_name_string (&w, "description", skill->description);
  jsonw_name_string (&w, "mimeType", skill_file_type (file->path));
  jsonw_name_int (&w, "size", (int64_t) file->size);
  jsonw_end (&w);
}

static struct tool *
offer (struct skill *skill, const char *plugin, enum offer kind, const struct skill_file *file)
{
  struct tool *tool = xcalloc (1, sizeof *tool);
  CLEANUP_BUF struct buf uri = { 0 };

  uri_of (skill, file, &uri);
  tool->refs = 1;
  tool->offer = kind;
  tool->name = xstrndup (uri.data, uri.len);
  tool->name_len = uri.len;
  tool->description = xstrdup (skill->description);
  tool->plugin = xstrdup (plugin);
  tool->idempotent = true;
  tool->skill = skill;
  (void) skills_ref (skill->all);
  if (kind == OFFER_SKILL)
    write_entry (skill, &tool->mcp);
  else
    write_resource (skill, file, &tool->mcp);
  return tool;
}

void
skills_offer (struct skills *skills, const char *plugin, struct described *d)
{
  const size_t more = 2 * skills->count;

  d->tools = xrealloc (d->tools, (d->tools_count + more + 1) * sizeof (struct tool *));
  for (size_t i = 0; i < skills->count; i++) {
    struct skill *skill = &skills->list[i];
    CLEANUP_BUF struct buf uri = { 0 };
    buf_printf (&uri, "%s/%s", skill->root, MAIN_FILE);
    const struct skill_file *file = skill_file (skill, uri.data, uri.len);
    if (file == NULL)
      continue;
    d->tools[d->tools_count++] = offer (skill, plugin, OFFER_SKILL, file);
    d->tools[d->tools_count++] = offer (skill, plugin, OFFER_RESOURCE, file);
  }
  d->problems =
    xrealloc (d->problems, (d->problems_count + skills->problems_count + 1) * sizeof *d->problems);
  for (size_t i = 0; i < skills->problems_count; i++)
    d->problems[d->problems_count++] = xstrdup (skills->problems[i]);
}

/* ---- files ---- */

struct wanted {
  const char *path;
  size_t len;
};

static int
compare_path (const void *key, const void *element)
{
  const struct wanted *wanted = key;
  const char *path = ((const struct skill_file *) element)->path;
  const int c = strncmp (wanted->path, path, wanted->len);

  return c != 0 ? c : path[wanted->len] == '\0' ? 0 : -1;
}

const struct skill_file *
skill_file (const struct skill *skill, const char *uri, size_t len)
{
  struct wanted wanted;

  if (len < skill->root_len + 2 || memcmp (uri, skill->root, skill->root_len) != 0
      || uri[skill->root_len] != '/' || memchr (uri, '\0', len) != NULL)
    return NULL;
  wanted.path = uri + skill->root_len + 1;
  wanted.len = len - skill->root_len - 1;
  return bsearch (&wanted, skill->files, skill->count, sizeof *skill->files, compare_path);
}

const char *
skill_file_type (const char *path)
{
  static const struct {
    const char *end, *type;
  } types[] = {
    { ".md", "text/markdown" },
    { ".txt", "text/plain" },
    { ".json", "application/json" },
    { ".yaml", "application/yaml" },
    { ".yml", "application/yaml" },
    { ".toml", "application/toml" },
    { ".xml", "application/xml" },
    { ".html", "text/html" },
    { ".css", "text/css" },
    { ".csv", "text/csv" },
    { ".js", "text/javascript" },
    { ".mjs", "text/javascript" },
    { ".ts", "text/x-typescript" },
    { ".py", "text/x-python" },
    { ".sh", "text/x-shellscript" },
    { ".c", "text/x-c" },
    { ".h", "text/x-c" },
    { ".sql", "application/sql" },
    { ".png", "image/png" },
    { ".jpg", "image/jpeg" },
    { ".jpeg", "image/jpeg" },
    { ".gif", "image/gif" },
    { ".svg", "image/svg+xml" },
    { ".webp", "image/webp" },
    { ".pdf", "application/pdf" },
    { ".zip", "application/zip" },
  };
  const char *dot = strrchr (path, '.');

  for (size_t i = 0; dot != NULL && i < sizeof types / sizeof types[0]; i++)
    if (strcasecmp (dot, types[i].end) == 0)
      return types[i].type;
  return "application/octet-stream";
}

void
skills_each_changed (const struct skills *was, const struct skills *now,
                     void (*changed) (void *ctx, const char *uri, size_t len), void *ctx)
{
  for (size_t i = 0; i < was->count; i++) {
    const struct skill *old = &was->list[i], *new = NULL;
    for (size_t n = 0; now != NULL && n < now->count; n++)
      if (strcmp (now->list[n].root, old->root) == 0)
        new = &now->list[n];
    for (size_t n = 0; n < old->count; n++) {
      CLEANUP_BUF struct buf uri = { 0 };
      const struct skill_file *file;
      uri_of (old, &old->files[n], &uri);
      file = new != NULL ? skill_file (new, uri.data, uri.len) : NULL;
      if (file == NULL || strcmp (file->sha256, old->files[n].sha256) != 0)
        changed (ctx, uri.data, uri.len);
    }
  }
}

struct tool *
skill_at (const struct toolset *set, const char *uri, size_t len)
{
  const struct offers *offers = &set->of[OFFER_SKILL];
  CLEANUP_BUF struct buf name = { 0 };

  if (offers->count == 0 || len <= strlen (SKILL_SCHEME)
      || memcmp (uri, SKILL_SCHEME, strlen (SKILL_SCHEME)) != 0)
    return NULL;
  for (size_t end = len; end > strlen (SKILL_SCHEME); end--) {
    struct tool *tool;
    if (end != len && uri[end] != '/')
      continue;
    name.len = 0;
    buf_append (&name, uri, end);
    buf_printf (&name, "/%s", MAIN_FILE);
    tool = offers_find (offers, name.data, name.len);
    if (tool != NULL)
      return tool;
  }
  return NULL;
}

bool
skill_read (const struct skill *skill, const struct skill_file *file, struct buf *out,
            struct error *err)
{
  char *room = buf_reserve (out, file->size), hex[SHA256_HEX];
  struct hash *hash;

  for (uint64_t at = 0; at < file->size;) {
    ssize_t n = pread (skill->all->fd, room + at, file->size - at, (off_t) (file->start + at));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return error_set (err, "the copy of its plugin can't be read");
    at += (uint64_t) n;
  }
  hash = hash_new ();
  hash_add (hash, room, file->size);
  hash_end (hash, hex);
  if (strcmp (hex, file->sha256) != 0)
    return error_set (err, "the copy of its plugin is damaged");
  out->len += file->size;
  return true;
}
