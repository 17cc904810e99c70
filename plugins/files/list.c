/* list.c - files_list: what is in a folder. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "files.h"
#include "folder.h"
#include "roots.h"

static const char *
definition (void *self)
{
  (void) self;
  /* clang-format off */
  return TOOLHOST_JSON ({
    "name": "files_list",
    "title": "List a folder",
    "description": "List a granted folder: names, kinds, sizes, times of change. Without a path: which folders are granted.",
    "inputSchema": {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "type": "object",
      "properties": {
        "path": {
          "type": "string",
          "minLength": 1,
          "maxLength": 4095,
          "description": "Absolute path of a folder; relative to the granted folder if there is only one.",
          "examples": ["/srv/docs/reports"]
        },
        "after": {
          "type": "string",
          "minLength": 1,
          "maxLength": 255,
          "description": "Go on after this name: \"next\" of the list before."
        },
        "limit": { "type": "integer", "minimum": 1, "maximum": 1000, "default": 200, "description": "At most so many entries." }
      },
      "additionalProperties": false
    },
    "outputSchema": {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "type": "object",
      "properties": {
        "path": { "type": "string" },
        "entries": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "name": { "type": "string" },
              "path": { "type": "string" },
              "kind": { "type": "string", "enum": ["file", "folder", "symlink", "other"] },
              "size": { "type": "integer", "description": "Bytes; of files." },
              "modified": { "type": "string" }
            },
            "required": ["name", "path", "kind"],
            "additionalProperties": false
          }
        },
        "total": { "type": "integer", "description": "Entries of the whole folder." },
        "next": { "type": "string", "description": "There are more after this name." }
      },
      "required": ["entries", "total"],
      "additionalProperties": false
    },
    "annotations": {
      "title": "List a folder",
      "readOnlyHint": true,
      "destructiveHint": false,
      "idempotentHint": true,
      "openWorldHint": false
    }
  });
  /* clang-format on */
}

static void
add_modified (const struct stat *st, struct text *json)
{
  struct tm tm;
  char text[32];

  if (gmtime_r (&st->st_mtime, &tm) != NULL
      && strftime (text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm) > 0)
    json_name_string (json, "modified", text);
}

static void
add_entry (const char *path, const struct folder_entry *entry, const struct stat *st,
           struct text *json, struct text *text)
{
  CLEANUP_TEXT struct text whole = { 0 };
  const char *name = entry->name;

  text_addf (&whole, "%s%s%s", path, path[0] != '\0' && strcmp (path, "/") != 0 ? "/" : "", name);
  json_open (json, '{');
  json_name_string (json, "name", name);
  json_name_string (json, "path", text_get (&whole));
  json_name_string (json, "kind", kind_names[entry->kind]);
  if (entry->kind == KIND_FILE)
    json_name_int (json, "size", st->st_size);
  add_modified (st, json);
  json_close (json, '}');
  text_add_line (text, name, strlen (name));
  if (entry->kind == KIND_FILE)
    text_addf (text, "\t%lld bytes\n", (long long) st->st_size);
  else
    text_addf (text, "%s\t%s\n", entry->kind == KIND_FOLDER ? "/" : "", kind_names[entry->kind]);
}

/* The granted folders themselves. */
static toolhost_status
list_roots (toolhost_call *call, const struct roots *roots)
{
  CLEANUP_TEXT struct text json = { 0 }, text = { 0 };

  json_open (&json, '{');
  json_name (&json, "entries");
  json_open (&json, '[');
  for (size_t i = 0; i < roots->count; i++) {
    const struct root *root = &roots->items[i];
    struct folder_entry entry = { root->path[0] != '\0' ? root->path : (char *) "/", KIND_FOLDER };
    struct stat st;

    if (fstat (root->fd, &st) == 0)
      add_entry ("", &entry, &st, &json, &text);
  }
  json_close (&json, ']');
  json_name_int (&json, "total", (int64_t) roots->count);
  json_close (&json, '}');
  return files_send (call, &text, &json);
}

/* The index of the first name after `after`. */
static size_t
first_after (const struct folder *folder, const char *after)
{
  size_t i = 0;

  while (after != NULL && i < folder->count && strcmp (folder->entries[i].name, after) <= 0)
    i++;
  return i;
}

static toolhost_status
list_entries (toolhost_call *call, const struct folder *folder, int fd, const char *path)
{
  CLEANUP_TEXT struct text json = { 0 }, text = { 0 };
  size_t i = first_after (folder, toolhost_arg_string (call, "after"));
  size_t limit = (size_t) toolhost_arg_int (call, "limit", 200);
  size_t end = folder->count - i > limit ? i + limit : folder->count;

  json_open (&json, '{');
  json_name_string (&json, "path", path);
  json_name (&json, "entries");
  json_open (&json, '[');
  for (; i < end; i++) {
    struct stat st;

    /* What went away meanwhile is not there. */
    if (fstatat (fd, folder->entries[i].name, &st, AT_SYMLINK_NOFOLLOW) == 0)
      add_entry (path, &folder->entries[i], &st, &json, &text);
  }
  json_close (&json, ']');
  json_name_int (&json, "total", (int64_t) folder->count);
  if (end < folder->count) {
    json_name_string (&json, "next", folder->entries[end - 1].name);
    text_addf (&text, "(%zu more; go on with \"after\": \"", folder->count - end);
    text_add_line (&text, folder->entries[end - 1].name, strlen (folder->entries[end - 1].name));
    text_add (&text, "\")\n");
  }
  json_close (&json, '}');
  if (text.len == 0)
    text_add (&text, "(nothing)\n");
  return files_send (call, &text, &json);
}

static toolhost_status
fail_folder (toolhost_call *call, const char *path, int error)
{
  if (error == EFBIG)
    return toolhost_fail (call, "files_too_many",
                          "\"%.300s\" holds more than %d entries; look for some of them with "
                          "files_search",
                          path, FOLDER_ENTRIES_MAX);
  if (error == EINVAL)
    return toolhost_fail (call, "files_wrong_kind",
                          "\"%.300s\" is no folder; read a file with files_read", path);
  return fail_errno (call, path, error);
}

static void
close_fd (int *fd)
{
  if (*fd >= 0)
    close (*fd);
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  CLEANUP_PLACE struct place place = { 0 };
  CLEANUP_TEXT struct text path = { 0 };
  CLEANUP_FOLDER struct folder folder = { 0 };
  __attribute__ ((cleanup (close_fd))) int fd = -1;
  toolhost_status status = place_get (call, self, &place);
  int copy;

  if (status != TOOLHOST_OK)
    return status;
  if (place.root == NULL)
    return list_roots (call, self);
  root_path_write (place.root, text_get (&place.rest), &path);
  fd = root_open_folder (place.root, text_get (&place.rest), true);
  copy = fd >= 0 ? fcntl (fd, F_DUPFD_CLOEXEC, 0) : -1;
  if (copy < 0 || !folder_read (&folder, copy))
    return fail_folder (call, text_get (&path), errno);
  return list_entries (call, &folder, fd, text_get (&path));
}

static int64_t
max_time (void *self)
{
  (void) self;
  return 10000;
}

const toolhost_tool files_list_tool = { TOOLHOST_TOOL, .definition = definition,
                                        .can_execute = files_granted, .execute = execute,
                                        .max_time = max_time };
