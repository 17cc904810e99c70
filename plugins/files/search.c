/* search.c - files_search: by name, by content, or both, below a folder. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../common/utf8.h"
#include "files.h"
#include "folder.h"
#include "glob.h"
#include "lines.h"
#include "roots.h"

enum { RESULTS_DEFAULT = 100, RESULTS_MAX = 1000, DEPTH_MAX = 32, ENTRIES_MAX = 1000000 };

/* Stop early enough to tell what was found. */
enum { TIME_LEFT_MIN_MS = 300 };

static const char *
definition (void *self)
{
  (void) self;
  /* clang-format off */
  return TOOLHOST_JSON ({
    "name": "files_search",
    "title": "Search files",
    "description": "Find files below a granted folder by a pattern of their name, by a text in their lines, or by both. Symbolic links are found by name but not followed; binary files are not searched for text.",
    "inputSchema": {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "type": "object",
      "properties": {
        "path": {
          "type": "string",
          "minLength": 1,
          "maxLength": 4095,
          "description": "Absolute path of the folder to search; default: all granted folders.",
          "examples": ["/srv/docs"]
        },
        "name": {
          "type": "string",
          "minLength": 1,
          "maxLength": 255,
          "description": "Pattern with * ? [a-z] for the name; with a slash in it for the path below the searched folder, where ** crosses slashes.",
          "examples": ["*.md", "reports/**/2025-*.csv"]
        },
        "content": {
          "type": "string",
          "minLength": 1,
          "maxLength": 1024,
          "description": "Text that a line of the file holds.",
          "examples": ["deadline"]
        },
        "ignore_case": { "type": "boolean", "default": false, "description": "Take ASCII letters in either case." },
        "max_results": { "type": "integer", "minimum": 1, "maximum": 1000, "default": 100, "description": "At most so many matches." },
        "max_depth": { "type": "integer", "minimum": 0, "maximum": 32, "default": 32, "description": "Folders below the searched one; 0: none." }
      },
      "additionalProperties": false
    },
    "outputSchema": {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "type": "object",
      "properties": {
        "matches": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "path": { "type": "string" },
              "kind": { "type": "string", "enum": ["file", "folder", "symlink", "other"] },
              "line": { "type": "integer", "description": "Of content." },
              "text": { "type": "string", "description": "The line, or the part of it around the match." }
            },
            "required": ["path", "kind"],
            "additionalProperties": false
          }
        },
        "complete": { "type": "boolean", "description": "Everything was searched." },
        "stopped_by": { "type": "string", "enum": ["max_results", "time", "entries"] },
        "searched": { "type": "integer", "description": "Entries looked at." },
        "skipped": { "type": "integer", "description": "Files and folders that could not be read or lie too deep, and binary files when searching for content." }
      },
      "required": ["matches", "complete", "searched", "skipped"],
      "additionalProperties": false
    },
    "annotations": {
      "title": "Search files",
      "readOnlyHint": true,
      "destructiveHint": false,
      "idempotentHint": true,
      "openWorldHint": false
    }
  });
  /* clang-format on */
}

static toolhost_status
validate (void *self, toolhost_call *call)
{
  const char *name = toolhost_arg_string (call, "name");
  size_t len;
  const char *content = toolhost_arg_string_len (call, "content", &len);

  (void) self;
  if (!toolhost_has_arg (call, "name") && !toolhost_has_arg (call, "content"))
    toolhost_invalid (call, "", "expected \"name\", \"content\" or both");
  if (name != NULL && !glob_valid (name))
    toolhost_invalid (call, "/name", "a \"[\" has no \"]\", or a \"\\\" stands at the end");
  if (name == NULL && toolhost_has_arg (call, "name"))
    toolhost_invalid (call, "/name", "a name holds no U+0000");
  if (content != NULL && (memchr (content, '\n', len) != NULL || memchr (content, 0, len) != NULL))
    toolhost_invalid (call, "/content",
                      "the search goes line by line: no line ends and no U+0000 in it");
  return TOOLHOST_OK;
}

struct search {
  toolhost_call *call;
  const struct root *root;
  const char *base; /* where in the root the search began: "." or a path */
  const char *name; /* NULL: any */
  bool ignore_case;
  size_t max_results;
  int64_t max_depth;
  struct lines lines; /* needle NULL: names only */

  size_t results;
  int64_t searched, skipped;
  const char *stopped_by; /* NULL: go on */
  bool cancelled;
  const char *file; /* whose lines are searched, relative to the root */
  struct text json, text;
};

/* ---- results ---- */

/* The path below the root as one below the folder where the search began. */
static const char *
below_base (const struct search *s, const char *rest)
{
  size_t len = strlen (s->base);

  return strcmp (s->base, ".") == 0 ? rest : rest + len + 1;
}

