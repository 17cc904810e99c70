#include "front/rest/approvals.h"

#include <stdlib.h>
#include <string.h>

#include "approval/approvals.h"
#include "base/json_write.h"
#include "call/named.h"
#include "front/encode.h"
#include "front/rest/calls.h"

enum { LIMIT = 50, LIMIT_MAX = 500 };

/* An exchange that waits for the store. */
struct wait {
  struct http_exchange *x; /* NULL: its peer has left */
  const struct front_env *env;
  struct buf json; /* the entry, while its result is looked for */
  char *call_id;
};

static void
on_gone (void *data)
{
  ((struct wait *) data)->x = NULL;
}

static struct wait *
wait_new (const struct front_env *env, struct http_exchange *x)
{
  struct wait *wait = xcalloc (1, sizeof *wait);

  wait->x = x;
  wait->env = env;
  http_set_data (x, wait);
  http_on_gone (x, on_gone);
  return wait;
}

/* The exchange, which can be answered, or NULL; what waited is gone. */
static struct http_exchange *
wait_end (struct wait *wait)
{
  struct http_exchange *x = wait->x;

  if (x != NULL)
    http_on_gone (x, NULL);
  buf_free (&wait->json);
  free (wait->call_id);
  free (wait);
  return x;
}

static void
reply_unavailable (struct http_exchange *x)
{
  static const char body[] =
    "{\"error\":{\"code\":\"tool_unavailable\",\"message\":\"The record of "
    "approvals can't be read or written now; try again in a moment\"}}";

  http_reply (x, 503, "application/json", "Retry-After: 1\r\n", body, sizeof body - 1);
}

static void
reply_unknown (struct http_exchange *x)
{
  http_reply_error (x, 404, "approval_not_found",
                    "There is no approval of this id that you may see");
}

/* False: answered. */
static bool
has_book (const struct front_env *env, struct http_exchange *x)
{
  if (env->approvals == NULL)
    http_reply_error (x, 404, "not_found", "This daemon asks nobody for approval");
  return env->approvals != NULL;
}

/* ---- who may see what ---- */

static const struct front_peer *
peer_of (const struct http_exchange *x)
{
  return http_request (x)->peer;
}

/* NULL: any tenant's. */
static const char *
tenant_of (const struct http_exchange *x)
{
  const struct front_peer *peer = peer_of (x);

  if ((peer->roles & ROLE_MANAGE) != 0)
    return NULL;
  return peer->tenant != NULL ? peer->tenant : TENANT_DEFAULT;
}

static bool
may_see (const struct http_exchange *x, const struct approval_facts *facts)
{
  const struct front_peer *peer = peer_of (x);

  return (peer->roles & ROLE_APPROVE) != 0
         || (facts->principal != NULL && strcmp (facts->principal, peer->principal) == 0);
}

/* ---- GET /v1/approvals ---- */

static void
on_listed (void *ctx, enum store_status status, const struct approval_facts *facts, size_t count,
           bool more)
{
  struct http_exchange *x = wait_end (ctx);
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  if (x == NULL)
    return;
  if (status != STORE_OK)
    return reply_unavailable (x);
  jsonw_object (&w);
  jsonw_name (&w, "approvals");
  jsonw_array (&w);
  for (size_t i = 0; i < count; i++)
    approval_put (&w, &facts[i]);
  jsonw_end (&w);
  if (more && count != 0) {
    jsonw_name (&w, "next");
    jsonw_stringf (&w, "%lld", (long long) facts[count - 1].number);
  }
  jsonw_end (&w);
  http_reply_json (x, 200, NULL, &out);
}

/* A number that its description has judged; `otherwise`: none is given. */
static int64_t
read_number (struct slice text, int64_t otherwise)
{
  int64_t number = 0;

  if (text.data == NULL)
    return otherwise;
  for (size_t i = 0; i < text.len && number < INT64_MAX / 20; i++)
    number = number * 10 + (text.data[i] - '0');
  return number;
}

void
rest_approvals_list (const struct front_env *env, struct http_exchange *x)
{
  const struct slice state = http_query (x, "state"), tenant = http_query (x, "tenant");
  struct approvals_query query = { .tenant = tenant_of (x), .state = -1 };
  enum approval_state named;

  if (!has_book (env, x))
    return;
  if (state.data != NULL && approval_state_find (state.data, state.len, &named))
    query.state = (int) named;
  if (query.tenant == NULL && tenant.data != NULL)
    query.tenant = arena_strndup (http_request (x)->arena, tenant.data, tenant.len);
  if ((peer_of (x)->roles & ROLE_APPROVE) == 0)
    query.principal = peer_of (x)->principal;
  query.before = read_number (http_query (x, "cursor"), 0);
  query.limit = (size_t) read_number (http_query (x, "limit"), LIMIT);
  if (query.limit > LIMIT_MAX)
    query.limit = LIMIT_MAX;
  approvals_list (env->approvals, &query, on_listed, wait_new (env, x));
}

