#include "daemon/policy_keys.h"

#include <string.h>

#include "base/json_c.h"

static const char OF_A_PLUGIN[] = "belongs into plugins.d/NAME.json: a profile says how much a "
                                  "plugin may use, not what it may get at";

static const char NO_NETWORK[] =
  "a program that is started for a plugin has no network: run a server "
  "that needs one yourself, and grant its URL (/permissions/http)";

#define OF_PROGRAM(member) offsetof (struct granted_program, member)

static const struct setting program_settings[] = {
  { "command", SETTING_STRINGS, OF_PROGRAM (command), 0, 0, NULL, NULL },
  { "read", SETTING_PATHS, OF_PROGRAM (read), 0, 0, NULL, NULL },
  { "write", SETTING_PATHS, OF_PROGRAM (write), 0, 0, NULL, NULL },
  { "env", SETTING_ENV, OF_PROGRAM (env), 0, 0, NULL, NULL },
  { "network", SETTING_EMPTY, 0, 0, 0, NULL, NO_NETWORK },
  { "memory", SETTING_SIZE, OF_PROGRAM (memory), 16 << 20, 0, NULL, NULL },
  { "address_space", SETTING_SIZE_OR_NONE, OF_PROGRAM (address_space), 16 << 20, 0, NULL, NULL },
  { "files", SETTING_COUNT, OF_PROGRAM (files), 16, 65536, NULL, NULL },
  { "tmp", SETTING_SIZE, OF_PROGRAM (tmp), 64 << 10, 0, NULL, NULL },
  { "processes", SETTING_COUNT, OF_PROGRAM (processes), 4, 4096, NULL, NULL },
  { "at_once", SETTING_COUNT, OF_PROGRAM (at_once), 1, 1000, NULL, NULL },
  { "jit", SETTING_BOOL, OF_PROGRAM (jit), 0, 0, NULL, NULL },
  { .name = NULL },
};

#define AT(member) offsetof (struct policy, member)

static const struct setting permission_settings[] = {
  { "read", SETTING_PATHS, AT (read), 0, 0, NULL, NULL },
  { "write", SETTING_PATHS, AT (write), 0, 0, NULL, NULL },
  { "http", SETTING_HTTP, AT (http), 0, 0, NULL, NULL },
  { "call_service", SETTING_PHONE_ACTS, AT (phone), 0, 0, NULL, NULL },
  { "secrets", SETTING_STRINGS, AT (told), 0, 0, NULL, NULL },
  { "invoke", SETTING_STRINGS, AT (invoke), 0, 0, NULL, NULL },
  { "exec", SETTING_PATHS, AT (exec), 0, 0, NULL, NULL },
  { "processes", SETTING_PROGRAMS, AT (programs), 0, 0, program_settings, NULL },
  { .name = NULL },
};

static const struct setting limit_settings[] = {
  { "memory", SETTING_SIZE, AT (memory), 16 << 20, 0, NULL, NULL },
  { "address_space", SETTING_SIZE_OR_NONE, AT (address_space), 16 << 20, 0, NULL, NULL },
  { "files", SETTING_COUNT, AT (files), 16, 65536, NULL, NULL },
  { "tmp", SETTING_SIZE, AT (tmp), 64 << 10, 0, NULL, NULL },
  { "result", SETTING_SIZE, AT (result), 1024, 1 << 30, NULL, NULL },
  { "max_time", SETTING_DURATION_OR_NONE, AT (max_time_ms), 1, 0, NULL, NULL },
  { "cpu_per_call", SETTING_DURATION_OR_NONE, AT (cpu_ms), 10, 24 * 3600000, NULL, NULL },
  { "threads", SETTING_COUNT, AT (threads), 1, 256, NULL, NULL },
  { "processes", SETTING_COUNT, AT (processes), 4, 4096, NULL, NULL },
  { "queue", SETTING_COUNT, AT (queue), 1, 100000, NULL, NULL },
  { "per_tenant", SETTING_COUNT_OR_NONE, AT (per_tenant), 1, 100000, NULL, NULL },
  { "http_request", SETTING_SIZE, AT (http_request), 0, 64 << 20, NULL, NULL },
  { "http_response", SETTING_SIZE, AT (http_response), 1024, 1 << 30, NULL, NULL },
  { "http_open", SETTING_COUNT, AT (http_open), 1, 10000, NULL, NULL },
  { .name = NULL },
};

static const struct setting workers_settings[] = {
  { "ready", SETTING_COUNT, AT (workers_ready), 0, 64, NULL, NULL },
  { "max", SETTING_COUNT, AT (workers_max), 1, 64, NULL, NULL },
  { .name = NULL },
};

static const struct setting recycle_settings[] = {
  { "calls", SETTING_COUNT_OR_NONE, AT (recycle_calls), 1, 0, NULL, NULL },
  { "age", SETTING_DURATION_OR_NONE, AT (recycle_age_ms), 1, 0, NULL, NULL },
  { .name = NULL },
};

