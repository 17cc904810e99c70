#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_write.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/out.h"
#include "daemon/config.h"
#include "daemon/privileges.h"
#include "front/auth/keys.h"
#include "front/auth/roles.h"

/* The file of keys of a daemon, while nobody else changes it. */
struct keys_file {
  char *path;
  int lock;    /* on its folder */
  uid_t owner; /* whom the daemon is */
  gid_t group;
  struct bearer_keys keys;
  struct buf text;
};

/* ---- the file ---- */

static bool
read_config (const char *dir, struct config *config, struct error *err)
{
  CLEANUP_BUF struct buf path = { 0 };
  CLEANUP_FD int fd = -1;

  buf_printf (&path, "%s/toolhostd.json", dir);
  fd = open (buf_cstr (&path), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return errno == ENOENT || error_set (err, "%s: %s", path.data, strerror (errno));
  return config_read (config, fd, err) || error_wrap (err, "%s: ", path.data);
}

static bool
name_file (struct keys_file *file, const char *dir, const struct config *config, struct error *err)
{
  const char *name = config->auth.keys_file;
  struct identity identity = { .uid = geteuid (), .gid = getegid () };
  struct buf path = { 0 };

  if (name == NULL)
    return error_set (err, "auth.keys_file is null in toolhostd.json: the daemon reads no keys");
  if (geteuid () == 0
      && !identity_find (config->user, strcmp (config->user, "toolhost") != 0, &identity, err))
    return false;
  file->owner = identity.uid;
  file->group = identity.gid;
  if (name[0] == '/')
    buf_puts (&path, name);
  else
    buf_printf (&path, "%s/%s", dir, name);
  (void) buf_cstr (&path);
  file->path = path.data;
  return true;
}

/* Held until the file is closed. */
static bool
lock_folder (struct keys_file *file, struct error *err)
{
  CLEANUP_FREE char *folder = xstrdup (file->path);

  *(strrchr (folder, '/') + 1) = '\0';
  file->lock = open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return (file->lock >= 0 && flock (file->lock, LOCK_EX) == 0)
         || error_set (err, "%s: %s", folder, strerror (errno));
}

static bool
read_text (struct keys_file *file, struct error *err)
{
  if (!keys_read (&file->keys, AT_FDCWD, file->path, err))
    return false;
  return access (file->path, F_OK) != 0 || input_read (file->path, &file->text, err)
         || error_wrap (err, "%s: ", file->path);
}

static bool
open_file (struct keys_file *file, const struct options *options, struct error *err)
{
  CLEANUP_FREE char *standard = config_default_dir ();
  const char *dir = options->config_dir != NULL ? options->config_dir : standard;
  struct config config;
  bool good;

  *file = (struct keys_file){ .lock = -1 };
  if (dir == NULL)
    return error_set (err, "where is the configuration? name its folder with --config-dir");
  config_init (&config);
  good = read_config (dir, &config, err) && name_file (file, dir, &config, err)
         && lock_folder (file, err) && read_text (file, err);
  config_free (&config);
  return good;
}

static void
close_file (struct keys_file *file)
{
  fd_cleanup (&file->lock);
  keys_free (&file->keys);
  buf_free (&file->text);
  free (file->path);
}

static bool
write_all (int fd, const struct buf *text)
{
  for (size_t done = 0; done < text->len;) {
    ssize_t now = write (fd, text->data + done, text->len - done);
    if (now < 0 && errno != EINTR)
      return false;
    done += now > 0 ? (size_t) now : 0;
  }
  return fsync (fd) == 0;
}

/* The new text takes the old one's place in one step. */
static bool
replace (const struct keys_file *file, struct error *err)
{
  CLEANUP_BUF struct buf part = { 0 };
  CLEANUP_FD int fd = -1;

  buf_printf (&part, "%s.part", file->path);
  (void) unlink (buf_cstr (&part));
  fd = open (part.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd >= 0 && (geteuid () != 0 || fchown (fd, file->owner, file->group) == 0)
      && write_all (fd, &file->text) && rename (part.data, file->path) == 0)
    return true;
  error_set (err, "%s: %s", part.data, strerror (errno));
  if (fd >= 0)
    (void) unlink (part.data);
  return false;
}

/* ---- key new ---- */

static bool
wanted_roles (const struct options *options, unsigned *roles, struct error *err)
{
  *roles = options->roles.count == 0 ? ROLE_CALL : 0;
  for (size_t i = 0; i < options->roles.count; i++) {
    const char *text = options->roles.texts[i];
    unsigned some;
    if (!roles_read (text, strlen (text), &some))
      return error_set (err, "--role: expected list, call, observe, approve or manage, got \"%s\"",
                        text);
    *roles |= some;
  }
  return true;
}

static bool
take_word (const char *what, const char *word, char out[KEY_WORD_MAX + 1], struct error *err)
{
  if (!key_word (word, strlen (word)))
    return error_set (err, "%s: expected 1 to %d letters, digits, '.', '_' or '-', got \"%s\"",
                      what, KEY_WORD_MAX, word);
  memcpy (out, word, strlen (word) + 1);
  return true;
}

static void
put_key (struct json_writer *w, const struct bearer_key *key, const char *text)
{
  jsonw_object (w);
  jsonw_name_string (w, "id", key->id);
  jsonw_name_string (w, "name", key->name);
  jsonw_name_string (w, "tenant", key->tenant);
  jsonw_name_bits (w, "roles", key->roles, role_names);
  if (text != NULL)
    jsonw_name_string (w, "key", text);
  jsonw_end (w);
}

static void
show_new (const struct options *options, const struct bearer_key *key, const char *text)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  if (options->json)
    put_key (&w, key, text);
  else
    buf_puts (&out, text);
  out_text (out.data, out.len);
}

