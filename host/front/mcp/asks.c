#include "front/mcp/asks.h"

#include <stdlib.h>

#include "base/base64.h"
#include "base/json_canonical.h"
#include "call/held.h"
#include "call/seal.h"
#include "catalog/hash.h"
#include "front/encode.h"
#include "front/mcp/reply.h"
#include "front/mcp/upcall.h"

_Static_assert((int) MCP_CLIENT_ELICITATION == (int) FRAME_ASK_FORM
                 && (int) MCP_CLIENT_ELICITATION_URL == (int) FRAME_ASK_URL
                 && (int) MCP_CLIENT_SAMPLING == (int) FRAME_ASK_SAMPLING
                 && (int) MCP_CLIENT_SAMPLING_TOOLS == (int) FRAME_ASK_SAMPLING_TOOLS
                 && (int) MCP_CLIENT_ROOTS == (int) FRAME_ASK_ROOTS,
               "what a client can do is what it can be asked");

/* A question that a client of the handshake was sent. */
struct question {
  struct mcp_asking *asking; /* NULL: nobody waits for the answer any more */
  struct mcp_upcall *upcall;
  char key[FRAME_ASK_KEY_MAX + 1];
  struct question *next;
};

/* What a request needs that may ask, or has asked. */
struct mcp_asking {
  struct mcp_request *r;
  /* of 2026-07-28: what its state is bound to */
  char *principal, *method, *target;
  char digest[SHA256_HEX];
  /* of the handshake: the call meanwhile, and the questions that are under way */
  struct held *held;
  const struct call_events *events;
  struct question *questions;
  ev_timer patience;
};

static struct mcp_asking *
asking_of (struct mcp_request *r)
{
  if (r->asking == NULL) {
    r->asking = xcalloc (1, sizeof *r->asking);
    r->asking->r = r;
  }
  return r->asking;
}

void
mcp_asks_forget (struct mcp_request *r)
{
  struct mcp_asking *asking = r->asking;

  if (asking == NULL)
    return;
  ev_timer_stop (r->core->env->loop, &asking->patience);
  for (struct question *q = asking->questions; q != NULL; q = q->next)
    q->asking = NULL; /* the upcalls are about to be forgotten, and with them these */
  held_free (asking->held);
  free (asking->principal);
  free (asking->method);
  free (asking->target);
  free (asking);
  r->asking = NULL;
}

/* ---- 2026-07-28: state in the client's hands ---- */

static void
bind (struct mcp_request *r, const struct mcp_message *m, const struct call_request *request)
{
  struct mcp_asking *asking = asking_of (r);
  CLEANUP_BUF struct buf canonical = { 0 };
  struct hash *hash = hash_new ();

  if (request->args_node != NULL)
    json_canonical (request->tape, request->args_node, &canonical);
  hash_add (hash, canonical.data, canonical.len);
  hash_end (hash, asking->digest);
  asking->method = xstrndup (m->method.data, m->method.len);
  asking->principal = xstrdup (r->principal != NULL ? r->principal : "");
  asking->target = xstrndup (request->name, request->name_len);
}

static struct seal_for
bound_to (const struct mcp_asking *asking)
{
  return (struct seal_for){ .principal = asking->principal,
                            .method = asking->method,
                            .target = asking->target,
                            .digest = asking->digest };
}

static int64_t
now (const struct mcp_request *r)
{
  return (int64_t) ev_now (r->core->env->loop);
}

/* The ask that a state holds; NULL: `why` says what is wrong with it. */
static struct ask *
open_state (struct mcp_request *r, struct slice state, const char **why)
{
  const struct seal_for what = bound_to (r->asking);
  CLEANUP_FREE char *sealed = xmalloc (base64_room (state.len));
  CLEANUP_BUF struct buf plain = { 0 };
  enum seal_verdict verdict = SEAL_FORGED;
  struct ask *ask = NULL;
  size_t len;

  if (base64_decode (BASE64_URL, state.data, state.len, sealed, &len))
    verdict = seal_open (r->core->env->seal, &what, sealed, len, now (r), &plain);
  if (verdict == SEAL_GOOD)
    ask = ask_unpack (plain.data, plain.len);
  *why = verdict == SEAL_EXPIRED ? "requestState: it has expired; call again without it"
                                 : "requestState: it is not one of this daemon for this request";
  return ask;
}

static bool
refuse (struct mcp_request *r, const char *what)
{
  mcp_refuse_params (r, what);
  return false;
}

/* The answers to what an earlier round has asked. */
static bool
resume (struct mcp_request *r, const struct mcp_message *m, struct slice state,
        const struct json_node *responses, struct call_request *request)
{
  const char *why;
  struct ask *ask = open_state (r, state, &why);
  CLEANUP_BUF struct buf text = { 0 };
  struct error err = { 0 };

  if (ask == NULL)
    return refuse (r, why);
  request->ask = ask;
  if (responses == NULL
      || ask_answer (ask, calls_ask_rules (r->core->env->calls), &m->tape, responses, NULL, &err))
    return true;
  ask_free (ask);
  request->ask = NULL;
  buf_printf (&text, "inputResponses: %s", err.text);
  return refuse (r, buf_cstr (&text));
}

