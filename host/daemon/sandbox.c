#include "daemon/sandbox.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/json_tape.h"
#include "pool/unit.h"
#include "watch/metrics.h"

#ifndef PR_GET_MDWE
#define PR_GET_MDWE 66
#endif

/* ---- finding out ---- */

static void
on_described (void *ctx, const char *json, size_t len, const struct error *err)
{
  struct sandbox_question *question = ctx;

  (void) json;
  (void) len;
  (void) err;
  question->answered = true;
}

/* Seconds.  What is made meanwhile, of ten thousands of tenants perhaps, may keep the loop from
 * hearing it. */
static const double ANSWER_WITHIN = 60;

/* What is loaded does not matter, and is no plugin: a worker reports before it loads anything. */
void
sandbox_ask (struct sandbox_question *question, struct ev_loop *loop, struct spawner *spawner,
             int program)
{
  const struct unit_describer describer = { .described = on_described, .ctx = question };
  struct pool_settings settings;
  struct policy policy;

  question->loop = loop;
  question->spawner = spawner;
  question->answered = false;
  pool_settings_default (&settings);
  settings.spawner = spawner;
  settings.build = TOOLHOST_BUILD_ID;
  settings.start_timeout = ANSWER_WITHIN;
  pool_init (&question->pool, loop, NULL, &settings);
  policy_init (&policy);
  policy.require = 0; /* it shall tell, not refuse */
  question->unit = unit_new (&question->pool, "sandbox-report", fcntl (program, F_DUPFD_CLOEXEC, 3),
                             &policy, NULL);
  policy_free (&policy);
  unit_describe (question->unit, &describer);
}

void
sandbox_forget (struct sandbox_question *question)
{
  if (question->loop == NULL)
    return;
  unit_unref (question->unit);
  while (question->pool.workers != 0)
    ev_run (question->loop, EVRUN_ONCE);
  pool_clear (&question->pool);
  *question = (struct sandbox_question){ .unit = NULL };
}

/* What it tells is in force when it tells it; how it ends adds nothing. */
static char *
await_worker (struct sandbox_question *question, struct error *err)
{
  struct unit_status status;

  unit_status (question->unit, &status);
  while (status.guarantees == NULL && !question->answered && status.workers != 0) {
    ev_run (question->loop, EVRUN_ONCE);
    unit_status (question->unit, &status);
  }
  if (status.guarantees != NULL)
    return xstrdup (status.guarantees);
  error_set (err, "%s", status.why != NULL ? status.why : "no worker could be started");
  return NULL;
}

static unsigned
read_met (const char *guarantees)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  unsigned met = 0;

  if (!json_read (&tape, guarantees, strlen (guarantees), &json_default_limits, &arena))
    return 0;
  for (unsigned i = 0; guarantee_names[i] != NULL; i++) {
    const char *by =
      json_cstring (&tape, json_member (&tape, json_root (&tape), guarantee_names[i]), &arena);
    met |= by != NULL && *by != '\0' ? 1U << i : 0;
  }
  return met;
}

static void
ask_kernel (struct sandbox_facts *facts)
{
  enum { VERSION = 1, ERRATA = 2 };
  struct utsname name;

  if (uname (&name) == 0)
    (void) snprintf (facts->kernel, sizeof facts->kernel, "%s", name.release);
  facts->landlock_abi = syscall (SYS_landlock_create_ruleset, NULL, 0, VERSION);
  facts->landlock_errata = syscall (SYS_landlock_create_ruleset, NULL, 0, ERRATA);
  if (facts->landlock_abi < 0)
    facts->landlock_abi = 0;
  facts->mdwe = prctl (PR_GET_MDWE, 0, 0, 0, 0) >= 0;
}

static char
tier_of (const struct launch_means *means)
{
  if (!means->namespaces)
    return 'D';
  return means->cgroup == 2 ? 'A' : means->cgroup == 1 ? 'B' : 'C';
}

bool
sandbox_answer (struct sandbox_question *question, struct sandbox_facts *facts, struct error *err)
{
  *facts = (struct sandbox_facts){ .means = *spawner_means (question->spawner) };
  facts->tier = tier_of (&facts->means);
  ask_kernel (facts);
  facts->guarantees = await_worker (question, err);
  unit_unref (question->unit);
  question->unit = NULL;
  if (facts->guarantees != NULL)
    facts->met = read_met (facts->guarantees);
  return facts->guarantees != NULL;
}