/* It must be read as it was meant before it is shown. */
static bool
add_key (struct keys_file *file, const struct bearer_key *key, struct error *err)
{
  struct bearer_keys now = { 0 };
  bool good;

  if (file->text.len != 0 && file->text.data[file->text.len - 1] != '\n')
    buf_putc (&file->text, '\n');
  key_write (key, &file->text);
  good = keys_parse (&now, file->text.data, file->text.len, err);
  keys_free (&now);
  return good && replace (file, err);
}

static bool
make_new (const struct options *options, struct keys_file *file, const char *name,
          struct error *err)
{
  struct bearer_key key = { .roles = 0 };
  char text[KEY_LEN + 1];

  if (!wanted_roles (options, &key.roles, err) || !take_word ("NAME", name, key.name, err)
      || !take_word ("--tenant", options->tenant != NULL ? options->tenant : "default", key.tenant,
                     err))
    return false;
  if (!key_make (&key, text))
    return error_set (err, "the kernel has no random bytes: %s", strerror (errno));
  if (!add_key (file, &key, err))
    return false;
  show_new (options, &key, text);
  explicit_bzero (text, sizeof text);
  return true;
}

/* ---- key list ---- */

static void
show_json (const struct bearer_keys *keys)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  jsonw_object (&w);
  jsonw_name (&w, "keys");
  jsonw_array (&w);
  for (size_t i = 0; i < keys->count; i++)
    put_key (&w, &keys->list[i], NULL);
  jsonw_end (&w);
  jsonw_end (&w);
  out_text (out.data, out.len);
}

static void
show_lines (const struct bearer_keys *keys)
{
  CLEANUP_BUF struct buf out = { 0 };

  for (size_t i = 0; i < keys->count; i++) {
    const struct bearer_key *key = &keys->list[i];
    buf_printf (&out, "%s%s  %-20s %-12s ", i != 0 ? "\n" : "", key->id, key->name, key->tenant);
    roles_write (key->roles, &out);
  }
  if (out.len != 0)
    out_text (out.data, out.len);
}

static bool
list_all (const struct options *options, struct keys_file *file, const char *word,
          struct error *err)
{
  if (word != NULL)
    return error_set (err, "list takes no name, got \"%s\"", word);
  if (command_wants_json (options))
    show_json (&file->keys);
  else
    show_lines (&file->keys);
  return true;
}

/* ---- key revoke ---- */

static bool
is_meant (const struct bearer_key *key, const char *word)
{
  return strcmp (key->id, word) == 0 || strcmp (key->name, word) == 0;
}

/* Is this the line of a key that is meant?  It begins with the key's id. */
static bool
is_line_of (const struct bearer_keys *keys, const char *line, const char *word)
{
  line += strspn (line, " \t");
  for (size_t i = 0; i < keys->count; i++)
    if (strncmp (line, keys->list[i].id, KEY_ID) == 0 && is_meant (&keys->list[i], word))
      return true;
  return false;
}

static bool
revoke_key (const struct options *options, struct keys_file *file, const char *word,
            struct error *err)
{
  CLEANUP_BUF struct buf kept = { 0 };
  CLEANUP_BUF struct buf said = { 0 };
  const char *at = buf_cstr (&file->text);
  unsigned gone = 0;

  (void) options;
  while (*at != '\0') {
    size_t len = strcspn (at, "\n");
    len += at[len] == '\n';
    if (is_line_of (&file->keys, at, word))
      gone++;
    else
      buf_append (&kept, at, len);
    at += len;
  }
  if (gone == 0)
    return error_set (err, "there is no key with the id or name \"%s\"", word);
  buf_swap (&file->text, &kept);
  if (!replace (file, err))
    return false;
  buf_printf (&said, options->json ? "{\"revoked\":%u}" : "revoked %u", gone);
  out_text (said.data, said.len);
  return true;
}

/* ---- all of them ---- */

static const struct verb {
  const char *name;
  bool named; /* it takes a name */
  bool (*run) (const struct options *options, struct keys_file *file, const char *word,
               struct error *err);
} verbs[] = { { "new", true, make_new },
              { "list", false, list_all },
              { "revoke", true, revoke_key } };

static const struct verb *
find_verb (const char *name)
{
  for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
    if (strcmp (verbs[i].name, name) == 0)
      return &verbs[i];
  return NULL;
}

static enum cli_exit
run (const struct options *options, char **words, int count)
{
  const struct verb *verb = find_verb (words[0]);
  struct keys_file file;
  struct error err = { 0 };
  bool good;

  if (verb == NULL)
    return out_error (CLI_USAGE, "key: expected new, list or revoke, got \"%s\"", words[0]);
  if (verb->named && count < 2)
    return out_error (CLI_USAGE, "key %s: which key? toolhost key %s NAME", words[0], words[0]);
  good = open_file (&file, options, &err)
         && verb->run (options, &file, count > 1 ? words[1] : NULL, &err);
  close_file (&file);
  return good ? CLI_OK : out_error (CLI_USAGE, "key: %s", err.text);
}

const struct command command_key = {
  .name = "key",
  .usage = "new NAME [--role ROLE]... [--tenant TENANT] | list | revoke ID|NAME",
  .summary = "make, show and revoke the keys that callers show the daemon",
  .details =
    "new prints the key, once: the file of keys has only its hash.  The file is in the daemon's\n"
    "configuration folder; the daemon sees that it changed.  Callers send Authorization: Bearer "
    "KEY,\n"
    "toolhost does with --key FILE or TOOLHOST_KEY_FILE=FILE.\n",
  .options = OPTION_ROLE | OPTION_TENANT | OPTION_CONFIG_DIR | OPTION_JSON,
  .least = 1,
  .most = 2,
  .run = run,
};
