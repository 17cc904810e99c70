#include "worker/hello.h"

#include <string.h>

#include "base/json_tape.h"

/* What a tenant's tools are made of may be large, and is as deep as its documents are, and more. */
static const struct json_limits hello_limits = {
  .depth = 80, .nodes = 8000000, .members = 100000, .number_len = 512
};

struct reader {
  struct json_tape tape;
  struct arena *arena;
  struct error *err;
};

static bool
wrong (struct reader *r, const char *path, const char *expected)
{
  return error_set (r->err, "HELLO: %s: expected %s", path, expected);
}

static bool
read_number (struct reader *r, const struct json_node *in, const char *name, uint64_t min,
             uint64_t max, uint64_t *value)
{
  int64_t number;

  if (!json_int64 (&r->tape, json_member (&r->tape, in, name), &number) || number < 0
      || (uint64_t) number < min || (uint64_t) number > max)
    return wrong (r, name, "a whole number within its limits");
  *value = (uint64_t) number;
  return true;
}

/* Absent counts as 0. */
static bool
read_optional (struct reader *r, const struct json_node *in, const char *name, uint64_t max,
               uint64_t *value)
{
  *value = 0;
  return json_member (&r->tape, in, name) == NULL || read_number (r, in, name, 0, max, value);
}

static bool
read_string (struct reader *r, const struct json_node *in, const char *name, const char **text)
{
  *text = json_cstring (&r->tape, json_member (&r->tape, in, name), r->arena);
  return *text != NULL || wrong (r, name, "a string");
}