/* ---- GET /v1/approvals/{id} ---- */

static void
on_known (void *ctx, enum store_status status, const struct call_known *known)
{
  struct wait *wait = ctx;
  CLEANUP_BUF struct buf out = { 0 }, result = { 0 };
  struct json_writer w = { .out = &out };
  struct http_exchange *x;

  jsonw_object (&w);
  jsonw_name_raw (&w, "approval", wait->json.data, wait->json.len);
  if (status == STORE_OK && known->result != NULL) {
    encode_result (&result, wait->call_id, known->result);
    jsonw_name_raw (&w, "result", result.data, result.len);
  }
  jsonw_end (&w);
  x = wait_end (wait);
  if (x != NULL && (status == STORE_OK || status == STORE_NOT_FOUND))
    http_reply_json (x, 200, NULL, &out);
  else if (x != NULL)
    reply_unavailable (x);
}

static void
on_got (void *ctx, enum store_status status, const struct approval_facts *facts)
{
  struct wait *wait = ctx;
  struct http_exchange *x = wait->x;

  if (x != NULL && status == STORE_OK && may_see (x, facts)) {
    struct json_writer w = { .out = &wait->json };

    approval_put (&w, facts);
    wait->call_id = xstrdup (facts->call_id);
    if (facts->state == APPROVAL_APPROVED
        && calls_look_key (wait->env->calls, facts->tenant, facts->key, on_known, wait))
      return;
    return on_known (wait, STORE_NOT_FOUND, NULL);
  }
  (void) wait_end (wait);
  if (x != NULL && status != STORE_OK && status != STORE_NOT_FOUND)
    reply_unavailable (x);
  else if (x != NULL)
    reply_unknown (x);
}

/* NULL: it can't be one, and that was answered. */
static const char *
read_id (struct http_exchange *x, struct slice id)
{
  if (memchr (id.data, '\0', id.len) == NULL)
    return arena_strndup (http_request (x)->arena, id.data, id.len);
  reply_unknown (x);
  return NULL;
}

void
rest_approval_get (const struct front_env *env, struct http_exchange *x, struct slice segment)
{
  const char *id = has_book (env, x) ? read_id (x, segment) : NULL;

  if (id != NULL)
    approvals_get (env->approvals, tenant_of (x), id, on_got, wait_new (env, x));
}

/* ---- POST /v1/approvals/{id} ---- */

static void
reply_taken (struct http_exchange *x, const struct approval_facts *facts)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  jsonw_object (&w);
  jsonw_name (&w, "approval");
  approval_put (&w, facts);
  jsonw_end (&w);
  http_reply_json (x, 200, NULL, &out);
}

static void
on_decided (void *ctx, enum decision_verdict verdict, const struct approval_facts *facts)
{
  struct http_exchange *x = wait_end (ctx);

  if (x == NULL)
    return;
  switch (verdict) {
  case DECISION_TAKEN:
    return reply_taken (x, facts);
  case DECISION_UNKNOWN:
    return reply_unknown (x);
  case DECISION_NOT_THEIRS:
    return http_reply_error (x, 403, "forbidden",
                             "Who calls does not approve: that takes the role approve");
  case DECISION_ALREADY:
    return http_reply_error (
      x, 409, "approval_decided", "It was %s already%s%s", approval_state_name (facts->state),
      facts->decided_by != NULL ? ", by " : "", facts->decided_by != NULL ? facts->decided_by : "");
  case DECISION_LATE:
    return http_reply_error (x, 410, "approval_over", "It is %s",
                             approval_state_name (facts->state));
  case DECISION_UNAVAILABLE:
    reply_unavailable (x);
  }
}

struct wish {
  struct approval_decision decision;
  bool decided;
};

static bool
take_decision (struct wish *wish, const struct json_tape *tape, const struct json_node *value,
               struct arena *arena)
{
  (void) arena;
  wish->decided = wish->decision.approve = json_equals (tape, value, "approve");
  wish->decided |= json_equals (tape, value, "reject");
  return wish->decided;
}

static bool
take_text (struct wish *wish, const struct json_tape *tape, const struct json_node *value,
           struct arena *arena)
{
  wish->decision.text = json_cstring (tape, value, arena);
  return wish->decision.text != NULL && strlen (wish->decision.text) <= APPROVAL_TEXT_MAX;
}

static bool
take_remember (struct wish *wish, const struct json_tape *tape, const struct json_node *value,
               struct arena *arena)
{
  (void) arena;
  wish->decision.remember = json_equals (tape, value, "tool")        ? REMEMBER_TOOL
                            : json_equals (tape, value, "arguments") ? REMEMBER_ARGUMENTS
                                                                     : REMEMBER_NOT;
  return wish->decision.remember != REMEMBER_NOT;
}

