#include "daemon/report.h"

#include <ev.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/json_tape.h"
#include "daemon/privileges.h"
#include "pool/spawn.h"
#include "pool/unit.h"

#ifndef TOOLHOST_BUILD_ID
#define TOOLHOST_BUILD_ID "dev"
#endif

static void
on_described (void *ctx, const char *json, size_t len, const struct error *err)
{
  struct ev_loop *loop = ctx;

  (void) json;
  (void) len;
  (void) err;
  ev_break (loop, EVBREAK_ALL);
}

static void
print (const char *guarantees, FILE *out)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  const struct json_node *root;

  if (!json_read (&tape, guarantees, strlen (guarantees), &json_default_limits, &arena))
    return;
  root = json_root (&tape);
  for (unsigned i = 0; guarantee_names[i] != NULL; i++) {
    const char *by = json_cstring (&tape, json_member (&tape, root, guarantee_names[i]), &arena);
    (void) fprintf (out, "%-20s %s\n", guarantee_names[i], by != NULL ? by : "not met");
  }
}

/* What is loaded does not matter, and is no plugin: a worker reports before it loads anything. */
static bool
ask (struct ev_loop *loop, struct pool *pool, int program, FILE *out, struct error *err)
{
  const struct unit_describer describer = { .described = on_described, .ctx = loop };
  struct unit_status status;
  struct policy policy;
  struct unit *unit;
  bool met;

  policy_init (&policy);
  unit = unit_new (pool, "sandbox-report", fcntl (program, F_DUPFD_CLOEXEC, 3), &policy, NULL);
  policy_free (&policy);
  unit_describe (unit, &describer);
  unit_status (unit, &status);
  if (status.workers != 0)
    ev_run (loop, 0);
  unit_status (unit, &status);
  met = status.guarantees != NULL;
  if (met)
    print (status.guarantees, out);
  else
    error_set (err, "%s", status.why != NULL ? status.why : "no worker could be started");
  unit_unref (unit);
  while (pool->workers != 0)
    ev_run (loop, EVRUN_ONCE);
  return met;
}

bool
sandbox_report (int worker_program, FILE *out, struct error *err)
{
  struct ev_loop *loop = ev_default_loop (EVFLAG_AUTO);
  struct pool_settings settings;
  struct identity identity;
  struct spawner *spawner;
  struct pool pool;
  bool met;

  if (!identity_find ("toolhost", false, &identity, err))
    return false;
  spawner = spawner_new (&(struct spawner_settings){ .program = worker_program,
                                                     .user = identity.uid,
                                                     .group = identity.gid,
                                                     .uid_first = 60000,
                                                     .uid_count = 1 },
                         err);
  if (spawner == NULL || !identity_become (&identity, err)) {
    spawner_free (spawner);
    return false;
  }
  pool_settings_default (&settings);
  settings.spawner = spawner;
  settings.build = TOOLHOST_BUILD_ID;
  pool_init (&pool, loop, NULL, &settings);
  met = ask (loop, &pool, worker_program, out, err);
  pool_clear (&pool);
  spawner_free (spawner);
  return met;
}
