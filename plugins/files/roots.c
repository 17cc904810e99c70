#include "roots.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../common/json_scan.h"

/* ---- opening beneath ---- */

static int
open_beneath (int fd, const char *path, uint64_t flags, uint64_t resolve)
{
  enum { TRIES = 64 };
  struct open_how how = { .flags = flags | O_CLOEXEC,
                          .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | resolve };
  long opened = -1;

  /* EAGAIN: something was renamed meanwhile, and the kernel could not tell whether ".." is safe. */
  for (int i = 0; i < TRIES; i++) {
    opened = syscall (SYS_openat2, fd, path, &how, sizeof how);
    if (opened >= 0 || (errno != EAGAIN && errno != EINTR))
      break;
  }
  return (int) opened;
}

static uint64_t
link_rule (bool follow)
{
  return follow ? 0 : RESOLVE_NO_SYMLINKS;
}

int
root_open_folder (const struct root *root, const char *rest, bool follow)
{
  int fd = open_beneath (root->fd, rest, O_RDONLY | O_DIRECTORY, link_rule (follow));

  if (fd < 0 && errno == ENOTDIR)
    errno = EINVAL;
  return fd;
}

int
root_open_file (const struct root *root, const char *rest, bool follow)
{
  /* O_NONBLOCK: opening a FIFO must not wait for its other end. */
  int fd = open_beneath (root->fd, rest, O_RDONLY | O_NONBLOCK | O_NOCTTY, link_rule (follow));
  struct stat st;

  if (fd < 0 || (fstat (fd, &st) == 0 && S_ISREG (st.st_mode)))
    return fd;
  close (fd);
  errno = EINVAL;
  return -1;
}

/* ---- configuration ---- */

/* Absolute, and the name that it seems to be: no "." and "..", no empty parts. */
static bool
path_is_plain (const char *path)
{
  if (path[0] != '/')
    return false;
  for (const char *part = path + 1; *part != '\0';) {
    size_t len = strcspn (part, "/");

    if (len == 0 || strncmp (part, ".", len) == 0 || strncmp (part, "..", len) == 0)
      return false;
    part += len + (part[len] == '/');
  }
  return true;
}