void
sandbox_facts_free (struct sandbox_facts *facts)
{
  free (facts->guarantees);
  facts->guarantees = NULL;
}

/* ---- what is required ---- */

/* In the order of the bits: what could meet it. */
static const char *const could_meet[] = {
  "a network namespace or a seccomp filter",
  "a mount namespace or Landlock",
  "a pid namespace, Landlock or a seccomp filter",
  "a cgroup or a limit of the address space",
  "a pid namespace, or a seccomp filter and a parent's death signal",
};

bool
sandbox_holds (const struct sandbox_facts *facts, unsigned require, struct error *err)
{
  const unsigned missing = require & ~facts->met;
  const char *advice = facts->means.namespaces ? NULL : sandbox_advice (0);
  unsigned first = 0;

  if (missing == 0)
    return true;
  while ((missing & 1U << first) == 0)
    first++;
  return error_set (err,
                    "the guarantee \"%s\" is required, and nothing on this system meets it: it "
                    "takes %s%s%s (toolhostd --sandbox-report says more; sandbox.require says what "
                    "is required)",
                    guarantee_names[first], could_meet[first], advice != NULL ? "; allow it: " : "",
                    advice != NULL ? advice : "");
}

/* ---- telling ---- */

static void
list_controllers (const struct launch_means *means, struct buf *out)
{
  for (unsigned i = 0; cgroup_controller_names[i] != NULL; i++)
    if ((means->controllers & 1U << i) != 0)
      buf_printf (out, "%s%s", out->len != 0 ? ", " : "", cgroup_controller_names[i]);
}

static void
tell_guarantees (const struct sandbox_facts *facts, struct json_writer *w)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  jsonw_name (w, "guarantees");
  jsonw_object (w);
  if (json_read (&tape, facts->guarantees, strlen (facts->guarantees), &json_default_limits,
                 &arena))
    for (unsigned i = 0; guarantee_names[i] != NULL; i++) {
      const char *by =
        json_cstring (&tape, json_member (&tape, json_root (&tape), guarantee_names[i]), &arena);
      jsonw_name (w, guarantee_names[i]);
      jsonw_object (w);
      jsonw_name_bool (w, "met", (facts->met & 1U << i) != 0);
      jsonw_name_string (w, "by", by != NULL ? by : "");
      jsonw_end (w);
    }
  jsonw_end (w);
}

static void
tell_cgroup (const struct launch_means *means, struct json_writer *w)
{
  jsonw_name (w, "cgroup");
  jsonw_object (w);
  jsonw_name_int (w, "version", means->cgroup);
  jsonw_name_bits (w, "controllers", means->controllers, cgroup_controller_names);
  jsonw_name_bool (w, "kill", means->cgroup_kill);
  jsonw_end (w);
}

static void
tell_namespaces (const struct launch_means *means, struct json_writer *w)
{
  jsonw_name (w, "namespaces");
  jsonw_object (w);
  for (unsigned i = 0; i < LAUNCH_NAMESPACES; i++)
    jsonw_name_bool (w, launch_namespaces[i].name,
                     means->namespaces || means->namespace_errno[i] == 0);
  jsonw_end (w);
}

static void
tell_advice (const struct sandbox_facts *facts, struct json_writer *w)
{
  jsonw_name (w, "allow");
  jsonw_array (w);
  for (unsigned i = 0; !facts->means.namespaces && sandbox_advice (i) != NULL; i++)
    jsonw_string (w, sandbox_advice (i));
  jsonw_end (w);
}

void
sandbox_json (const struct sandbox_facts *facts, struct json_writer *w)
{
  const char tier[] = { facts->tier, '\0' };

  jsonw_object (w);
  jsonw_name_string (w, "tier", tier);
  jsonw_name_string (w, "kernel", facts->kernel);
  jsonw_name_bool (w, "root_launcher", facts->means.root);
  jsonw_name_bool (w, "uid_per_worker", facts->means.ids);
  jsonw_name_bool (w, "grants_with_swapped_ids", facts->means.idmaps);
  tell_namespaces (&facts->means, w);
  tell_cgroup (&facts->means, w);
  jsonw_name (w, "landlock");
  jsonw_object (w);
  jsonw_name_int (w, "abi", facts->landlock_abi);
  if (facts->landlock_errata >= 0)
    jsonw_name_int (w, "errata", facts->landlock_errata);
  jsonw_end (w);
  jsonw_name_bool (w, "mdwe", facts->mdwe);
  tell_guarantees (facts, w);
  tell_advice (facts, w);
  jsonw_end (w);
}

