/* fake_calls.h - the call pipeline as the fronts see it, played by the test: calls stay where they
 * are until the test ends them.  Stands in for call/call.c when linking.
 *
 * Tools: "echo" ends inside call_start with its arguments as text; "later…" runs until the test
 * says so; another name of the toolset fails as the test has set it; the rest is tool_not_found.
 * What is no call of a tool ends at once, as the test has set it. */
#ifndef TOOLHOST_TESTS_FAKE_CALLS_H
#define TOOLHOST_TESTS_FAKE_CALLS_H

#include "front/front.h"

struct calls {
  struct call *running[32]; /* in the order they came; NULL: ended */
  size_t started;
  size_t cancelled;     /* by call_cancel */
  size_t abandoned;     /* by call_abandon */
  size_t batches;       /* that were made … */
  size_t closed;        /* … and closed */
  bool may_ask;         /* some tool may need approval */
  bool stops_late;      /* who is interrupted has its say: the test ends it */
  struct result canned; /* for the tools that end at once with it */
  char principal[64];   /* of the last request */
  char session[64];
  char args[256];
  bool args_are_text; /* a model's: the front did not read them */
  char metadata[256];
  long long deadline_ms;
  enum call_kind kind; /* of the last request, … */
  char name[64], argument[64], partial[64];
};

/* What MCP shows of what is served. */
#define FAKE_CAPABILITIES                                                                          \
  "{\"tools\":{\"listChanged\":true},\"resources\":{\"subscribe\":true,\"listChanged\":true},"     \
  "\"prompts\":{\"listChanged\":true},\"completions\":{},\"logging\":{},"                          \
  "\"extensions\":{\"io.modelcontextprotocol/skills\":{\"directoryRead\":true}}}"

/* … and of 2026-07-28. */
#define FAKE_MODERN_CAPABILITIES                                                                   \
  "{\"tools\":{\"listChanged\":true},\"resources\":{\"subscribe\":true,\"listChanged\":true},"     \
  "\"prompts\":{\"listChanged\":true},\"completions\":{},\"logging\":{},"                          \
  "\"extensions\":{\"io.modelcontextprotocol/tasks\":{},"                                          \
  "\"io.modelcontextprotocol/skills\":{\"directoryRead\":true}}}"

/* An environment with tools "alpha", "beta", "canned", "echo", "later" and its own loop. */
struct fake_env {
  struct front_env env;
  struct calls calls;
  const char *not_ready; /* NULL: ready */
  const char *bad_configuration;
  size_t reloads, releases;
};
void fake_env_init (struct fake_env *fake);
void fake_env_free (struct fake_env *fake);
/* Put a toolset of these names in place; ends with NULL. */
void fake_env_tools (struct fake_env *fake, const char *const *names);

/* Put one of each in place: the tool "echo", the resources "a:1", "a:2" and "a:3", the template
 * "a:{b}", the prompt "ask" described as "Asks.".  Calls of them end at once with `canned`. */
void fake_env_offers (struct fake_env *fake);

/* A good result with these texts; `structured` may be NULL. */
struct result fake_result (const char *content, const char *structured);
struct result fake_failure (enum call_error error, const char *code, const char *message);

/* Which of the calls that run has this id; SIZE_MAX: none. */
size_t fake_index (const struct calls *calls, const char *id);

/* Of the n-th call that was started. */
void fake_progress (struct calls *calls, size_t n, double done, double total, const char *text);
void fake_log (struct calls *calls, size_t n, int level, const char *text);
/* What it answers; `out` gets the body. */
enum frame_served_status fake_state (struct calls *calls, size_t n, const char *json,
                                     struct buf *out);
void fake_emit (struct calls *calls, size_t n, const char *json);
void fake_done (struct calls *calls, size_t n, struct result result);

#endif
