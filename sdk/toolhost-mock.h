/* toolhost-mock.h - a host for the unit tests of a tool: no daemon, no sandbox, no other process.
 *
 *   toolhost_mock *mock = toolhost_mock_new (toolhost_plugin_entry, NULL);
 *   toolhost_mock_result *r = toolhost_mock_call (mock, "echo", "{\"text\":\"hi\"}");
 *   assert (r->status == TOOLHOST_OK && strcmp (r->text, "hi") == 0);
 *   toolhost_mock_result_free (r);
 *   toolhost_mock_free (mock);
 *
 * Link the test with the plugin's own objects and `pkg-config --libs toolhost-mock`.  The mock
 * checks a plugin as the real loader does (the same sentences), runs can_execute, validate and
 * execute in their order, and answers the host's functions as a worker does with nothing granted.
 * It does not check arguments against the tool's schema.  One thread at a time. */
#ifndef TOOLHOST_MOCK_H
#define TOOLHOST_MOCK_H

#include <toolhost.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct toolhost_mock toolhost_mock;

typedef struct toolhost_mock_result {
  toolhost_status
    status;             /* OK, FAILED, ASKED; NOT_GRANTED: can_execute said no; BAD_VALUE: validate
                           said no; NOT_FOUND: no such tool; CANCELLED: the deadline passed */
  const char *text;     /* all text parts, one after the other; "" when none */
  const char *json;     /* the structured result, or NULL */
  const char *content;  /* all parts as a JSON array of MCP content blocks; of a read its contents,
                           of a prompt its messages */
  const char *code;     /* of toolhost_fail, "" when none */
  const char *message;  /* of toolhost_fail or toolhost_why, "" when none */
  const char *problems; /* of toolhost_invalid: JSON array of { "pointer", "message" } */
  const char *log;      /* every progress and log line, one a line */
  const char *asks;     /* ASKED: what was asked, a JSON object { key: { "kind", "params" } } */
  const char *emitted;  /* what toolhost_emit said to the user, one event a line; "" when nothing */
  const char *changes;  /* what the call did to its session, one a line: "set workflow.step 2",
                           "append history {…}", "flags vip true", "handoff {…}"; of one that did
                           not succeed what stays all the same */
} toolhost_mock_result;

/* Load the plugin behind `entry` and open it with `config` (JSON text; NULL: "{}").  NULL when the
 * loader refuses it: toolhost_mock_error says why. */
toolhost_mock *toolhost_mock_new (toolhost_plugin_entry_fn entry, const char *config);
const char *toolhost_mock_error (void);
void toolhost_mock_free (toolhost_mock *mock);

/* Have the builder of a feature make its tools of a configuration (JSON text): the mock has these
 * from then on, instead of the plugin's own or of an earlier build.  TOOLHOST_FAILED: it has none,
 * and toolhost_mock_error says why. */
toolhost_status toolhost_mock_build (toolhost_mock *mock, const char *feature, const char *config);
/* What was logged since the last call or build began: every line and event, one a line. */
const char *toolhost_mock_log (toolhost_mock *mock);

/* The definition of a tool as the plugin gives it; NULL when there is no such tool. */
const char *toolhost_mock_definition (toolhost_mock *mock, const char *tool);
/* Milliseconds a call may take; 0: host's default. */
int64_t toolhost_mock_max_time (toolhost_mock *mock, const char *tool);

/* How the next calls appear to the tool. */
void toolhost_mock_set_info (toolhost_mock *mock, int32_t what,
                             const char *text); /* TOOLHOST_TENANT … */
/* The next calls are in a session, whose user they can say something to (toolhost_emit); at first
 * they are in none. */
void toolhost_mock_set_in_session (toolhost_mock *mock, bool in_session);
/* What stands at a path of the session's context from here on ("user.name", "flags.vip"), JSON;
 * NULL: nothing.  A path is known as it was set or written: what stands within it is not. */
void toolhost_mock_set_context (toolhost_mock *mock, const char *path, const char *json);
/* What toolhost_extension answers for an id, one at a time; a struct of the test's. */
void toolhost_mock_set_extension (toolhost_mock *mock, const char *id, const void *extension);
/* Grant a secret by name. */
void toolhost_mock_set_secret (toolhost_mock *mock, const char *name, const char *value);
/* The answer to a question, for all calls that follow; `json` is the value of an answered one.
 * `is`: TOOLHOST_ANSWERED, _DECLINED, _DISMISSED, _EXPIRED; TOOLHOST_OPEN forgets the answer.  What
 * a call that asked has kept comes back in the next one. */