static bool
are_responses (const struct json_node *responses)
{
  if (!json_is (responses, JSON_OBJECT))
    return false;
  for (const struct json_node *n = json_first (responses); n != json_end (responses);
       n = json_next (json_next (n)))
    if (!json_is (json_next (n), JSON_OBJECT))
      return false;
  return true;
}

static bool
read_rounds (struct mcp_request *r, const struct mcp_message *m, struct call_request *request)
{
  struct slice state = mcp_text (m, m->state);

  if (m->responses != NULL && !are_responses (m->responses))
    return refuse (r, "inputResponses: expected an object of objects");
  if (state.data == NULL && m->state != NULL)
    return refuse (r, "requestState: expected a string");
  if (state.data != NULL)
    return resume (r, m, state, m->responses, request);
  request->responses_tape = &m->tape;
  request->responses = m->responses;
  return true;
}

/* Completions are suggestions while somebody types: nobody is asked for them. */
static bool
may_ask (enum call_kind kind)
{
  return kind == CALL_TOOL || kind == CALL_READ || kind == CALL_PROMPT;
}

bool
mcp_asks_read (struct mcp_request *r, const struct mcp_message *m, struct call_request *request)
{
  bool rounds;

  if (!may_ask (request->kind))
    return true;
  request->askable = r->client & FRAME_ASK_ALL;
  if (r->era != MCP_MODERN)
    return true;
  rounds = m->state != NULL || m->responses != NULL;
  if (request->askable != 0 || rounds)
    bind (r, m, request);
  return !rounds || read_rounds (r, m, request);
}

static void
put_state (struct json_writer *w, struct mcp_request *r, const struct ask *ask)
{
  const struct seal_for what = bound_to (r->asking);
  CLEANUP_BUF struct buf packed = { 0 };
  CLEANUP_BUF struct buf sealed = { 0 };
  CLEANUP_BUF struct buf text = { 0 };

  ask_pack (ask, &packed);
  seal_close (r->core->env->seal, &what, packed.data, packed.len, now (r), &sealed);
  base64_encode (BASE64_URL, sealed.data, sealed.len, &text);
  jsonw_name (w, "requestState");
  jsonw_string_len (w, text.data, text.len);
}

static void
answer_input_required (struct mcp_request *r, const struct result *result)
{
  struct ask *ask = result_take_ask (result);
  struct json_writer w = { .out = mcp_scratch (r->core) };

  mcp_begin_result_of (&w, r, "input_required");
  encode_name_raw (&w, "inputRequests", ask->open.data, ask->open.len);
  put_state (&w, r, ask);
  mcp_end_result (&w, r);
  ask_free (ask);
  mcp_answer (r, 200);
}

/* ---- the handshake: questions as requests of ours ---- */

static void
unlink_question (struct question *gone)
{
  for (struct question **at = &gone->asking->questions; *at != NULL; at = &(*at)->next)
    if (*at == gone) {
      *at = gone->next;
      return;
    }
}

/* All questions have an end: the next round. */
static void
go_on (struct mcp_asking *asking)
{
  struct mcp_request *r = asking->r;
  struct held *held = asking->held;
  struct call *call;

  ev_timer_stop (r->core->env->loop, &asking->patience);
  asking->held = NULL;
  call = held_start (held, r->core->env->calls, front_toolset (r->core->env, held_tenant (held)),
                     asking->events, r);
  if (call != NULL) /* else the request may be gone */
    r->call = call;
}

static void
answered (void *ctx, enum mcp_upcall_outcome outcome, const struct json_tape *tape,
          const struct json_node *value)
{
  struct question *q = ctx;
  struct mcp_asking *asking = q->asking;
  struct ask *ask;
  struct error err = { 0 };

  if (asking == NULL || outcome == MCP_UPCALL_GONE) {
    free (q);
    return;
  }
  ask = held_ask (asking->held);
  if (outcome == MCP_UPCALL_ERROR)
    ask_settle (ask, q->key, "declined");
  else if (!ask_answer_one (ask, calls_ask_rules (asking->r->core->env->calls), q->key, tape, value,
                            &err)) {
    /* It is an answer, but none that a tool could use. */
    log_event (asking->r->core->env->log, LOG_NOTICE, "mcp_answer_unusable", "call",
               held_call_id (asking->held), "why", err.text, NULL);
    ask_settle (ask, q->key, "dismissed");
  }
  unlink_question (q);
  free (q);
  if (asking->questions == NULL)
    go_on (asking);
}

