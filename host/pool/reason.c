#include "pool/reason.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const struct {
  const char *code;
  enum blame blame;
  const char *words;
} reasons[REASONS] = {
  [REASON_NONE] = { "unknown", BLAME_NOBODY, "ended" },
  [REASON_SIGNAL] = { "signal", BLAME_PLUGIN, "was ended by a signal" },
  [REASON_POLICY_VIOLATION] = { "policy_violation", BLAME_PLUGIN, "did what the sandbox forbids" },
  [REASON_OOM] = { "oom", BLAME_PLUGIN, "used more memory than it may" },
  [REASON_CPU] = { "cpu", BLAME_PLUGIN, "used more processor time than it may" },
  [REASON_EXIT] = { "exit_without_result", BLAME_PLUGIN, "exited without being told to" },
  [REASON_PROTOCOL] = { "protocol_error", BLAME_PLUGIN, "broke the protocol" },
  [REASON_START_TIMEOUT] = { "start_timeout", BLAME_PLUGIN, "did not get ready in time" },
  [REASON_LOAD_FAILED] = { "load_failed", BLAME_FILE, "can't use the plugin" },
  [REASON_SANDBOX_REFUSED] = { "sandbox_refused", BLAME_FILE, "could not close its sandbox" },
  [REASON_DEADLINE] = { "deadline", BLAME_CALL,
                        "had a call that did not end within its grace period" },
  [REASON_KILLED] = { "killed", BLAME_SYSTEM, "was killed by somebody else" },
  [REASON_SPAWN_FAILED] = { "spawn_failed", BLAME_SYSTEM, "could not be started" },
  [REASON_STOP_TIMEOUT] = { "stop_timeout", BLAME_CALL, "did not end in time when told to" },
  [REASON_STOPPED] = { "stopped", BLAME_NOBODY, "was told to stop: nothing was left to do" },
  [REASON_IDLE] = { "idle", BLAME_NOBODY, "was told to stop: nobody called" },
  [REASON_RECYCLED] = { "recycled", BLAME_NOBODY, "was told to stop: it had served its time" },
  [REASON_REPLACED] = { "replaced", BLAME_NOBODY, "was told to stop: another has taken its place" },
  [REASON_SHUTDOWN] = { "daemon_shutdown", BLAME_NOBODY, "was told to stop: the daemon ends" },
};

const char *
reason_code (enum reason reason)
{
  return reasons[reason].code;
}

enum blame
reason_blame (enum reason reason)
{
  return reasons[reason].blame;
}

bool
reason_may_pass (enum reason reason)
{
  return reason == REASON_START_TIMEOUT || reasons[reason].blame == BLAME_SYSTEM;
}

const char *
reason_words (enum reason reason)
{
  return reasons[reason].words;
}

void
end_set (struct end *end, enum reason reason, const char *text)
{
  end->reason = reason;
  (void) snprintf (end->text, sizeof end->text, "%s", text);
}

/* ---- what the kernel says ---- */

static enum reason
reason_of_signal (int number)
{
  switch (number) {
  case SIGSYS:
    return REASON_POLICY_VIOLATION;
  case SIGXCPU:
    return REASON_CPU;
  default:
    return REASON_SIGNAL;
  }
}

static void
by_signal (struct end *end, const struct end_facts *facts)
{
  const int number = facts->status.status;
  const char *name = sigabbrev_np (number);
  const char *about = number == SIGSYS    ? ": a system call that the sandbox forbids"
                      : number == SIGKILL ? ", not by the daemon"
                                          : "";

  end->reason = reason_of_signal (number);
  (void) snprintf (end->text, sizeof end->text, "was ended by SIG%s (%s)%s%s",
                   name != NULL ? name : "?", strsignal (number), about,
                   facts->described ? "" : " while the plugin was loaded");
}

/* The exits that the worker program itself makes before a plugin is described. */
static bool
by_refusal (struct end *end, const struct end_facts *facts, int status)
{
  static const struct {
    int status;
    enum reason reason;
  } exits[] = {
    { WORKER_EXIT_LOAD, REASON_LOAD_FAILED },       { WORKER_EXIT_SANDBOX, REASON_SANDBOX_REFUSED },
    { WORKER_EXIT_PROTOCOL, REASON_PROTOCOL },      { WORKER_EXIT_BIRTH, REASON_SPAWN_FAILED },
    { WORKER_EXIT_BIRTH + 1, REASON_SPAWN_FAILED }, { WORKER_EXIT_BIRTH + 2, REASON_SPAWN_FAILED },
    { WORKER_EXIT_BIRTH + 3, REASON_SPAWN_FAILED },
  };

  for (size_t i = 0; !facts->described && i < sizeof exits / sizeof *exits; i++)
    if (exits[i].status == status) {
      end_set (end, exits[i].reason,
               facts->claim != NULL ? facts->claim : reason_words (exits[i].reason));
      return true;
    }
  return false;
}

static void
by_exit (struct end *end, const struct end_facts *facts)
{
  const int status = facts->status.status;

  if (status == WORKER_EXIT_OK && facts->decided != REASON_NONE && !facts->unanswered) {
    end_set (end, facts->decided, facts->words);
    return;
  }
  if (by_refusal (end, facts, status))
    return;
  if (facts->described && status == WORKER_EXIT_THREAD) {
    end_set (end, REASON_EXIT, "exited, because a call had ended its thread without a result");
    return;
  }
  end->reason = REASON_EXIT;
  (void) snprintf (end->text, sizeof end->text, "exited with status %d%s", status,
                   !facts->described   ? " while the plugin was loaded"
                   : facts->unanswered ? " before it had answered"
                                       : " without being told to");
}

void
end_conclude (struct end *end, const struct end_facts *facts)
{
  /* Whom the kernel ends for its memory closes its socket long before the memory is given back:
   * what looked like a breach of the protocol was that. */
  const bool oom = facts->oom && (!facts->killed || facts->decided == REASON_PROTOCOL);

  if (oom)
    end_set (end, REASON_OOM, "was ended by the kernel: it used all the memory it may have");
  else if (facts->killed)
    end_set (end, facts->decided, facts->words);
  else if (!facts->told) /* nobody inside its namespace can kill init */
    end_set (end, REASON_KILLED, reason_words (REASON_KILLED));
  else if (facts->status.code == CLD_EXITED)
    by_exit (end, facts);
  else
    by_signal (end, facts);
}
