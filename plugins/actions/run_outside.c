/* webhook, respond, handoff. */
#include <string.h>

#include "run.h"

enum {
  BODY_MAX = 1 << 20,
  ARGS_MAX = 32768, /* of an agent that takes over */
  SAID_MAX = 32000, /* bytes of a message: an event has room for them */
  WAIT_MS = 200,    /* before the second try; twice that before the third … */
  WAIT_MAX_MS = 2000
};

/* ---- webhook: the request ---- */

/* What can't stand in a header. */
static bool
has_control (const char *text, size_t len)
{
  for (size_t i = 0; i < len; i++)
    if ((unsigned char) text[i] < 0x20 || text[i] == 0x7F)
      return true;
  return false;
}

static bool
add_header (struct run *run, struct webhook_request *request, const char *name,
            const struct value *value, const char **why)
{
  CLEANUP_TEXT struct text text = { 0 };

  expr_embed (&text, value);
  *why = "a header's value holds a control character";
  if (has_control (text_get (&text), text.len))
    return false;
  request->headers = value_with (run->pool, request->headers, name, strlen (name),
                                 value_string (run->pool, text_get (&text), text.len));
  return true;
}

/* Asked again, the same action of the same call has the same key. */
static bool
add_key (struct run *run, struct webhook_request *request, const char *where,
         const struct lookup *lookup, const char **why)
{
  const struct endpoint *endpoint = request->endpoint;
  CLEANUP_TEXT struct text key = { 0 };
  const struct value *value;

  if (endpoint->key_is == KEY_NONE)
    return true;
  if (endpoint->key_is == KEY_OWN)
    value = expr_value (&endpoint->key, lookup);
  else {
    text_addf (&key, "%s-%s", run->around->key, where);
    value = value_string (run->pool, text_get (&key), key.len);
  }
  return add_header (run, request, "Idempotency-Key", value, why);
}

static bool
add_headers (struct run *run, struct webhook_request *request, const struct action *action,
             const struct lookup *lookup, const char **why)
{
  const struct endpoint *endpoint = request->endpoint;
  bool good = true;

  request->headers = &value_no_members;
  for (size_t i = 0; good && i < endpoint->header_count; i++)
    good = add_header (run, request, endpoint->headers[i].name,
                       expr_value (&endpoint->headers[i].value, lookup), why);
  return good && add_key (run, request, action->where, lookup, why);
}

/* False: *why is a sentence. */
static bool
make_request (struct run *run, const struct action *action, struct webhook_request *request,
              const char **why)
{
  const struct lookup lookup = run_lookup (run);
  const struct endpoint *endpoint = action->u.webhook.endpoint;
  CLEANUP_TEXT struct text url = { 0 };

  *request =
    (struct webhook_request){ .endpoint = endpoint,
                              .method = action->u.webhook.method != NULL ? action->u.webhook.method
                                                                         : endpoint->method };
  if (!endpoint_url (endpoint, &lookup, &url, why)
      || !add_headers (run, request, action, &lookup, why))
    return false;
  request->url = values_text (run->pool, text_get (&url), url.len);
  if (action->u.webhook.has_body)
    request->body = expr_value (&action->u.webhook.body, &lookup);
  *why = "the body is too large";
  return request->body == NULL || value_fits (request->body, BODY_MAX);
}

/* ---- webhook: the answer ---- */

static bool
is_worth_another (const struct webhook_answer *answer)
{
  return answer->status == 0
           ? answer->again
           : answer->status == 408 || answer->status == 429 || answer->status >= 500;
}

/* Ask, and again as often as the endpoint allows. */
static unsigned
ask (struct run *run, const struct webhook_request *request, struct webhook_answer *answer)
{
  const struct surroundings *around = run->around;
  int64_t wait = WAIT_MS;

  for (unsigned attempt = 1;; attempt++) {
    *answer = (struct webhook_answer){ .code = "", .message = "", .body = &value_null };
    around->ask (around->ctx, request, answer, run->pool);
    if (endpoint_succeeded (request->endpoint, answer->status) || !is_worth_another (answer)
        || attempt > request->endpoint->retries || !around->wait (around->ctx, wait))
      return attempt;
    wait = 2 * wait < WAIT_MAX_MS ? 2 * wait : WAIT_MAX_MS;
  }
}

/* What others have written while we waited is seen from here on. */
static void
look_anew (struct run *run)
{
  for (int root = ROOT_USER; run->around->shared && root <= ROOT_HISTORY; root++)
    run->roots[root] = NULL;
}

