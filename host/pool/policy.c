#include "pool/policy.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json_write.h"
#include "schema/repair/repair.h"

const char *const guarantee_names[] = { "no-network", "no-foreign-files", "no-foreign-signals",
                                        "memory-cap", "kill-tree",        NULL };
const char *const limit_names[] = { "memory", "cpu_per_call", "processes", NULL };

const char *const isolate_names[] = { "plugin", "tenant", "call", NULL };

/* A number of a policy.  What is compared and shown goes by these tables; adding one is adding a
 * row. */
struct number {
  const char *name;
  size_t offset;
  bool optional; /* 0 stands for none, and is shown as null */
};

#define AT(member) offsetof (struct policy, member)
static const struct number limits[] = {
  { "memory", AT (memory), false },
  { "address_space", AT (address_space), true },
  { "files", AT (files), false },
  { "tmp", AT (tmp), false },
  { "result", AT (result), false },
  { "max_time", AT (max_time_ms), true },
  { "cpu_per_call", AT (cpu_ms), true },
  { "threads", AT (threads), false },
  { "processes", AT (processes), false },
  { "queue", AT (queue), false },
  { "per_tenant", AT (per_tenant), true },
  { "http_request", AT (http_request), false },
  { "http_response", AT (http_response), false },
  { "http_open", AT (http_open), false },
};
static const struct number workers[] = {
  { "ready", AT (workers_ready), false },
  { "max", AT (workers_max), false },
};
static const struct number recycle[] = {
  { "calls", AT (recycle_calls), true },
  { "age", AT (recycle_age_ms), true },
};
#undef AT

#define AT(member) offsetof (struct policy_tool, member)
static const struct number tool_limits[] = {
  { "max_time", AT (max_time_ms), true },
  { "cpu_per_call", AT (cpu_ms), true },
  { "result", AT (result), true },
  { "queue", AT (queue), true },
};
static const struct number tool_breaker[] = {
  { "failures", AT (breaker.failures), true },
  { "recovery", AT (breaker.recovery_ms), true },
  { "successes", AT (breaker.successes), true },
};
static const struct number tool_retry[] = {
  { "tries", AT (retry.tries), true },
  { "wait", AT (retry.base_ms), true },
  { "wait_max", AT (retry.max_ms), true },
};
#undef AT

enum {
  LIMITS = sizeof limits / sizeof *limits,
  WORKERS = sizeof workers / sizeof *workers,
  RECYCLE = sizeof recycle / sizeof *recycle,
  TOOL_LIMITS = sizeof tool_limits / sizeof *tool_limits,
  TOOL_BREAKER = sizeof tool_breaker / sizeof *tool_breaker,
  TOOL_RETRY = sizeof tool_retry / sizeof *tool_retry
};

static int64_t
number_of (const void *of, const struct number *number)
{
  return *(const int64_t *) ((const char *) of + number->offset);
}

static bool
numbers_same (const void *a, const void *b, const struct number *numbers, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (number_of (a, &numbers[i]) != number_of (b, &numbers[i]))
      return false;
  return true;
}

void
policy_init (struct policy *policy)
{
  *policy = (struct policy){
    .enabled = true,
    .profile = xstrdup ("strict"),
    .config = xstrdup ("{}"),
    .memory = 256 << 20,
    .files = 64,
    .tmp = 8 << 20,
    .result = 32 << 20,
    .processes = 128,
    .threads = 64,
    .queue = 256,
    .http_request = 1 << 20,
    .http_response = 8 << 20,
    .http_open = 32,
    .workers_max = 1,
    .cpu_ms = 30000,
    .require = GUARANTEES_ALL,
  };
}

static void
paths_free (char **paths)
{
  for (char **p = paths; p != NULL && *p != NULL; p++)
    free (*p);
  free (paths);
}

static char **
paths_copy (char *const *paths)
{
  size_t count = 0;
  char **copy;

  if (paths == NULL)
    return NULL;
  while (paths[count] != NULL)
    count++;
  copy = xcalloc (count + 1, sizeof *copy);
  for (size_t i = 0; i < count; i++)
    copy[i] = xstrdup (paths[i]);
  return copy;
}

static bool
paths_same (char *const *a, char *const *b)
{
  static char *const none[] = { NULL };

  if (a == NULL)
    a = none;
  if (b == NULL)
    b = none;
  for (; *a != NULL && *b != NULL; a++, b++)
    if (strcmp (*a, *b) != 0)
      return false;
  return *a == *b;
}

/* ---- of single tools ---- */

const struct policy_tool *
policy_tools_find (const struct policy_tools *tools, const char *name)
{
  for (size_t i = 0; i < tools->count; i++)
    if (strcmp (tools->list[i].name, name) == 0)
      return &tools->list[i];
  return NULL;
}