static void
open_match (struct search *s, const char *rest, const char *kind)
{
  CLEANUP_TEXT struct text path = { 0 };

  root_path_write (s->root, rest, &path);
  json_open (&s->json, '{');
  json_name_string (&s->json, "path", text_get (&path));
  json_name_string (&s->json, "kind", kind);
  text_add_line (&s->text, text_get (&path), path.len);
  if (++s->results == s->max_results)
    s->stopped_by = "max_results";
}

static void
close_match (struct search *s)
{
  json_close (&s->json, '}');
  text_add (&s->text, "\n");
}

static bool
found_line (void *ctx, int64_t line, const char *text, size_t len, size_t at)
{
  enum { SHOWN = 240, SHOWN_BEFORE = 80 };
  struct search *s = ctx;
  size_t from = at > SHOWN_BEFORE ? at - SHOWN_BEFORE : 0;
  CLEANUP_TEXT struct text shown = { 0 };

  while (from > 0 && from < at && ((unsigned char) text[from] & 0xC0) == 0x80)
    from++;
  len = utf8_cut (text + from, len - from, SHOWN);
  while (len > 0 && text[from + len - 1] == '\r')
    len--;
  text_add_line (&shown, text + from, len);
  open_match (s, s->file, "file");
  json_name_int (&s->json, "line", line);
  json_name_string (&s->json, "text", text_get (&shown));
  text_addf (&s->text, ":%lld: %s", (long long) line, text_get (&shown));
  close_match (s);
  return s->stopped_by == NULL;
}

/* ---- content ---- */

/* Nobody wants the rest? */
static bool
over (struct search *s)
{
  if (s->stopped_by != NULL || s->cancelled)
    return true;
  s->cancelled = toolhost_cancelled (s->call);
  if (!s->cancelled && toolhost_time_left (s->call) < TIME_LEFT_MIN_MS)
    s->stopped_by = "time";
  return s->cancelled || s->stopped_by != NULL;
}

static void
search_open_file (struct search *s, int fd)
{
  ssize_t n = 1;
  bool first = true;

  lines_start (&s->lines);
  while (n > 0 && !over (s)) {
    size_t room;
    char *to = lines_room (&s->lines, &room);

    n = read (fd, to, room);
    if (n < 0 && errno == EINTR) {
      n = 1;
      continue;
    }
    if (n < 0 || (first && memchr (to, 0, (size_t) n) != NULL)) {
      s->skipped++;
      return;
    }
    first = false;
    if (!lines_got (&s->lines, (size_t) n))
      return;
  }
}

static void
search_content (struct search *s, const char *rest)
{
  int fd = root_open_file (s->root, rest, false);

  if (fd < 0) {
    s->skipped++;
    return;
  }
  s->file = rest;
  search_open_file (s, fd);
  close (fd);
}

/* ---- folders ---- */

static bool
name_matches (const struct search *s, const char *rest, const char *name)
{
  if (s->name == NULL)
    return true;
  return glob_match (s->name, strchr (s->name, '/') != NULL ? below_base (s, rest) : name,
                     s->ignore_case);
}

static void walk (struct search *s, const char *rest, int64_t depth);

static void
look_at (struct search *s, const char *rest, const struct folder_entry *entry, int64_t depth)
{
  if (++s->searched % 5000 == 0)
    toolhost_progress (s->call, (double) s->searched, 0, "%zu found", s->results);
  if (s->searched == ENTRIES_MAX)
    s->stopped_by = "entries";
  if (name_matches (s, rest, entry->name)) {
    if (s->lines.needle != NULL && entry->kind == KIND_FILE)
      search_content (s, rest);
    if (s->lines.needle == NULL) {
      open_match (s, rest, kind_names[entry->kind]);
      close_match (s);
    }
  }
  if (entry->kind == KIND_FOLDER)
    walk (s, rest, depth + 1);
}

/* What is in a folder.  Each folder is opened from the root, so that one that is moved out of it
 * meanwhile is not walked any further. */
static void
walk (struct search *s, const char *rest, int64_t depth)
{
  CLEANUP_FOLDER struct folder folder = { 0 };
  CLEANUP_TEXT struct text path = { 0 };
  int fd;

  if (depth > s->max_depth) {
    /* The caller's own limit is no fault. */
    s->skipped += s->max_depth == DEPTH_MAX;
    return;
  }
  fd = root_open_folder (s->root, rest, depth == 0);
  if (fd < 0 || !folder_read (&folder, fd)) {
    s->skipped++;
    return;
  }
  for (size_t i = 0; i < folder.count && !over (s); i++) {
    text_clear (&path);
    if (strcmp (rest, ".") != 0)
      text_addf (&path, "%s/", rest);
    text_add (&path, folder.entries[i].name);
    if (text_ok (&path))
      look_at (s, text_get (&path), &folder.entries[i], depth);
  }
}

