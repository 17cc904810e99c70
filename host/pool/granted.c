#include "pool/granted.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_write.h"

/* ---- lists of texts ---- */

static void
texts_free (char **texts)
{
  for (char **t = texts; t != NULL && *t != NULL; t++)
    free (*t);
  free (texts);
}

static size_t
texts_count (char *const *texts)
{
  size_t count = 0;

  while (texts != NULL && texts[count] != NULL)
    count++;
  return count;
}

static char **
texts_copy (char *const *texts)
{
  size_t count = texts_count (texts);
  char **copy = xcalloc (count + 1, sizeof *copy);

  for (size_t i = 0; i < count; i++)
    copy[i] = xstrdup (texts[i]);
  return copy;
}

static bool
texts_same (char *const *a, char *const *b)
{
  size_t count = texts_count (a);

  if (count != texts_count (b))
    return false;
  for (size_t i = 0; i < count; i++)
    if (strcmp (a[i], b[i]) != 0)
      return false;
  return true;
}

/* ---- one of them ---- */

#define AT(member) offsetof (struct granted_program, member)
static const struct {
  const char *name;
  size_t offset;
} numbers[] = {
  { "memory", AT (memory) }, { "address_space", AT (address_space) }, { "files", AT (files) },
  { "tmp", AT (tmp) },       { "processes", AT (processes) },         { "at_once", AT (at_once) },
};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static int64_t
number_of (const struct granted_program *program, size_t i)
{
  return *(const int64_t *) ((const char *) program + numbers[i].offset);
}

static bool
program_same (const struct granted_program *a, const struct granted_program *b)
{
  for (size_t i = 0; i < NUMBERS; i++)
    if (number_of (a, i) != number_of (b, i))
      return false;
  return a->jit == b->jit && texts_same (a->command, b->command) && texts_same (a->read, b->read)
         && texts_same (a->write, b->write) && texts_same (a->env, b->env);
}

/* ---- all of them ---- */

bool
granted_name_ok (const char *name, size_t len)
{
  static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";

  for (size_t i = 0; i < len; i++)
    if (name[i] == '\0' || strchr (allowed, name[i]) == NULL)
      return false;
  return len != 0 && len <= GRANTED_NAME_MAX;
}

const struct granted_program *
granted_find (const struct granted_programs *granted, const char *name, size_t len)
{
  for (size_t i = 0; i < granted->count; i++)
    if (strlen (granted->list[i].name) == len && memcmp (granted->list[i].name, name, len) == 0)
      return &granted->list[i];
  return NULL;
}

struct granted_program *
granted_add (struct granted_programs *granted, const char *name)
{
  const struct granted_program *there = granted_find (granted, name, strlen (name));

  if (there != NULL)
    return &granted->list[there - granted->list];
  granted->list = xrealloc (granted->list, (granted->count + 1) * sizeof *granted->list);
  granted->list[granted->count] = (struct granted_program){ .name = xstrdup (name),
                                                            .memory = 256 << 20,
                                                            .files = 256,
                                                            .tmp = 16 << 20,
                                                            .processes = 32,
                                                            .at_once = 8 };
  return &granted->list[granted->count++];
}

void
granted_free (struct granted_programs *granted)
{
  for (size_t i = 0; i < granted->count; i++) {
    struct granted_program *program = &granted->list[i];
    free (program->name);
    texts_free (program->command);
    texts_free (program->read);
    texts_free (program->write);
    texts_free (program->env);
  }
  free (granted->list);
  *granted = (struct granted_programs){ 0 };
}

struct granted_programs
granted_copy (const struct granted_programs *granted)
{
  struct granted_programs copy = { .count = granted->count };

  copy.list = xcalloc (granted->count, sizeof *copy.list);
  for (size_t i = 0; i < granted->count; i++) {
    const struct granted_program *from = &granted->list[i];
    copy.list[i] = *from;
    copy.list[i].name = xstrdup (from->name);
    copy.list[i].command = texts_copy (from->command);
    copy.list[i].read = texts_copy (from->read);
    copy.list[i].write = texts_copy (from->write);
    copy.list[i].env = texts_copy (from->env);
  }
  return copy;
}