static const struct setting sandbox_settings[] = {
  { "require", SETTING_GUARANTEES, AT (require), 0, 0, NULL, NULL },
  { "always", SETTING_GUARANTEES, AT (always), 0, 0, NULL, NULL },
  { "jit", SETTING_BOOL, AT (jit), 0, 0, NULL, NULL },
  { .name = NULL },
};

#define OF_TOOL(member) offsetof (struct policy_tool, member)

static const struct setting breaker_settings[] = {
  { "failures", SETTING_COUNT_OR_NONE, OF_TOOL (breaker.failures), 1, 1000, NULL, NULL },
  { "recovery", SETTING_DURATION, OF_TOOL (breaker.recovery_ms), 1, 24 * 3600000, NULL, NULL },
  { "successes", SETTING_COUNT, OF_TOOL (breaker.successes), 1, 1000, NULL, NULL },
  { .name = NULL },
};

static const struct setting retry_settings[] = {
  { "tries", SETTING_COUNT, OF_TOOL (retry.tries), 1, 10, NULL, NULL },
  { "wait", SETTING_DURATION, OF_TOOL (retry.base_ms), 1, 3600000, NULL, NULL },
  { "wait_max", SETTING_DURATION, OF_TOOL (retry.max_ms), 1, 3600000, NULL, NULL },
  { "growth", SETTING_GROWTH, OF_TOOL (retry.growth), 0, 0, NULL, NULL },
  { "unknown", SETTING_BOOL, OF_TOOL (retry.unknown), 0, 0, NULL, NULL },
  { .name = NULL },
};

static const struct setting tool_settings[] = {
  { "enabled", SETTING_BOOL, OF_TOOL (enabled), 0, 0, NULL, NULL },
  { "repair", SETTING_REPAIR, OF_TOOL (repair), 0, 0, NULL, NULL },
  { "max_time", SETTING_DURATION, OF_TOOL (max_time_ms), 1, 0, NULL, NULL },
  { "cpu_per_call", SETTING_DURATION, OF_TOOL (cpu_ms), 10, 24 * 3600000, NULL, NULL },
  { "result", SETTING_SIZE, OF_TOOL (result), 1024, 1 << 30, NULL, NULL },
  { "queue", SETTING_COUNT, OF_TOOL (queue), 1, 100000, NULL, NULL },
  { "breaker", SETTING_GROUP, 0, 0, 0, breaker_settings, NULL },
  { "retry", SETTING_GROUP, 0, 0, 0, retry_settings, NULL },
  { "http", SETTING_STRINGS, OF_TOOL (http), 0, 0, NULL, NULL },
  { "call_service", SETTING_PHONE_ACTS, OF_TOOL (phone), 0, 0, NULL, NULL },
  { .name = NULL },
};

/* What both a policy and a profile may say. */
#define HOW_MUCH                                                                                   \
  { "$schema", SETTING_FOR_EDITORS, 0, 0, 0, NULL, NULL },                                         \
    { "profile", SETTING_STRING, AT (profile), 0, 0, NULL, NULL },                                 \
    { "limits", SETTING_GROUP, 0, 0, 0, limit_settings, NULL },                                    \
    { "workers", SETTING_GROUP, 0, 0, 0, workers_settings, NULL },                                 \
    { "recycle", SETTING_GROUP, 0, 0, 0, recycle_settings, NULL },                                 \
    { "sandbox", SETTING_GROUP, 0, 0, 0, sandbox_settings, NULL },                                 \
  {                                                                                                \
    "isolate", SETTING_ISOLATE, AT (isolate), 0, 0, NULL, NULL                                     \
  }

const struct setting policy_settings[] = {
  HOW_MUCH,
  { "enabled", SETTING_BOOL, AT (enabled), 0, 0, NULL, NULL },
  { "permissions", SETTING_GROUP, 0, 0, 0, permission_settings, NULL },
  { "config", SETTING_JSON, AT (config), 0, 0, NULL, NULL },
  { "tools", SETTING_TOOLS, AT (tools), 0, 0, tool_settings, NULL },
  { "secrets", SETTING_SECRETS, AT (secrets), 0, 0, NULL, NULL },
  { .name = NULL },
};

const struct setting profile_settings[] = {
  HOW_MUCH,
  { "enabled", SETTING_NOT_HERE, 0, 0, 0, NULL, OF_A_PLUGIN },
  { "permissions", SETTING_NOT_HERE, 0, 0, 0, NULL, OF_A_PLUGIN },
  { "config", SETTING_NOT_HERE, 0, 0, 0, NULL, OF_A_PLUGIN },
  { "tools", SETTING_NOT_HERE, 0, 0, 0, NULL, OF_A_PLUGIN },
  { "secrets", SETTING_NOT_HERE, 0, 0, 0, NULL, OF_A_PLUGIN },
  { .name = NULL },
};

const char *
policy_profile (struct json_object *object)
{
  struct json_object *name;

  return json_object_object_get_ex (object, "profile", &name) ? json_object_get_string (name)
                                                              : "strict";
}

/* ---- what was written down ---- */