/* Nobody has answered in time: what is still open never will be. */
static void
out_of_patience (struct ev_loop *loop, struct ev_timer *timer, int events)
{
  struct mcp_asking *asking = timer->data;

  (void) loop;
  (void) events;
  for (struct question *q = asking->questions, *next; q != NULL; q = next) {
    next = q->next;
    mcp_upcall_cancel (q->upcall);
    free (q);
  }
  asking->questions = NULL;
  ask_settle (held_ask (asking->held), NULL, "expired");
  go_on (asking);
}

/* The parameters as this client knows them: until 2025-11-25 an elicitation by URL has an id. */
static void
write_params (const struct json_tape *tape, const struct json_node *params, const char *key,
              const char *call_id, struct buf *out)
{
  struct json_writer w = { .out = out };
  size_t len;
  const char *text = json_raw (tape, params, &len);

  if (!json_equals (tape, json_member (tape, params, "mode"), "url")) {
    encode_raw (&w, text, len);
    return;
  }
  jsonw_object (&w);
  for (const struct json_node *n = json_first (params); n != json_end (params);
       n = json_next (json_next (n))) {
    const char *name = json_raw (tape, n, &len);
    jsonw_name_len (&w, name + 1, len - 2);
    text = json_raw (tape, json_next (n), &len);
    encode_raw (&w, text, len);
  }
  jsonw_name (&w, "elicitationId");
  jsonw_stringf (&w, "%s.%s", call_id, key);
  jsonw_end (&w);
}

/* False: the client can't be heard. */
static bool
send_question (struct mcp_asking *asking, const struct json_tape *tape, const char *key,
               const struct json_node *question, struct arena *arena)
{
  const struct json_node *params = json_member (tape, question, "params");
  const char *method = json_cstring (tape, json_member (tape, question, "method"), arena);
  CLEANUP_BUF struct buf text = { 0 };
  struct question *q = xcalloc (1, sizeof *q);

  if (params != NULL)
    write_params (tape, params, key, held_call_id (asking->held), &text);
  q->asking = asking;
  (void) stpncpy (q->key, key, sizeof q->key - 1);
  q->upcall = mcp_upcall_start (
    asking->r, method, (struct slice){ params != NULL ? text.data : NULL, text.len }, answered, q);
  if (q->upcall == NULL) {
    free (q);
    return false;
  }
  q->next = asking->questions;
  asking->questions = q;
  return true;
}

static void
ask_peer (struct mcp_request *r, const struct result *result, const struct call_events *events)
{
  struct mcp_asking *asking = asking_of (r);
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf open = { 0 };
  struct ask *ask;
  struct json_tape tape;

  asking->held = held_take (result);
  asking->events = events;
  ask = held_ask (asking->held);
  buf_append (&open, ask->open.data, ask->open.len); /* settling changes it */
  if (json_read (&tape, open.data, open.len, &json_default_limits, &arena))
    for (const struct json_node *n = json_first (json_root (&tape));
         n != json_end (json_root (&tape)); n = json_next (json_next (n))) {
      const char *key = json_cstring (&tape, n, &arena);
      if (!send_question (asking, &tape, key, json_next (n), &arena))
        ask_settle (ask, key, "expired");
    }
  ev_timer_init (&asking->patience, out_of_patience, r->core->env->ask_ttl, 0);
  asking->patience.data = asking;
  if (asking->questions != NULL)
    ev_timer_start (r->core->env->loop, &asking->patience);
  else
    go_on (asking);
}

/* ---- the end of a round ---- */

void
mcp_fault_capability (struct mcp_fault *fault, unsigned needs, struct buf *data)
{
  buf_puts (data, "{\"requiredCapabilities\":");
  ask_capabilities (needs & FRAME_ASK_ALL, data);
  buf_putc (data, '}');
  (void) mcp_fault_set (fault, MCP_MISSING_CAPABILITY, 400, "Missing required client capability");
  fault->data = (struct slice){ data->data, data->len };
}

static void
refuse_capability (struct mcp_request *r, unsigned needs)
{
  CLEANUP_BUF struct buf data = { 0 };
  struct mcp_fault fault;

  mcp_fault_capability (&fault, needs, &data);
  mcp_refuse (r, &fault);
}

static void
refuse_answers (struct mcp_request *r, const struct result *result)
{
  CLEANUP_BUF struct buf text = { 0 };

  buf_printf (&text, "inputResponses: %.*s", (int) result->message_len, result->message);
  mcp_refuse_params (r, buf_cstr (&text));
}

bool
mcp_asks_done (struct mcp_request *r, const struct result *result, const struct call_events *events)
{
  if (result->error == CALL_input_required && r->era == MCP_MODERN)
    answer_input_required (r, result);
  else if (result->error == CALL_input_required)
    ask_peer (r, result, events);
  else if (result->error == CALL_capability_required && r->era == MCP_MODERN)
    refuse_capability (r, result->needs);
  else if (result->error == CALL_input_invalid)
    refuse_answers (r, result);
  else
    return false;
  return true;
}