struct policy_tool *
policy_tools_add (struct policy_tools *tools, const char *name)
{
  const struct policy_tool *there = policy_tools_find (tools, name);

  if (there != NULL)
    return &tools->list[there - tools->list];
  tools->list = xrealloc (tools->list, (tools->count + 1) * sizeof *tools->list);
  tools->list[tools->count] = (struct policy_tool){ .name = xstrdup (name),
                                                    .enabled = true,
                                                    .repair = -1,
                                                    .phone = PHONE_ALL,
                                                    .breaker = circuit_defaults,
                                                    .retry = retry_defaults };
  tools->list[tools->count].retry.tries = 1;
  return &tools->list[tools->count++];
}

static void
tools_free (struct policy_tools *tools)
{
  for (size_t i = 0; i < tools->count; i++) {
    free (tools->list[i].name);
    paths_free (tools->list[i].http);
  }
  free (tools->list);
}

static struct policy_tools
tools_copy (const struct policy_tools *tools)
{
  struct policy_tools copy = { .count = tools->count };

  copy.list = xcalloc (tools->count, sizeof *copy.list);
  for (size_t i = 0; i < tools->count; i++) {
    copy.list[i] = tools->list[i];
    copy.list[i].name = xstrdup (tools->list[i].name);
    copy.list[i].http = paths_copy (tools->list[i].http);
  }
  return copy;
}

static bool
tools_same (const struct policy_tools *a, const struct policy_tools *b)
{
  if (a->count != b->count)
    return false;
  for (size_t i = 0; i < a->count; i++) {
    const struct policy_tool *x = &a->list[i], *y = policy_tools_find (b, x->name);
    if (y == NULL || x->enabled != y->enabled || x->repair != y->repair || x->phone != y->phone
        || (x->http == NULL) != (y->http == NULL) || !paths_same (x->http, y->http)
        || !numbers_same (x, y, tool_limits, TOOL_LIMITS)
        || !numbers_same (x, y, tool_breaker, TOOL_BREAKER)
        || !numbers_same (x, y, tool_retry, TOOL_RETRY) || x->retry.growth != y->retry.growth
        || x->retry.unknown != y->retry.unknown)
      return false;
  }
  return true;
}

/* ---- the whole ---- */

void
policy_free (struct policy *policy)
{
  tools_free (&policy->tools);
  paths_free (policy->read);
  paths_free (policy->write);
  paths_free (policy->exec);
  granted_free (&policy->programs);
  paths_free (policy->told);
  paths_free (policy->invoke);
  http_grants_free (&policy->http);
  secrets_free (&policy->secrets);
  free (policy->profile);
  free (policy->config);
  memset (policy, 0, sizeof *policy);
}

void
policy_copy (struct policy *to, const struct policy *from)
{
  *to = *from;
  to->profile = xstrdup (from->profile);
  to->read = paths_copy (from->read);
  to->write = paths_copy (from->write);
  to->exec = paths_copy (from->exec);
  to->programs = granted_copy (&from->programs);
  to->told = paths_copy (from->told);
  to->invoke = paths_copy (from->invoke);
  to->http = http_grants_copy (&from->http);
  to->secrets = secrets_copy (&from->secrets);
  to->config = xstrdup (from->config);
  to->tools = tools_copy (&from->tools);
}

bool
policy_same (const struct policy *a, const struct policy *b)
{
  return a->enabled == b->enabled && numbers_same (a, b, limits, LIMITS) && a->require == b->require
         && numbers_same (a, b, workers, WORKERS) && numbers_same (a, b, recycle, RECYCLE)
         && a->phone == b->phone && a->always == b->always && a->asked == b->asked
         && a->jit == b->jit && a->isolate == b->isolate && strcmp (a->profile, b->profile) == 0
         && strcmp (a->config, b->config) == 0 && paths_same (a->read, b->read)
         && paths_same (a->write, b->write) && paths_same (a->exec, b->exec)
         && paths_same (a->told, b->told) && paths_same (a->invoke, b->invoke)
         && granted_same (&a->programs, &b->programs) && http_grants_same (&a->http, &b->http)
         && secrets_same (&a->secrets, &b->secrets) && tools_same (&a->tools, &b->tools);
}

bool
policy_like (const char *pattern, const char *name, size_t len)
{
  const char *star = NULL;
  size_t at = 0, back = 0;

  while (at < len)
    if (*pattern == '*') {
      star = pattern++;
      back = at;
    }
    else if (*pattern != '\0' && *pattern == name[at]) {
      pattern++;
      at++;
    }
    else if (star != NULL) { /* what it stands for is one longer */
      pattern = star + 1;
      at = ++back;
    }
    else
      return false;
  while (*pattern == '*')
    pattern++;
  return *pattern == '\0';
}