static bool
open_root (struct root *root, toolhost_build *build, const char *pointer)
{
  int probe;

  root->fd = open (root->path[0] != '\0' ? root->path : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (root->fd < 0) {
    toolhost_build_error (build, pointer,
                          "can't open \"%s\": %s; is it in \"permissions\": {\"read\": [...]} too?",
                          root->path, strerror (errno));
    return false;
  }
  probe = open_beneath (root->fd, ".", O_PATH | O_DIRECTORY, 0);
  if (probe < 0) {
    toolhost_build_error (build, pointer,
                          "this kernel can't open files beneath a folder only (openat2: %s); Linux "
                          "5.6 or later is needed",
                          strerror (errno));
    return false;
  }
  close (probe);
  return true;
}

static bool
add_root (struct roots *roots, toolhost_build *build, const char *path)
{
  struct root *items = realloc (roots->items, (roots->count + 1) * sizeof *items);
  char pointer[32];
  size_t len = strlen (path);

  (void) snprintf (pointer, sizeof pointer, "/roots/%zu", roots->count);
  if (!path_is_plain (path)) {
    toolhost_build_error (build, pointer,
                          "expected an absolute path without \".\", \"..\" and \"//\", got \"%s\"",
                          path);
    roots->items = items != NULL ? items : roots->items;
    return false;
  }
  if (items == NULL)
    return false;
  roots->items = items;
  items[roots->count] = (struct root){ strndup (path, len - (path[len - 1] == '/')), -1 };
  if (items[roots->count++].path == NULL)
    return false;
  return open_root (&items[roots->count - 1], build, pointer);
}

static bool
read_roots (struct roots *roots, toolhost_build *build, struct json_scan *scan)
{
  CLEANUP_TEXT struct text path = { 0 };

  if (!json_scan_enter (scan, '[')) {
    toolhost_build_error (build, "/roots", "expected an array of absolute paths");
    return false;
  }
  while (json_scan_item (scan)) {
    if (!json_scan_string (scan, &path) || strlen (text_get (&path)) != path.len) {
      toolhost_build_error (build, "/roots", "expected an array of absolute paths");
      return false;
    }
    if (!add_root (roots, build, text_get (&path)))
      return false;
  }
  return true;
}

bool
roots_open (struct roots *roots, toolhost_build *build, const char *config, size_t len)
{
  struct json_scan scan = { config, config + len };
  CLEANUP_TEXT struct text name = { 0 };

  *roots = (struct roots){ 0 };
  if (!json_scan_enter (&scan, '{'))
    return true;
  while (json_scan_name (&scan, &name)) {
    if (strcmp (text_get (&name), "roots") != 0) {
      toolhost_build_error (build, "", "\"%s\": expected only \"roots\"", text_get (&name));
      return false;
    }
    if (!read_roots (roots, build, &scan))
      return false;
  }
  return true;
}

void
roots_close (struct roots *roots)
{
  for (size_t i = 0; i < roots->count; i++) {
    if (roots->items[i].fd >= 0)
      close (roots->items[i].fd);
    free (roots->items[i].path);
  }
  free (roots->items);
  *roots = (struct roots){ 0 };
}

/* ---- places ---- */

/* What of the path is below the root; NULL: it is not below it by its name. */
static const char *
rest_below (const struct root *root, const char *path)
{
  size_t len = strlen (root->path);

  if (strncmp (path, root->path, len) != 0 || (path[len] != '/' && path[len] != '\0'))
    return NULL;
  return path + len;
}

/* Without "." and empty parts, which mean nothing; ".." is the kernel's to judge. */
static void
set_rest (struct place *place, const char *path)
{
  while (*path != '\0') {
    size_t len = strcspn (path, "/");

    if (len > 0 && (len > 1 || *path != '.')) {
      text_add (&place->rest, place->rest.len > 0 ? "/" : "");
      text_add_len (&place->rest, path, len);
    }
    path += len + (path[len] == '/');
  }
  if (place->rest.len == 0)
    text_add (&place->rest, ".");
}

void
place_free (struct place *place)
{
  text_free (&place->rest);
}

static void
write_roots (const struct roots *roots, struct text *out)
{
  for (size_t i = 0; i < roots->count; i++)
    text_addf (out, "%s\"%s\"", i == 0 ? "" : ", ",
               roots->items[i].path[0] != '\0' ? roots->items[i].path : "/");
}

static toolhost_status
fail_outside (toolhost_call *call, const struct roots *roots, const char *path)
{
  CLEANUP_TEXT struct text granted = { 0 };

  write_roots (roots, &granted);
  if (path[0] != '/')
    return toolhost_fail (
      call, "files_outside",
      "\"%.300s\": several folders are granted, so write the path as an absolute "
      "one below one of them: %.2000s",
      path, text_get (&granted));
  return toolhost_fail (call, "files_outside", "\"%.300s\" is outside the granted folders: %.2000s",
                        path, text_get (&granted));
}

toolhost_status
place_get (toolhost_call *call, const struct roots *roots, struct place *place)
{
  const char *path = toolhost_arg_string (call, "path");

  const char *rest = path;

  *place = (struct place){ 0 };
  if (path == NULL && toolhost_has_arg (call, "path"))
    return toolhost_fail (call, "files_not_found", "a path holds no U+0000");
  if (path == NULL)
    return TOOLHOST_OK;
  if (path[0] != '/' && roots->count == 1)
    place->root = &roots->items[0];
  for (size_t i = 0; path[0] == '/' && i < roots->count; i++) {
    const struct root *root = &roots->items[i];
    const char *below = rest_below (root, path);

    /* Of two roots, one below the other, the inner one. */
    if (below == NULL || (place->root != NULL && strlen (root->path) <= strlen (place->root->path)))
      continue;
    place->root = root;
    rest = below;
  }
  if (place->root == NULL)
    return fail_outside (call, roots, path);
  set_rest (place, rest);
  return text_ok (&place->rest) ? TOOLHOST_OK
                                : toolhost_fail (call, "files_failed", "out of memory");
}

void
root_path_write (const struct root *root, const char *rest, struct text *out)
{
  text_add (out, root->path);
  if (strcmp (rest, ".") != 0)
    text_addf (out, "/%s", rest);
  else if (root->path[0] == '\0')
    text_add (out, "/");
}

toolhost_status
fail_errno (toolhost_call *call, const char *path, int error)
{
  static const struct {
    int error;
    const char *code, *text;
  } faults[] = {
    { EXDEV, "files_outside",
      "leads outside the granted folder, by \"..\" or by a symbolic link that is absolute or "
      "climbs "
      "too high" },
    { ELOOP, "files_denied", "goes through too many symbolic links, or one that is not followed" },
    { ENOENT, "files_not_found", "does not exist" },
    { ENOTDIR, "files_not_found", "does not exist: a part of the path is no folder" },
    { ENAMETOOLONG, "files_not_found", "does not exist: the path is too long" },
    { EACCES, "files_denied", "may not be read by this process" },
    { EPERM, "files_denied", "may not be read by this process" },
    { EAGAIN, "files_changing", "is being moved around too fast; try again" },
    { EINVAL, "files_wrong_kind", "is not what this tool works on" },
  };

  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    if (faults[i].error == error)
      return toolhost_fail (call, faults[i].code, "\"%.300s\" %s", path, faults[i].text);
  return toolhost_fail (call, "files_failed", "\"%.300s\": %s", path, strerror (error));
}