static const struct {
  const char *name, *expected;
  bool (*take) (struct wish *, const struct json_tape *, const struct json_node *, struct arena *);
} members[] = {
  { "decision", "\"approve\" or \"reject\"", take_decision },
  { "text", "a text of at most 2000 bytes", take_text },
  { "remember", "\"tool\" or \"arguments\"", take_remember },
};
enum { MEMBERS = sizeof members / sizeof *members };

/* False: refused. */
static bool
take_member (struct wish *wish, struct http_exchange *x, const struct json_tape *tape,
             const struct json_node *name)
{
  struct arena *arena = http_request (x)->arena;

  for (size_t i = 0; i < MEMBERS; i++) {
    if (!json_equals (tape, name, members[i].name))
      continue;
    if (members[i].take (wish, tape, json_next (name), arena))
      return true;
    http_reply_error (x, 400, "bad_request", "/%s: expected %s", members[i].name,
                      members[i].expected);
    return false;
  }
  http_reply_error (x, 400, "bad_request",
                    "/%.*s: there is no such member; expected decision, text and remember",
                    (int) (name->len < 64 ? name->len : 64), tape->text + name->start);
  return false;
}

static bool
read_wish (struct http_exchange *x, struct wish *wish)
{
  const struct http_request *request = http_request (x);
  const struct json_node *root;
  struct json_tape tape;

  if (!media_is_json (http_header (x, "content-type"))) {
    http_reply_error (x, 415, "unsupported_media_type", "Content-Type must be application/json");
    return false;
  }
  if (!json_read (&tape, request->body.data, request->body.len, &json_default_limits,
                  request->arena)) {
    http_reply_error (x, 400, "bad_json", "byte %zu: %s", tape.offset, tape.problem);
    return false;
  }
  root = json_root (&tape);
  for (const struct json_node *n = json_is (root, JSON_OBJECT) ? json_first (root)
                                                               : json_end (root);
       n != json_end (root); n = json_next (json_next (n)))
    if (!take_member (wish, x, &tape, n))
      return false;
  if (wish->decided && (wish->decision.approve || wish->decision.remember == REMEMBER_NOT))
    return true;
  http_reply_error (x, 400, "bad_request", "%s",
                    wish->decided ? "/remember: only an approval can be remembered"
                                  : "/decision: expected \"approve\" or \"reject\"");
  return false;
}

void
rest_approval_post (const struct front_env *env, struct http_exchange *x, struct slice segment)
{
  const struct front_peer *peer = peer_of (x);
  struct wish wish = { .decision = { .tenant = tenant_of (x),
                                     .principal = peer->principal,
                                     .may_approve = (peer->roles & ROLE_APPROVE) != 0 } };

  if (!has_book (env, x))
    return;
  wish.decision.id = read_id (x, segment);
  if (wish.decision.id != NULL && read_wish (x, &wish))
    approvals_decide (env->approvals, &wish.decision, on_decided, wait_new (env, x));
}

/* ---- rules that stand ---- */

static void
put_rule (void *ctx, const struct standing_rule *rule)
{
  struct json_writer *w = ctx;

  jsonw_object (w);
  jsonw_name_string (w, "id", rule->id);
  jsonw_name_string (w, "tenant", rule->tenant);
  if (rule->principal[0] != '\0')
    jsonw_name_string (w, "principal", rule->principal);
  jsonw_name_string (w, "tool", rule->tool);
  if (rule->shown.data != NULL)
    jsonw_name_raw (w, "arguments", rule->shown.data, rule->shown.len);
  jsonw_name_string (w, "made_by", rule->made_by);
  jsonw_name_string (w, "approval", rule->approval);
  approval_put_time (w, "created", rule->created_ms);
  jsonw_end (w);
}

void
rest_approval_rules_list (const struct front_env *env, struct http_exchange *x)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  if (!has_book (env, x))
    return;
  jsonw_object (&w);
  jsonw_name (&w, "rules");
  jsonw_array (&w);
  approvals_see_rules (env->approvals, tenant_of (x), put_rule, &w);
  jsonw_end (&w);
  jsonw_end (&w);
  http_reply_json (x, 200, NULL, &out);
}

static void
on_dropped (void *ctx, enum store_status status)
{
  struct http_exchange *x = wait_end (ctx);

  if (x == NULL)
    return;
  if (status == STORE_OK)
    http_reply (x, 204, NULL, NULL, NULL, 0);
  else if (status == STORE_NOT_FOUND)
    http_reply_error (x, 404, "rule_not_found", "There is no rule of this id that is yours");
  else
    reply_unavailable (x);
}

void
rest_approval_rule_delete (const struct front_env *env, struct http_exchange *x,
                           struct slice segment)
{
  const char *id;

  if (!has_book (env, x) || (id = read_id (x, segment)) == NULL)
    return;
  approvals_drop_rule (env->approvals, tenant_of (x), id, on_dropped, wait_new (env, x));
}
