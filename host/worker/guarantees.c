#include <string.h>

#include "base/buf.h"
#include "worker/sandbox.h"

static const struct {
  const char *name;
  const char *hint; /* what would meet it */
} guarantees[GUARANTEES] = {
  { "no-network", "a network namespace or seccomp" },
  { "no-foreign-files", "a mount namespace or Landlock" },
  { "no-foreign-signals", "a pid namespace, seccomp or Landlock" },
  { "memory-cap", "a cgroup or a limit of the address space" },
  { "kill-tree", "a pid namespace, or no new processes and a parent's death signal" },
  { "no-new-code", "seccomp" },
};

void
guarantee_met (struct sandbox_plan *plan, unsigned which, const char *mechanism)
{
  for (unsigned i = 0; i < GUARANTEES; i++) {
    const char **at = plan->met[i];
    const char **last = at + sizeof plan->met[i] / sizeof *at - 1;
    if ((which & 1U << i) == 0)
      continue;
    while (at < last && *at != NULL)
      at++;
    if (at < last)
      *at = mechanism;
  }
}

unsigned
guarantee_of (const char *name)
{
  for (unsigned i = 0; i < GUARANTEES; i++)
    if (strcmp (guarantees[i].name, name) == 0)
      return 1U << i;
  return 0;
}

bool
guarantees_hold (const struct sandbox_plan *plan, struct error *err)
{
  for (unsigned i = 0; i < GUARANTEES; i++)
    if ((plan->require & 1U << i) != 0 && plan->met[i][0] == NULL)
      return error_set (
        err, "the guarantee \"%s\" is required and nothing here can meet it: it takes %s",
        guarantees[i].name, guarantees[i].hint);
  return true;
}

void
guarantees_tell (const struct sandbox_plan *plan, struct json_writer *w)
{
  jsonw_object (w);
  for (unsigned i = 0; i < GUARANTEES; i++) {
    CLEANUP_BUF struct buf by = { 0 };
    for (const char *const *at = plan->met[i]; *at != NULL; at++)
      buf_printf (&by, "%s%s", by.len != 0 ? ", " : "", *at);
    jsonw_name_string (w, guarantees[i].name, buf_cstr (&by));
  }
  jsonw_end (w);
}
