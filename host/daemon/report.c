#include "daemon/report.h"

#include <ev.h>

#include "daemon/config.h"
#include "daemon/privileges.h"
#include "daemon/sandbox.h"

static void
print_json (const struct sandbox_facts *facts, FILE *out)
{
  CLEANUP_BUF struct buf text = { 0 };
  struct json_writer w = { .out = &text };

  sandbox_json (facts, &w);
  (void) fprintf (out, "%s\n", buf_cstr (&text));
}

static bool
report (struct spawner *spawner, int program, unsigned require, bool json, FILE *out,
        struct error *err)
{
  struct sandbox_facts facts;
  struct sandbox_question question;
  bool holds;

  sandbox_ask (&question, ev_default_loop (EVFLAG_AUTO), spawner, program);
  holds = sandbox_answer (&question, &facts, err);
  sandbox_forget (&question);
  if (!holds)
    return false;
  if (json)
    print_json (&facts, out);
  else
    sandbox_print (&facts, out);
  (void) fflush (out);
  holds = sandbox_holds (&facts, require, err);
  sandbox_facts_free (&facts);
  return holds;
}

bool
sandbox_report (const struct config *config, int program, bool json, FILE *out, struct error *err)
{
  struct identity identity;
  struct spawner *spawner;
  bool holds;

  if (!identity_find (config->user, false, &identity, err))
    return false;
  spawner =
    spawner_new (&(struct spawner_settings){ .loop = ev_default_loop (EVFLAG_AUTO),
                                             .program = program,
                                             .user = identity.uid,
                                             .group = identity.gid,
                                             .uid_first = (uid_t) config->worker_uid_first,
                                             .uid_count = (unsigned) config->worker_uid_count },
                 err);
  if (spawner == NULL)
    return false;
  holds =
    identity_become (&identity, err) && report (spawner, program, config->require, json, out, err);
  spawner_free (spawner);
  return holds;
}