bool
granted_same (const struct granted_programs *a, const struct granted_programs *b)
{
  if (a->count != b->count)
    return false;
  for (size_t i = 0; i < a->count; i++) {
    const char *name = a->list[i].name;
    const struct granted_program *other = granted_find (b, name, strlen (name));
    if (other == NULL || !program_same (&a->list[i], other))
      return false;
  }
  return true;
}

unsigned
granted_at_once (const struct granted_programs *granted)
{
  unsigned most = 0;

  for (size_t i = 0; i < granted->count; i++)
    most += (unsigned) granted->list[i].at_once;
  return most;
}

/* ---- secrets ---- */

bool
granted_expand (const char *value, const struct secrets *secrets, struct buf *out,
                struct error *err)
{
  const char *start;

  while ((start = strstr (value, "${")) != NULL) {
    const char *name = start + 2, *end = strchr (name, '}');
    const char *secret;
    if (end == NULL)
      break;
    secret = secrets_find (secrets, name, (size_t) (end - name));
    if (secret == NULL)
      return error_set (err, "\"%.*s\" is not in /secrets", (int) (end - name), name);
    buf_append (out, value, (size_t) (start - value));
    buf_puts (out, secret);
    value = end + 1;
  }
  buf_puts (out, value);
  return true;
}

static bool
words_ok (const struct granted_program *program, const struct secrets *secrets, struct error *err)
{
  CLEANUP_BUF struct buf words = { 0 };
  bool ok = true;

  for (char **word = program->command; *word != NULL; word++)
    buf_puts (&words, *word);
  for (char **at = program->env; ok && at != NULL && *at != NULL; at++)
    if (!granted_expand (*at, secrets, &words, err)) {
      (void) error_wrap (err, "/env/%.*s: ", (int) strcspn (*at, "="), *at);
      ok = false;
    }
  if (ok && words.len > GRANTED_WORDS_MAX)
    ok = error_set (err, ": command and environment are longer than %d bytes", GRANTED_WORDS_MAX);
  explicit_bzero (words.data, words.len);
  return ok;
}

static bool
program_ok (const struct granted_program *program, const struct secrets *secrets, struct error *err)
{
  if (!granted_name_ok (program->name, strlen (program->name)))
    return error_set (err, ": expected a name of 1 to 64 of A-Za-z0-9_-");
  if (program->command == NULL || program->command[0] == NULL)
    return error_set (err, "/command: expected a program and its arguments");
  if (program->command[0][0] != '/')
    return error_set (err, "/command/0: expected the absolute path of a program, got \"%s\"",
                      program->command[0]);
  if (program->address_space != 0 && program->address_space < program->memory)
    return error_set (err, "/address_space: expected at least its memory, %lld, got %lld",
                      (long long) program->memory, (long long) program->address_space);
  return words_ok (program, secrets, err);
}

bool
granted_ok (const struct granted_programs *granted, const struct secrets *secrets,
            struct error *err)
{
  for (size_t i = 0; i < granted->count; i++)
    if (!program_ok (&granted->list[i], secrets, err))
      return error_wrap (err, "/permissions/processes/%s", granted->list[i].name);
  return true;
}

/* ---- for people ---- */

static void
render_env (char *const *env, struct json_writer *w)
{
  jsonw_name (w, "env");
  jsonw_object (w);
  for (; env != NULL && *env != NULL; env++) {
    size_t len = strcspn (*env, "=");
    jsonw_name_len (w, *env, len);
    jsonw_string (w, *env + len + 1);
  }
  jsonw_end (w);
}

void
granted_render (const struct granted_programs *granted, struct json_writer *w)
{
  jsonw_object (w);
  for (size_t i = 0; i < granted->count; i++) {
    const struct granted_program *program = &granted->list[i];
    jsonw_name (w, program->name);
    jsonw_object (w);
    jsonw_name_strings (w, "command", program->command);
    jsonw_name_strings (w, "read", program->read);
    jsonw_name_strings (w, "write", program->write);
    render_env (program->env, w);
    for (size_t n = 0; n < NUMBERS; n++)
      if (number_of (program, n) != 0)
        jsonw_name_int (w, numbers[n].name, number_of (program, n));
    jsonw_name_bool (w, "jit", program->jit);
    jsonw_end (w);
  }
  jsonw_end (w);
}