/* ---- the whole ---- */

static toolhost_status
tell (struct search *s)
{
  bool complete = s->stopped_by == NULL && s->skipped == 0;

  json_close (&s->json, ']');
  json_name_bool (&s->json, "complete", complete);
  if (s->stopped_by != NULL)
    json_name_string (&s->json, "stopped_by", s->stopped_by);
  json_name_int (&s->json, "searched", s->searched);
  json_name_int (&s->json, "skipped", s->skipped);
  json_close (&s->json, '}');
  if (s->results == 0)
    text_add (&s->text, "(nothing found)\n");
  if (s->stopped_by != NULL)
    text_addf (&s->text, "(stopped by %s; there may be more)\n", s->stopped_by);
  if (s->skipped > 0)
    text_addf (&s->text, "(%lld skipped: not readable, too deep, or binary)\n",
               (long long) s->skipped);
  return files_send (s->call, &s->text, &s->json);
}

static toolhost_status
search_roots (struct search *s, const struct roots *roots, const struct place *place)
{
  json_open (&s->json, '{');
  json_name (&s->json, "matches");
  json_open (&s->json, '[');
  for (size_t i = 0; i < roots->count && !over (s); i++) {
    if (place->root != NULL && place->root != &roots->items[i])
      continue;
    s->root = &roots->items[i];
    s->base = place->root != NULL ? text_get (&place->rest) : ".";
    walk (s, s->base, 0);
  }
  if (s->cancelled)
    return toolhost_fail (s->call, "files_cancelled", "the call was cancelled");
  return tell (s);
}

/* Can the folder be searched at all?  Better a reason than "nothing found". */
static toolhost_status
check_folder (toolhost_call *call, const struct place *place)
{
  CLEANUP_TEXT struct text path = { 0 };
  int fd = place->root != NULL ? root_open_folder (place->root, text_get (&place->rest), true) : -1;
  int error = errno;

  if (fd >= 0)
    close (fd);
  if (fd >= 0 || place->root == NULL)
    return TOOLHOST_OK;
  root_path_write (place->root, text_get (&place->rest), &path);
  if (error == EINVAL)
    return toolhost_fail (call, "files_wrong_kind", "\"%.300s\" is no folder", text_get (&path));
  return fail_errno (call, text_get (&path), error);
}

/* The text to search for, in lower case if case does not count; from malloc. */
static char *
needle_of (toolhost_call *call, bool ignore_case, size_t *len)
{
  const char *content = toolhost_arg_string_len (call, "content", len);
  char *needle = content != NULL ? malloc (*len + 1) : NULL;

  if (needle == NULL)
    return NULL;
  memcpy (needle, content, *len + 1);
  if (ignore_case)
    lines_fold (needle, *len);
  return needle;
}

static toolhost_status
run (struct search *s, const struct roots *roots, const struct place *place)
{
  toolhost_status status = check_folder (s->call, place);

  if (status != TOOLHOST_OK)
    return status;
  if (toolhost_has_arg (s->call, "content") && (s->lines.needle == NULL || !lines_init (&s->lines)))
    return files_no_memory (s->call);
  return search_roots (s, roots, place);
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  struct search s = { .call = call,
                      .name = toolhost_arg_string (call, "name"),
                      .ignore_case = toolhost_arg_bool (call, "ignore_case", false),
                      .max_depth = toolhost_arg_int (call, "max_depth", DEPTH_MAX) };
  CLEANUP_PLACE struct place place = { 0 };
  char *needle;
  toolhost_status status = place_get (call, self, &place);

  if (status != TOOLHOST_OK)
    return status;
  s.max_results = (size_t) toolhost_arg_int (call, "max_results", RESULTS_DEFAULT);
  needle = needle_of (call, s.ignore_case, &s.lines.needle_len);
  s.lines.needle = needle;
  s.lines.ignore_case = s.ignore_case;
  s.lines.found = found_line;
  s.lines.ctx = &s;
  status = run (&s, self, &place);
  lines_free (&s.lines);
  free (needle);
  text_free (&s.json);
  text_free (&s.text);
  return status;
}

static int64_t
max_time (void *self)
{
  (void) self;
  return 30000;
}

const toolhost_tool files_search_tool = { TOOLHOST_TOOL,        .definition = definition,
                                          .validate = validate, .can_execute = files_granted,
                                          .execute = execute,   .max_time = max_time };
