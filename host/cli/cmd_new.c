#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_write.h"
#include "cli/command.h"
#include "cli/out.h"

#ifndef TOOLHOST_TEMPLATE_DIR
#define TOOLHOST_TEMPLATE_DIR "/usr/share/toolhost/template"
#endif

enum { NAME_MOST = 64, TEMPLATE_MOST = 64 * 1024 };

/* The files of a new plugin: template, and the name before and after the plugin's own. */
static const struct {
  const char *template;
  const char *before, *after;
  bool named; /* the plugin's name stands between the two */
} files[] = {
  { "plugin.c.in", "", ".c", true },           { "test.c.in", "test_", ".c", true },
  { "plugin.mk.in", "Makefile", "", false },   { "readme.md.in", "README.md", "", false },
  { "gitignore.in", ".gitignore", "", false },
};
enum { FILES = sizeof files / sizeof *files };

static bool
check_name (const char *name, struct error *err)
{
  static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";
  size_t len = strlen (name);

  if (len > 0 && len <= NAME_MOST && strspn (name, allowed) == len && name[0] != '-')
    return true;
  return error_set (err, "new: expected a name of 1 to %d of a-z 0-9 _ -, got \"%s\"", NAME_MOST,
                    name);
}

/* ---- where the templates are ---- */

static bool
is_template_dir (int dir)
{
  return dir >= 0 && faccessat (dir, files[0].template, R_OK, 0) == 0;
}

/* Beside this program (bin and share of one tree), else where it was configured to be. */
static int
open_templates (struct error *err)
{
  CLEANUP_BUF struct buf path = { 0 };
  char self[PATH_MAX];
  ssize_t len = readlink ("/proc/self/exe", self, sizeof self - 1);
  const char *given = getenv ("TOOLHOST_TEMPLATE_DIR");
  const char *places[] = { given, NULL, TOOLHOST_TEMPLATE_DIR };

  if (len > 0) {
    self[len] = '\0';
    *strrchr (self, '/') = '\0';
    buf_printf (&path, "%s/../share/toolhost/template", self);
    places[1] = buf_cstr (&path);
  }
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    int dir = places[i] != NULL ? open (places[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (is_template_dir (dir))
      return dir;
    if (dir >= 0)
      (void) close (dir);
  }
  error_set (err, "the templates of new plugins are not in %s; is the toolhost SDK installed?",
             TOOLHOST_TEMPLATE_DIR);
  return -1;
}

/* ---- one file ---- */

static bool
read_template (int dir, const char *name, struct buf *out, struct error *err)
{
  CLEANUP_FD int fd = openat (dir, name, O_RDONLY | O_CLOEXEC);

  if (fd < 0)
    return error_set (err, "template %s: %s", name, strerror (errno));
  ssize_t got = read (fd, buf_reserve (out, TEMPLATE_MOST), TEMPLATE_MOST);
  if (got < 0)
    return error_set (err, "template %s: %s", name, strerror (errno));
  out->len += (size_t) got;
  return true;
}

/* Put the plugin's name wherever the template says @NAME@. */
static void
fill (const struct buf *template, const char *name, struct buf *out)
{
  static const char mark[] = "@NAME@";
  const char *at = template->data, *end = template->data + template->len;
  const char *hit;

  while ((hit = memmem (at, (size_t) (end - at), mark, sizeof mark - 1)) != NULL) {
    buf_append (out, at, (size_t) (hit - at));
    buf_puts (out, name);
    at = hit + sizeof mark - 1;
  }
  buf_append (out, at, (size_t) (end - at));
}

static bool
write_file (int dir, const char *name, const struct buf *text, struct error *err)
{
  int fd = openat (dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  FILE *file = fd >= 0 ? fdopen (fd, "w") : NULL;

  if (file == NULL)
    return error_set (err, "%s: %s", name, strerror (errno));
  bool ok = fwrite (text->data, 1, text->len, file) == text->len;
  ok = fclose (file) == 0 && ok;
  return ok || error_set (err, "%s: %s", name, strerror (errno));
}

static bool
make_file (int templates, int dir, size_t index, const char *name, struct error *err)
{
  CLEANUP_BUF struct buf template = { 0 };
  CLEANUP_BUF struct buf text = { 0 };
  CLEANUP_BUF struct buf target = { 0 };

  if (!read_template (templates, files[index].template, &template, err))
    return false;
  fill (&template, name, &text);
  buf_printf (&target, "%s%s%s", files[index].before, files[index].named ? name : "",
              files[index].after);
  return write_file (dir, buf_cstr (&target), &text, err);
}

/* ---- the folder ---- */

static bool
make_folder (const char *path, const char *name, struct error *err)
{
  CLEANUP_FD int templates = open_templates (err);

  if (templates < 0)
    return false;
  if (mkdir (path, 0777) != 0)
    return error_set (err, "%s: %s%s", path, strerror (errno),
                      errno == EEXIST ? "; choose another name, or remove it first" : "");
  CLEANUP_FD int dir = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (dir < 0)
    return error_set (err, "%s: %s", path, strerror (errno));
  for (size_t i = 0; i < FILES; i++)
    if (!make_file (templates, dir, i, name, err))
      return error_wrap (err, "%s/", path);
  return true;
}

static void
announce (const struct options *options, const char *path, const char *name)
{
  CLEANUP_BUF struct buf text = { 0 };

  if (command_wants_json (options)) {
    struct json_writer w = { .out = &text };
    jsonw_object (&w);
    jsonw_name_string (&w, "name", name);
    jsonw_name_string (&w, "dir", path);
    jsonw_end (&w);
  }
  else
    buf_printf (&text,
                "%s is ready:\n"
                "  cd %s\n"
                "  make check\n"
                "  toolhost call --plugin ./%s.so %s '{\"name\":\"Ada\"}'\n",
                path, path, name, name);
  out_text (text.data, text.len);
}

static enum cli_exit
run (const struct options *options, char **words, int count)
{
  CLEANUP_BUF struct buf path = { 0 };
  struct error err = { 0 };

  (void) count;
  if (!check_name (words[0], &err))
    return out_error (CLI_USAGE, "%s", err.text);
  if (options->dir != NULL)
    buf_printf (&path, "%s/", options->dir);
  buf_puts (&path, words[0]);
  if (!make_folder (buf_cstr (&path), words[0], &err))
    return out_error (CLI_FAILED, "%s", err.text);
  announce (options, path.data, words[0]);
  return CLI_OK;
}

const struct command command_new = {
  .name = "new",
  .usage = "NAME [--dir DIR]",
  .summary = "make a folder with a plugin that builds, and its test",
  .details =
    "In the new folder `make` builds NAME.so, `make check` tests it without a daemon, and\n"
    "README.md says what comes next.\n",
  .options = OPTION_JSON | OPTION_DIR,
  .least = 1,
  .most = 1,
  .run = run,
};