static const char *
tier_words (char tier)
{
  static const char *const words[] = { "cgroup version 2 for each worker",
                                       "cgroup version 1 for each worker",
                                       "limits of processes; no cgroup may be made",
                                       "no user namespaces, no cgroup may be made" };
  return words[tier - 'A'];
}

static void
line (FILE *out, const char *name, const char *text)
{
  (void) fprintf (out, "%-20s %s\n", name, text);
}

static void
print_namespaces (const struct launch_means *means, FILE *out)
{
  CLEANUP_BUF struct buf text = { 0 };

  for (unsigned i = 0; i < LAUNCH_NAMESPACES; i++) {
    int error = means->namespaces ? 0 : means->namespace_errno[i];
    buf_printf (&text, "%s%s", i != 0 ? ", " : "", launch_namespaces[i].name);
    if (error != 0)
      buf_printf (&text, " (no: %s)", strerror (error));
  }
  line (out, "namespaces", buf_cstr (&text));
}

static void
print_cgroup (const struct launch_means *means, FILE *out)
{
  CLEANUP_BUF struct buf text = { 0 }, names = { 0 };

  if (means->cgroup == 0)
    buf_puts (&text, "none that may be made here");
  else {
    list_controllers (means, &names);
    buf_printf (&text, "version %u: %s", means->cgroup, buf_cstr (&names));
  }
  if (means->cgroup_kill)
    buf_puts (&text, "; cgroup.kill");
  line (out, "cgroup", buf_cstr (&text));
}

static void
print_guarantees (const struct sandbox_facts *facts, FILE *out)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  if (!json_read (&tape, facts->guarantees, strlen (facts->guarantees), &json_default_limits,
                  &arena))
    return;
  for (unsigned i = 0; guarantee_names[i] != NULL; i++) {
    const char *by =
      json_cstring (&tape, json_member (&tape, json_root (&tape), guarantee_names[i]), &arena);
    if ((facts->met & 1U << i) != 0)
      line (out, guarantee_names[i], by);
    else
      (void) fprintf (out, "%-20s NOT MET: it takes %s\n", guarantee_names[i], could_meet[i]);
  }
}

void
sandbox_print (const struct sandbox_facts *facts, FILE *out)
{
  const struct launch_means *means = &facts->means;

  (void) fprintf (out, "%-20s %c: %s\n", "tier", facts->tier, tier_words (facts->tier));
  line (out, "kernel", facts->kernel);
  line (out, "uid of a worker",
        means->ids    ? "one of its own"
        : means->root ? "the daemon's: no other can be given to it here"
                      : "the daemon's: only a daemon started as root has others to give");
  print_namespaces (means, out);
  print_cgroup (means, out);
  if (facts->landlock_errata >= 0)
    (void) fprintf (out, "%-20s ABI %ld, errata 0x%lx\n", "landlock", facts->landlock_abi,
                    (unsigned long) facts->landlock_errata);
  else if (facts->landlock_abi > 0)
    (void) fprintf (out, "%-20s ABI %ld\n", "landlock", facts->landlock_abi);
  else
    line (out, "landlock", "not in this kernel, or switched off");
  line (out, "mdwe", facts->mdwe ? "yes" : "not in this kernel");
  print_guarantees (facts, out);
  for (unsigned i = 0; !means->namespaces && sandbox_advice (i) != NULL; i++)
    line (out, i == 0 ? "to allow" : "", sandbox_advice (i));
}

void
sandbox_log (const struct sandbox_facts *facts, struct log *log)
{
  const char tier[] = { facts->tier, '\0' };
  CLEANUP_BUF struct buf controllers = { 0 };

  list_controllers (&facts->means, &controllers);
  log_event (log, LOG_INFO, "sandbox", "tier", tier, "kernel", facts->kernel, "uid_per_worker",
             facts->means.ids ? "yes" : "no", "cgroup", LOG_INT (facts->means.cgroup),
             "controllers", buf_cstr (&controllers), "landlock", LOG_INT (facts->landlock_abi),
             "guarantees", facts->guarantees, NULL);
}

void
sandbox_metric (const struct sandbox_facts *facts, struct buf *out)
{
  char label[16];

  (void) snprintf (label, sizeof label, "tier=\"%c\"", facts->tier);
  metrics_head (out, "toolhost_sandbox_tier", "gauge", "How workers are confined here, A to D.");
  metrics_sample (out, "toolhost_sandbox_tier", label, 1);
}