bool
policy_invokes (const struct policy *policy, const char *tool)
{
  for (char **p = policy->invoke; p != NULL && *p != NULL; p++)
    if (policy_like (*p, tool, strlen (tool)))
      return true;
  return false;
}

unsigned
policy_phone (const struct policy *policy, const char *tool)
{
  const struct policy_tool *own = policy_tools_find (&policy->tools, tool);

  return own != NULL ? policy->phone & own->phone : policy->phone;
}

bool
policy_limits_cpu (const struct policy *policy)
{
  bool any = policy->cpu_ms != 0;

  for (size_t i = 0; i < policy->tools.count; i++)
    any = any || policy->tools.list[i].cpu_ms != 0;
  return any;
}

const char *
policy_needs_watching (const struct policy *policy, bool capped)
{
  if ((policy->asked & LIMIT_CPU) && policy->cpu_ms != 0)
    return "/limits/cpu_per_call";
  if ((policy->asked & LIMIT_MEMORY) && policy->address_space > policy->memory && !capped)
    return "/limits/memory";
  for (size_t i = 0; i < policy->tools.count; i++)
    if (policy->tools.list[i].cpu_ms != 0)
      return "/tools/…/cpu_per_call";
  return NULL;
}

/* ---- for people ---- */

static void
render_numbers (struct json_writer *w, const char *name, const void *of,
                const struct number *numbers, size_t count)
{
  jsonw_name (w, name);
  jsonw_object (w);
  for (size_t i = 0; i < count; i++) {
    int64_t value = number_of (of, &numbers[i]);
    if (value == 0 && numbers[i].optional)
      jsonw_name_raw (w, numbers[i].name, "null", 4);
    else
      jsonw_name_int (w, numbers[i].name, value);
  }
  jsonw_end (w);
}

static void
render_tool (struct json_writer *w, const struct policy_tool *tool)
{
  jsonw_name (w, tool->name);
  jsonw_object (w);
  jsonw_name_bool (w, "enabled", tool->enabled);
  if (tool->repair >= 0)
    jsonw_name_string (w, "repair", repair_mode_name ((enum repair_mode) tool->repair));
  for (size_t i = 0; i < TOOL_LIMITS; i++)
    if (number_of (tool, &tool_limits[i]) != 0)
      jsonw_name_int (w, tool_limits[i].name, number_of (tool, &tool_limits[i]));
  render_numbers (w, "breaker", tool, tool_breaker, TOOL_BREAKER);
  if (tool->retry.tries > 1)
    render_numbers (w, "retry", tool, tool_retry, TOOL_RETRY);
  if (tool->http != NULL)
    jsonw_name_strings (w, "http", tool->http);
  if (tool->phone != PHONE_ALL)
    jsonw_name_bits (w, "call_service", tool->phone, phone_act_names);
  jsonw_end (w);
}

void
policy_render (const struct policy *policy, struct json_writer *w)
{
  jsonw_object (w);
  jsonw_name_string (w, "profile", policy->profile);
  jsonw_name_bool (w, "enabled", policy->enabled);
  jsonw_name (w, "permissions");
  jsonw_object (w);
  jsonw_name_strings (w, "read", policy->read);
  jsonw_name_strings (w, "write", policy->write);
  jsonw_name (w, "http");
  http_grants_render (&policy->http, w);
  jsonw_name_strings (w, "exec", policy->exec);
  jsonw_name (w, "processes");
  granted_render (&policy->programs, w);
  jsonw_name_bits (w, "call_service", policy->phone, phone_act_names);
  jsonw_name_strings (w, "secrets", policy->told);
  jsonw_name_strings (w, "invoke", policy->invoke);
  jsonw_end (w);
  render_numbers (w, "limits", policy, limits, LIMITS);
  render_numbers (w, "workers", policy, workers, WORKERS);
  render_numbers (w, "recycle", policy, recycle, RECYCLE);
  jsonw_name_string (w, "isolate", isolate_names[policy->isolate]);
  jsonw_name (w, "sandbox");
  jsonw_object (w);
  jsonw_name_bits (w, "require", policy->require, guarantee_names);
  jsonw_name_bits (w, "always", policy->always, guarantee_names);
  jsonw_name_bool (w, "jit", policy->jit);
  jsonw_end (w);
  jsonw_name (w, "secrets"); /* where they are, never what they are */
  jsonw_object (w);
  for (size_t i = 0; i < policy->secrets.count; i++)
    jsonw_name_string (w, policy->secrets.list[i].name, policy->secrets.list[i].path);
  jsonw_end (w);
  jsonw_name (w, "tools");
  jsonw_object (w);
  for (size_t i = 0; i < policy->tools.count; i++)
    render_tool (w, &policy->tools.list[i]);
  jsonw_end (w);
  jsonw_end (w);
}