void toolhost_mock_answer (toolhost_mock *mock, const char *key, int32_t is, const char *json);
/* Whom the next calls can ask: kinds in a string with blanks ("form url sampling roots", with
 * "sampling.tools" for sampling that offers tools); at first everybody. */
void toolhost_mock_set_askable (toolhost_mock *mock, const char *kinds);
/* What a server answers to a request of this method and exactly this URL, from here on; `headers`
 * are name in lower case, value, …, NULL.  A request that no answer was given for is not granted.
 */
void toolhost_mock_http (toolhost_mock *mock, const char *method, const char *url, int32_t status,
                         const char *const *headers, const void *body, size_t len);
/* The same for one request alone: several are given one after the other, before those above. */
void toolhost_mock_http_once (toolhost_mock *mock, const char *method, const char *url,
                              int32_t status, const char *const *headers, const void *body,
                              size_t len);
/* The requests that were made so far, one a line: method, a JSON object with "url", "headers" and
 * what else was asked, body. */
const char *toolhost_mock_http_requests (toolhost_mock *mock);
/* A tool that the plugin's tools may invoke, by its definition, and what comes of it from here on:
 * a status of toolhost_invoke and its JSON.  A tool that none was given for is not granted. */
void toolhost_mock_invocable (toolhost_mock *mock, const char *definition, toolhost_status status,
                              const char *result_json);
/* What was invoked so far, one a line: the tool's name, its arguments, the answers if there were
 * any. */
const char *toolhost_mock_invocations (toolhost_mock *mock);
/* Cancel the next call after its `after`-th question (toolhost_cancelled, sleep, time_left); 0:
 * never. */
void toolhost_mock_cancel_after (toolhost_mock *mock, unsigned after);
/* The deadline of the next calls, default 30,000.  The mock's clock stands still but for
 * toolhost_sleep, which moves it at once: no test waits. */
void toolhost_mock_set_deadline (toolhost_mock *mock, int64_t ms);

/* Run a tool; `args` is JSON text of an object.  A retained call is waited for (a plugin's own
 * threads may complete it) for at most 10 seconds.  Never NULL; free the result. */
toolhost_mock_result *toolhost_mock_call (toolhost_mock *mock, const char *tool, const char *args);

/* Read what stands at a URI: a resource of the plugin's, or one that a template of its matches, as
 * the host would find it.  Contents are `content`, their texts `text`. */
toolhost_mock_result *toolhost_mock_read (toolhost_mock *mock, const char *uri);
/* Get a prompt; `args` is JSON text of an object of strings.  Messages are `content`. */
toolhost_mock_result *toolhost_mock_prompt (toolhost_mock *mock, const char *prompt,
                                            const char *args);
/* Which resources a template lists, as `content`: a JSON array of definitions. */
toolhost_mock_result *toolhost_mock_list (toolhost_mock *mock, const char *uri_template);
/* Values for an argument of a prompt (by its name) or a variable of a template (by its text), of
 * which `partial` is there; `args` are the others.  What is suggested is `json`: { "values",
 * "total", "hasMore" }. */
toolhost_mock_result *toolhost_mock_complete (toolhost_mock *mock, const char *of,
                                              const char *argument, const char *partial,
                                              const char *args);
/* Have a guard check a call; `checked` is JSON text of an object with "stage", "tool", "arguments"
 * and what else struct toolhost_guard says; of the stage "error" its error function is asked.
 * FAILED with the code TOOLHOST_REJECTED: the guard has rejected, and `message` is its text.  OK
 * with something in `json` or `content`: that takes the place of what was checked. */
toolhost_mock_result *toolhost_mock_guard (toolhost_mock *mock, const char *guard,
                                           const char *checked);
/* A definition by what it is known by: the name of a tool, prompt or guard, a URI, a template.
 * NULL: there is none. */
const char *toolhost_mock_definition_of (toolhost_mock *mock, const char *key);

void toolhost_mock_result_free (toolhost_mock_result *result);

#ifdef __cplusplus
}
#endif

#endif /* TOOLHOST_MOCK_H */
