#include "worker/crash.h"

#include <execinfo.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "worker/control.h"
#include "worker/outbox.h"
#include "worker/symbols.h"

enum { FRAMES = 32, ALTERNATE_STACK = 64 * 1024, LONGEST_NAME = 256 };

static struct symbols symbols;
static struct outbox *outbox;
static bool loaded;
static atomic_flag crashed = ATOMIC_FLAG_INIT;
static _Thread_local uint64_t current_call;

static const struct {
  int number;
  const char *name;
} signals[] = {
  { SIGSEGV, "SIGSEGV" }, { SIGABRT, "SIGABRT" }, { SIGBUS, "SIGBUS" },
  { SIGFPE, "SIGFPE" },   { SIGILL, "SIGILL" },   { SIGSYS, "SIGSYS" },
};

/* ---- the message, put together without stdio and malloc ------------------------------------- */

static char message[FRAMES * (LONGEST_NAME + 4) + 256];
static size_t message_len;

static void
say (const char *text)
{
  size_t len = strlen (text);

  if (len > sizeof message - message_len)
    len = sizeof message - message_len;
  memcpy (message + message_len, text, len);
  message_len += len;
}

static void
say_number (uint64_t value)
{
  char digits[21];
  size_t i = sizeof digits - 1;

  digits[i] = '\0';
  do
    digits[--i] = (char) ('0' + value % 10);
  while ((value /= 10) != 0);
  say (digits + i);
}

static uintptr_t
program_counter (const ucontext_t *context)
{
#if defined(__x86_64__)
  return (uintptr_t) context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
  return (uintptr_t) context->uc_mcontext.pc;
#endif
}

static void
say_frame (uintptr_t address, bool first)
{
  char name[LONGEST_NAME];

  symbols_name (&symbols, address, name, sizeof name);
  say (first ? "\"" : ",\"");
  say (name);
  say ("\"");
}

/* From where it happened; the handler's own frames before it are left out. */
static void
say_backtrace (uintptr_t where)
{
  void *frames[FRAMES];
  int count = backtrace (frames, FRAMES);
  int at = 0;

  while (at < count && (uintptr_t) frames[at] != where)
    at++;
  say_frame (where, true);
  /* The others are where calls return to, which after a call of abort is another function. */
  for (at++; at < count; at++)
    say_frame ((uintptr_t) frames[at] - 1, false);
}

static const char *
name_of (int number)
{
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    if (signals[i].number == number)
      return signals[i].name;
  return "?";
}

static void
on_crash (int number, siginfo_t *info, void *context)
{
  (void) info;
  if (atomic_flag_test_and_set (&crashed))
    for (;;)
      (void) pause ();
  if (!loaded)
    symbols_note_objects (&symbols);
  outbox_rescue (outbox);
  say ("{\"reason\":\"signal\",\"signal\":\"");
  say (name_of (number));
  say ("\",\"call\":");
  say_number (current_call);
  say (",\"backtrace\":[");
  say_backtrace (program_counter (context));
  say ("]}");
  control_send (FRAME_BYE, message, message_len);
  (void) signal (number, SIG_DFL);
  (void) raise (number); /* comes when this handler returns */
}

/* ---- set-up ----------------------------------------------------------------------------- */

void
crash_thread_begin (void)
{
  stack_t stack = { .ss_size = ALTERNATE_STACK };

  stack.ss_sp = mmap (NULL, ALTERNATE_STACK, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stack.ss_sp != MAP_FAILED)
    (void) sigaltstack (&stack, NULL);
}

void
crash_install (struct outbox *box, const char *plugin_path)
{
  struct sigaction action = { .sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK };
  void *warm[2];

  outbox = box;
  symbols_open (&symbols, plugin_path);
  (void) backtrace (warm, 2); /* loads the unwinder now, which is not safe later */
  (void) sigemptyset (&action.sa_mask);
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    (void) sigaction (signals[i].number, &action, NULL);
  crash_thread_begin ();
}

void
crash_loaded (void)
{
  symbols_note_objects (&symbols);
  loaded = true;
}

void
crash_set_call (uint64_t call)
{
  current_call = call;
}