/* A2-16: {{result}} and {{webhook.NAME}}, whatever the status is. */
static void
keep_answer (struct run *run, const struct endpoint *endpoint, const struct webhook_answer *answer)
{
  run->roots[ROOT_RESULT] = answer->body;
  run->roots[ROOT_WEBHOOK] = value_with (run->pool, run_root (run, ROOT_WEBHOOK), endpoint->name,
                                         strlen (endpoint->name), answer->body);
}

static struct result
judge (struct run *run, const struct endpoint *endpoint, const struct webhook_answer *answer)
{
  struct result result;

  if (answer->status != 0 && endpoint_succeeded (endpoint, answer->status))
    result = run_done ();
  else if (run->around->cancelled (run->around->ctx))
    result = run_failed (run, "cancelled", "the call was cancelled, or its time is up");
  else if (answer->status != 0) {
    result =
      run_failed (run, "webhook_failed", "%s answered %d", endpoint->name, (int) answer->status);
    result.reason = "status";
  }
  else {
    result = run_failed (run, "webhook_failed", "%s: %s", endpoint->name, answer->message);
    result.reason = answer->code;
  }
  result.status = answer->status;
  return result;
}

/* S2-10, S2-26 */
struct result
run_webhook (struct run *run, const struct action *action)
{
  struct webhook_request request;
  struct webhook_answer answer;
  struct result result;
  const char *why;
  unsigned attempts;

  if (!make_request (run, action, &request, &why))
    return run_failed (run, "template_error", "%s: %s", action->u.webhook.endpoint->name, why);
  if (run_missed (run))
    return run_missed_result (run);
  attempts = ask (run, &request, &answer);
  keep_answer (run, request.endpoint, &answer);
  look_anew (run);
  result = judge (run, request.endpoint, &answer);
  result.attempts = attempts;
  return result;
}

/* ---- respond ---- */

static struct result
say (struct run *run, const struct text *text)
{
  const struct surroundings *around = run->around;

  switch (around->say (around->ctx, text_get (text), text->len)) {
  case DONE:
    run->said = true;
    return run_done ();
  case DONE_NOBODY: /* the model reads it in the result */
    return run_done ();
  case DONE_CANCELLED:
    return run_failed (run, "cancelled", "the call was cancelled, or has said too much");
  default:
    return run_failed (run, "respond_failed", "it could not be said");
  }
}

/* S2-12, A2-18 */
struct result
run_respond (struct run *run, const struct action *action)
{
  const struct lookup lookup = run_lookup (run);
  CLEANUP_TEXT struct text text = { 0 };
  struct result result;

  expr_embed (&text, expr_value (&action->u.message, &lookup));
  if (run_missed (run))
    return run_missed_result (run);
  if (text.len > SAID_MAX)
    return run_failed (run, "respond_failed", "a message has at most %d bytes", SAID_MAX);
  if (text.len == 0)
    return run_done ();
  result = say (run, &text);
  if (result.ok) {
    text_add (&run->message, run->message.len != 0 ? " " : "");
    text_add_len (&run->message, text_get (&text), text.len);
  }
  return result;
}

/* ---- handoff ---- */

static struct result
handed (struct run *run, enum done done, const char *agent)
{
  switch (done) {
  case DONE:
    run->stop = true; /* A2-19 */
    return run_done ();
  case DONE_NOBODY:
    return run_failed (run, "no_conversation",
                       "the call is in no session that could be handed over");
  case DONE_NOT_FOUND:
    return run_failed (run, "agent_not_found", "there is no agent %s", agent);
  case DONE_CANCELLED:
    return run_failed (run, "cancelled", "the call was cancelled, or its time is up");
  default:
    return run_failed (run, "handoff_failed", "the conversation could not be handed over");
  }
}

/* S2-11 */
struct result
run_handoff (struct run *run, const struct action *action)
{
  const struct lookup lookup = run_lookup (run);
  const struct value *agent = expr_value (&action->u.handoff.agent, &lookup);
  const struct value *args = expr_value (&action->u.handoff.args, &lookup);

  if (run_missed (run))
    return run_missed_result (run);
  if (!value_is (agent, VALUE_STRING) || !path_is_name (agent->text, agent->count, NAME_LEN_MAX))
    return run_failed (run, "agent_not_found", "what names the agent is no name");
  if (args->type == VALUE_NULL)
    args = &value_no_members;
  if (args->type != VALUE_OBJECT || !value_fits (args, ARGS_MAX))
    return run_failed (run, "handoff_failed",
                       "what an agent is called with is an object of at most %d bytes", ARGS_MAX);
  return handed (run, run->around->hand_off (run->around->ctx, agent->text, args), agent->text);
}
