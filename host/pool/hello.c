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

void
hello_write (struct buf *out, const char *build, const char *plugin, const struct policy *policy,
             const struct build_order *order, bool cgroup_v2)
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
  if (order->feature != NULL) {
    jsonw_name_string (&w, "feature", order->feature);
    jsonw_name_raw (&w, "feature_config", order->config, strlen (order->config));
  }
  jsonw_end (&w);
}