static bool
is_plugin_name (const char *name)
{
  size_t len = strspn (name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");
  return len > 0 && len <= 64 && name[len] == '\0';
}

/* An array of strings, absent counts as empty. */
static bool
read_strings (struct reader *r, const struct json_node *in, const char *name,
              const char *const **list)
{
  const struct json_node *array = json_member (&r->tape, in, name);
  const char **strings;
  size_t count = 0;

  if (array != NULL && !json_is (array, JSON_ARRAY))
    return wrong (r, name, "an array of strings");
  strings = arena_alloc (r->arena, ((array != NULL ? array->count : 0U) + 1U) * sizeof *strings);
  if (array != NULL)
    for (const struct json_node *n = json_first (array); n != json_end (array); n = json_next (n)) {
      strings[count] = json_cstring (&r->tape, n, r->arena);
      if (strings[count++] == NULL)
        return wrong (r, name, "an array of strings");
    }
  strings[count] = NULL;
  *list = strings;
  return true;
}

static bool
read_require (struct reader *r, const struct json_node *in, unsigned *require)
{
  const char *const *names;

  if (!read_strings (r, in, "require", &names))
    return false;
  for (; *names != NULL; names++) {
    unsigned bit = guarantee_of (*names);
    if (bit == 0)
      return error_set (r->err, "HELLO: require: \"%.64s\" is no guarantee", *names);
    *require |= bit;
  }
  return true;
}

/* Absent counts as false. */
static bool
read_bool (struct reader *r, const struct json_node *in, const char *name, bool *value)
{
  const struct json_node *node = json_member (&r->tape, in, name);

  *value = json_is (node, JSON_TRUE);
  return *value || node == NULL || json_is (node, JSON_FALSE) || wrong (r, name, "true or false");
}

static bool
read_sandbox (struct reader *r, const struct json_node *in, struct sandbox_plan *plan)
{
  return (json_is (in, JSON_OBJECT) || wrong (r, "sandbox", "an object"))
         && read_require (r, in, &plan->require) && read_strings (r, in, "read", &plan->read)
         && read_strings (r, in, "write", &plan->write) && read_strings (r, in, "exec", &plan->exec)
         && read_number (r, in, "memory", 1 << 20, INT64_MAX, &plan->memory)
         && read_optional (r, in, "address_space", INT64_MAX, &plan->address_space)
         && read_number (r, in, "files", 8, 1 << 20, &plan->files)
         && read_number (r, in, "tmp", 0, INT64_MAX, &plan->tmp)
         && read_number (r, in, "processes", 2, 1 << 20, &plan->processes)
         && read_bool (r, in, "processes_asked", &plan->processes_asked)
         && read_bool (r, in, "jit", &plan->jit)
         && read_bool (r, in, "cgroup_v2", &plan->cgroup_v2);
}

/* Absent: no builder's. */
static bool
read_feature (struct reader *r, const struct json_node *in, struct hello *hello)
{
  const struct json_node *config = json_member (&r->tape, in, "feature_config");
  uint64_t ms;

  if (json_member (&r->tape, in, "feature") == NULL)
    return true;
  if (!read_string (r, in, "feature", &hello->feature)
      || !read_number (r, in, "build_ms", 1, 3600000, &ms))
    return false;
  hello->build_ms = (int64_t) ms;
  if (!json_is (config, JSON_OBJECT))
    return wrong (r, "feature_config", "an object");
  hello->feature_config = json_raw (&r->tape, config, &hello->feature_config_len);
  hello->feature_config =
    arena_strndup (r->arena, hello->feature_config, hello->feature_config_len);
  return true;
}

/* What a process is told that becomes a program. */
static bool
read_program (struct reader *r, const struct json_node *in, struct hello *hello)
{
  if (!json_is (in, JSON_OBJECT))
    return wrong (r, "program", "an object");
  if (!read_strings (r, in, "command", &hello->program.command)
      || !read_strings (r, in, "env", &hello->program.env))
    return false;
  hello->sandbox.program = true;
  return (hello->program.command[0] != NULL && hello->program.command[0][0] == '/')
         || wrong (r, "program", "a command that begins with an absolute path");
}

/* Absent: none is granted. */
static bool
read_secrets (struct reader *r, const struct json_node *in, struct hello *hello)
{
  const struct json_node *object = json_member (&r->tape, in, "secrets");
  const char **list;
  size_t count = 0;

  if (object != NULL && !json_is (object, JSON_OBJECT))
    return wrong (r, "secrets", "an object of strings");
  list = arena_alloc (r->arena, ((object != NULL ? object->count : 0U) * 2U + 1U) * sizeof *list);
  if (object != NULL)
    for (const struct json_node *n = json_first (object); n != json_end (object);
         n = json_next (n)) {
      list[count] = json_cstring (&r->tape, n, r->arena);
      if (list[count++] == NULL)
        return wrong (r, "secrets", "an object of strings");
    }
  list[count] = NULL;
  hello->secrets = list;
  return true;
}

static bool
read_members (struct reader *r, struct hello *hello)
{
  const struct json_node *root = json_root (&r->tape);
  const struct json_node *config = json_member (&r->tape, root, "config");
  const struct json_node *program = json_member (&r->tape, root, "program");
  uint64_t threads = 1, result_max = 0;

  if (!read_string (r, root, "build", &hello->build)
      || !read_string (r, root, "plugin", &hello->plugin)
      || !read_bool (r, root, "call_service", &hello->call_service)
      || !read_sandbox (r, json_member (&r->tape, root, "sandbox"), &hello->sandbox)
      || (program != NULL && !read_program (r, program, hello))
      || (program == NULL
          && (!read_number (r, root, "threads", 1, 256, &threads)
              || !read_number (r, root, "result_max", 1024, UINT32_MAX / 2, &result_max)))
      || !read_secrets (r, root, hello) || !read_feature (r, root, hello))
    return false;
  if (!is_plugin_name (hello->plugin))
    return wrong (r, "plugin", "1 to 64 of A-Z, a-z, 0-9, '_' and '-'");
  hello->config = config != NULL ? json_raw (&r->tape, config, &hello->config_len) : "{}";
  if (config == NULL)
    hello->config_len = 2;
  hello->config = arena_strndup (r->arena, hello->config, hello->config_len);
  hello->threads = (unsigned) threads;
  hello->result_max = (size_t) result_max;
  hello->sandbox.plugin = hello->plugin;
  return true;
}

bool
hello_read (struct hello *hello, const char *text, size_t len, struct arena *arena,
            struct error *err)
{
  struct reader r = { .arena = arena, .err = err };

  memset (hello, 0, sizeof *hello);
  if (!json_read (&r.tape, text, len, &hello_limits, arena))
    return error_set (err, "HELLO: byte %zu: %s", r.tape.offset, r.tape.problem);
  return read_members (&r, hello);
}
