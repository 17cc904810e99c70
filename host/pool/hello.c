#include "pool/hello.h"

#include <string.h>

#include "base/json_write.h"

static void
append_sandbox (struct json_writer *w, const struct policy *policy, bool cgroup_v2)
{
  jsonw_name (w, "sandbox");
  jsonw_object (w);
  jsonw_name_bits (w, "require", policy->require, guarantee_names);
  jsonw_name_strings (w, "read", policy->read);
  jsonw_name_strings (w, "write", policy->write);
  jsonw_name_strings (w, "exec", policy->exec);
  jsonw_name_int (w, "memory", policy->memory);
  jsonw_name_int (w, "address_space", policy->address_space);
  jsonw_name_int (w, "files", policy->files);
  jsonw_name_int (w, "tmp", policy->tmp);
  jsonw_name_int (w, "processes", policy->processes);
  jsonw_name_bool (w, "processes_asked", (policy->asked & LIMIT_PROCESSES) != 0);
  jsonw_name_bool (w, "jit", policy->jit);
  jsonw_name_bool (w, "cgroup_v2", cgroup_v2);
  jsonw_end (w);
}

/* Of the secrets, those that the operator has the plugin itself told. */
static void
append_secrets (struct json_writer *w, const struct policy *policy)
{
  if (policy->told == NULL)
    return;
  jsonw_name (w, "secrets");
  jsonw_object (w);
  for (char **name = policy->told; *name != NULL; name++)
    jsonw_name_string (w, *name, secrets_find (&policy->secrets, *name, strlen (*name)));
  jsonw_end (w);
}

void
hello_write (struct buf *out, const char *build, const char *plugin, const struct policy *policy,
             const struct build_order *order, int64_t build_ms, bool cgroup_v2)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  jsonw_name_string (&w, "build", build);
  jsonw_name_string (&w, "plugin", plugin);
  jsonw_name_int (&w, "threads", policy->threads);
  jsonw_name_raw (&w, "config", policy->config, strlen (policy->config));
  jsonw_name_int (&w, "result_max", policy->result);
  jsonw_name_bool (&w, "call_service", policy->phone != 0);
  append_sandbox (&w, policy, cgroup_v2);
  append_secrets (&w, policy);
  if (order->feature != NULL) {
    jsonw_name_string (&w, "feature", order->feature);
    jsonw_name_int (&w, "build_ms", build_ms);
    jsonw_name_raw (&w, "feature_config", order->config, strlen (order->config));
  }
  jsonw_end (&w);
}

/* What a program finds that nobody has told it. */
static const char *const usual[] = { "PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/tmp",
                                     "TMPDIR=/tmp", "LANG=C.UTF-8" };

static bool
is_given (char *const *env, const char *variable)
{
  size_t len = strcspn (variable, "=") + 1;

  for (; env != NULL && *env != NULL; env++)
    if (strncmp (*env, variable, len) == 0)
      return true;
  return false;
}

static bool
append_env (struct json_writer *w, char *const *env, const struct secrets *secrets,
            struct error *err)
{
  bool ok = true;

  jsonw_name (w, "env");
  jsonw_array (w);
  for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
    if (!is_given (env, usual[i]))
      jsonw_string (w, usual[i]);
  for (; ok && env != NULL && *env != NULL; env++) {
    CLEANUP_BUF struct buf value = { 0 };
    ok = granted_expand (*env, secrets, &value, err);
    jsonw_string (w, buf_cstr (&value));
    explicit_bzero (value.data, value.len);
  }
  jsonw_end (w);
  return ok;
}

bool
hello_write_program (struct buf *out, const char *build, const struct granted_program *granted,
                     const struct policy *sandbox, const struct secrets *secrets, bool cgroup_v2,
                     struct error *err)
{
  struct json_writer w = { .out = out };
  bool ok;

  jsonw_object (&w);
  jsonw_name_string (&w, "build", build);
  jsonw_name_string (&w, "plugin", granted->name);
  append_sandbox (&w, sandbox, cgroup_v2);
  jsonw_name (&w, "program");
  jsonw_object (&w);
  jsonw_name_strings (&w, "command", granted->command);
  ok = append_env (&w, granted->env, secrets, err);
  jsonw_end (&w);
  jsonw_end (&w);
  return ok;
}
