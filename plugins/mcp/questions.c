/* A server that speaks 2026-07-28 asks by answering "input_required": its questions go to whoever
 * called us (toolhost_ask), and with the answers the call is made again.  What it asked, and the
 * state it wants back, is kept between the rounds. */
#include <stdlib.h>
#include <string.h>

#include "tool.h"

enum { QUESTIONS_MAX = 16, ROUNDS_MAX = 20, KEPT_MAX = 8192 };

bool
questions_are_asked (const struct value *result)
{
  const char *kind = value_cstring (value_get_z (result, "resultType"));

  return kind != NULL && strcmp (kind, "input_required") == 0;
}

/* What a method of theirs is as a question of ours; NULL: nothing. */
static const char *
kind_of (const struct value *request)
{
  const char *method = value_cstring (value_get_z (request, "method"));
  const char *mode = value_cstring (value_get_z (value_get_z (request, "params"), "mode"));

  if (method == NULL)
    return NULL;
  if (strcmp (method, "elicitation/create") == 0)
    return mode != NULL && strcmp (mode, "url") == 0 ? "url" : "form";
  if (strcmp (method, "sampling/createMessage") == 0)
    return "sampling";
  return strcmp (method, "roots/list") == 0 ? "roots" : NULL;
}

static void
key_of (char room[48], int64_t round, size_t number)
{
  (void) snprintf (room, 48, "up%lld.%zu", (long long) round, number);
}

/* ---- asking ---- */

static int32_t
ask_one (toolhost_call *call, const struct value *request, const char *key, const char **answer,
         size_t *len)
{
  const struct value *params = value_get_z (request, "params");
  CLEANUP_TEXT struct text text = { 0 };

  if (value_is (params, VALUE_OBJECT))
    value_write (&text, params);
  else
    text_add (&text, "{}");
  return toolhost_ask (call, key, kind_of (request), text_get (&text), answer, len);
}

static int64_t
last_round (const struct value *kept)
{
  return (int64_t) value_number (value_get_z (kept, "round"));
}

static const struct value *
read_kept (toolhost_call *call, struct values *pool)
{
  size_t len;
  const void *kept = toolhost_kept (call, &len);

  return kept != NULL ? value_parse (pool, kept, len) : NULL;
}

toolhost_status
questions_ask (toolhost_call *call, const struct value *result)
{
  CLEANUP_VALUES struct values pool = { 0 };
  CLEANUP_TEXT struct text keep = { 0 };
  const struct value *requests = value_get_z (result, "inputRequests");
  const struct value *state = value_get_z (result, "requestState");
  int64_t round = last_round (read_kept (call, &pool)) + 1;
  char key[48];

  if (requests == NULL)
    requests = &value_no_members;
  if (!value_is (requests, VALUE_OBJECT) || requests->count > QUESTIONS_MAX || round > ROUNDS_MAX)
    return toolhost_fail (call, "upstream_protocol", "The server asks too much.");
  json_open (&keep, '{');
  json_name_int (&keep, "round", round);
  value_write_member (&keep, "requests", requests);
  if (value_is (state, VALUE_STRING))
    value_write_member (&keep, "state", state);
  json_close (&keep, '}');
  if (keep.len > KEPT_MAX || toolhost_keep (call, text_get (&keep), keep.len) != TOOLHOST_OK)
    return toolhost_fail (call, "upstream_protocol", "The server asks more than can be kept.");
  for (size_t i = 0; i < requests->count; i++) {
    if (kind_of (requests->members[i].value) == NULL)
      return toolhost_fail (call, "upstream_protocol", "The server asks what nobody can answer.");
    key_of (key, round, i);
    (void) ask_one (call, requests->members[i].value, key, NULL, NULL);
  }
  return requests->count != 0
           ? TOOLHOST_ASKED
           : toolhost_fail (call, "upstream_protocol", "The server wants an answer to nothing.");
}

/* ---- answering ---- */

static void
put_elicited (struct text *params, int32_t said, const char *answer, size_t len)
{
  static const char *const actions[] = { "decline", "cancel" };

  json_open (params, '{');
  json_name_string (params, "action",
                    said == TOOLHOST_ANSWERED ? "accept" : actions[said != TOOLHOST_DECLINED]);
  if (said == TOOLHOST_ANSWERED && len > 2) {
    json_name (params, "content");
    text_add_len (params, answer, len);
  }
  json_close (params, '}');
}

static bool
put_answer (toolhost_call *call, struct text *params, const struct value_member *member,
            const char *key, toolhost_status *status)
{
  const char *kind = kind_of (member->value), *answer = NULL;
  size_t len = 0;
  int32_t said = ask_one (call, member->value, key, &answer, &len);
  bool elicited = kind[0] == 'f' || kind[0] == 'u';

  if (said == TOOLHOST_OPEN || said == TOOLHOST_UNASKABLE) {
    *status = TOOLHOST_ASKED;
    return false;
  }
  if (!elicited && said != TOOLHOST_ANSWERED) {
    *status =
      toolhost_fail (call, "upstream_unanswered", "What the server asked was not answered.");
    return false;
  }
  json_name (params, member->name);
  if (elicited)
    put_elicited (params, said, answer, len);
  else
    text_add_len (params, answer, len);
  return true;
}

bool
questions_answer (toolhost_call *call, struct text *params, toolhost_status *status)
{
  CLEANUP_VALUES struct values pool = { 0 };
  const struct value *kept = read_kept (call, &pool);
  const struct value *requests = value_get_z (kept, "requests");
  const struct value *state = value_get_z (kept, "state");
  char key[48];

  if (!value_is (requests, VALUE_OBJECT))
    return true;
  text_add (params, ",\"inputResponses\":");
  json_open (params, '{');
  for (size_t i = 0; i < requests->count; i++) {
    key_of (key, last_round (kept), i);
    if (!put_answer (call, params, &requests->members[i], key, status))
      return false;
  }
  json_close (params, '}');
  if (state != NULL)
    value_write_member (params, "requestState", state);
  return true;
}