static bool
is_set (struct json_object *object, const char *group, const char *name)
{
  struct json_object *in, *value;

  return json_object_object_get_ex (object, group, &in)
         && json_object_object_get_ex (in, name, &value) && value != NULL;
}

static unsigned
asked_in (struct json_object *object)
{
  unsigned asked = 0;

  for (unsigned i = 0; limit_names[i] != NULL; i++)
    if (is_set (object, "limits", limit_names[i]))
      asked |= 1U << i;
  return asked;
}

/* ---- what none may say ---- */

static bool
tool_is_narrower (const struct policy *policy, const struct policy_tool *tool, struct error *err)
{
  const struct {
    const char *name, *unit;
    int64_t of_tool, of_plugin;
  } rows[] = {
    { "max_time", " ms", tool->max_time_ms, policy->max_time_ms },
    { "cpu_per_call", " ms", tool->cpu_ms, policy->cpu_ms },
    { "result", " bytes", tool->result, policy->result },
    { "queue", " calls", tool->queue, policy->queue },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].of_plugin != 0 && rows[i].of_tool > rows[i].of_plugin)
      return error_set (err,
                        "/tools/%s/%s: expected at most the plugin's %lld%s (/limits/%s), got "
                        "%lld%s: a tool's limits are narrower than its plugin's",
                        tool->name, rows[i].name, (long long) rows[i].of_plugin, rows[i].unit,
                        rows[i].name, (long long) rows[i].of_tool, rows[i].unit);
  if (tool->phone != PHONE_ALL && (tool->phone & ~policy->phone) != 0)
    return error_set (err,
                      "/tools/%s/call_service: expected no more than the plugin is granted "
                      "(/permissions/call_service)",
                      tool->name);
  return http_narrowing_ok (&policy->http, tool->http, err)
         || error_wrap (err, "/tools/%s/http: ", tool->name);
}

static bool
tools_are_narrower (const struct policy *policy, struct error *err)
{
  for (size_t i = 0; i < policy->tools.count; i++)
    if (!tool_is_narrower (policy, &policy->tools.list[i], err))
      return false;
  return true;
}

static bool
has_what_is_always (const struct policy *policy, unsigned always, struct error *err)
{
  unsigned missing = always & ~(policy->require & policy->always);

  for (unsigned i = 0; guarantee_names[i] != NULL; i++)
    if (missing & 1U << i)
      return error_set (err,
                        "/sandbox: \"%s\" can't be left out of require or always: the profile "
                        "\"%s\" always has it",
                        guarantee_names[i], policy->profile);
  return true;
}

/* What is kept ready is among what may be. */
static bool
workers_fit (const struct policy *policy, struct error *err)
{
  return policy->workers_ready <= policy->workers_max
         || error_set (err, "/workers/ready: expected at most \"max\", which is %lld, got %lld",
                       (long long) policy->workers_max, (long long) policy->workers_ready);
}

/* Whoever is told a secret is told one there is, once. */
static bool
told_is_known (const struct policy *policy, struct error *err)
{
  for (size_t i = 0; policy->told != NULL && policy->told[i] != NULL; i++) {
    const char *name = policy->told[i];
    if (secrets_find (&policy->secrets, name, strlen (name)) == NULL)
      return error_set (err,
                        "/permissions/secrets/%zu: expected the name of one of /secrets, got "
                        "\"%.64s\"",
                        i, name);
    for (size_t k = 0; k < i; k++)
      if (strcmp (policy->told[k], name) == 0)
        return error_set (err, "/permissions/secrets/%zu: \"%s\" stands here twice", i, name);
  }
  return true;
}

static bool
invoke_is_names (const struct policy *policy, struct error *err)
{
  static const char chars[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-*";

  for (size_t i = 0; policy->invoke != NULL && policy->invoke[i] != NULL; i++) {
    const char *name = policy->invoke[i];
    size_t len = strspn (name, chars);
    if (len == 0 || len > 64 || name[len] != '\0')
      return error_set (err,
                        "/permissions/invoke/%zu: expected the name of a tool, or a pattern like "
                        "\"calc*\", got \"%.64s\"",
                        i, name);
  }
  return true;
}

/* Less address space than memory is a memory that can't be used. */
static bool
room_is_enough (const struct policy *policy, struct error *err)
{
  return policy->address_space == 0 || policy->address_space >= policy->memory
         || error_set (err,
                       "/limits/address_space: expected at least /limits/memory, %lld, got %lld",
                       (long long) policy->memory, (long long) policy->address_space);
}

bool
policy_fill (struct policy *policy, const struct setting *table, struct json_object *object,
             struct error *err)
{
  unsigned always = policy->always;

  if (!settings_fill (policy, table, object, err))
    return false;
  policy->asked |= asked_in (object);
  return http_grants_fill (&policy->http, &policy->secrets, err)
         && granted_ok (&policy->programs, &policy->secrets, err) && told_is_known (policy, err)
         && invoke_is_names (policy, err) && room_is_enough (policy, err)
         && has_what_is_always (policy, always, err) && workers_fit (policy, err)
         && tools_are_narrower (policy, err);
}
