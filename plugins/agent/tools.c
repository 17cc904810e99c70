/* The tools that a model calls, run through the host for whoever the agent works for. */
#include <stdlib.h>
#include <string.h>

#include "run.h"

/* ---- which there are -------------------------------------------------------------------- */

bool
run_find_tools (struct run *run)
{
  const char *json;
  size_t len;
  toolhost_status status;

  if (run->agent->tools.count == 0)
    return true;
  status = toolhost_tools (run->call, (const char *const *) run->agent->tools.list, &json, &len);
  if (status == TOOLHOST_CANCELLED) {
    run->status = status;
    return false;
  }
  run->tools = status == TOOLHOST_OK ? value_parse (&run->pool, json, len) : NULL;
  if (!value_is (run->tools, VALUE_ARRAY))
    return run_fail (run, "failed", "its tools can't be listed");
  return true;
}

static bool
is_like (const char *pattern, const char *name)
{
  if (*pattern == '*')
    return is_like (pattern + 1, name) || (*name != '\0' && is_like (pattern, name + 1));
  return *pattern == *name && (*name == '\0' || is_like (pattern + 1, name + 1));
}

static bool
is_known (const struct run *run, const char *name)
{
  size_t len;

  for (size_t i = 0; run->tools != NULL && i < run->tools->count; i++) {
    const char *shown = text_of (run->tools->items[i], "name", &len);
    if (strcmp (shown, name) == 0)
      return true;
  }
  for (size_t i = 0; i < run->agent->more.count; i++)
    if (is_like (run->agent->more.list[i], name))
      return true;
  return false;
}

/* ---- what came of one ------------------------------------------------------------------- */

static void
set (struct run *run, size_t i, bool is_error)
{
  run->outcomes[i].call = &run->turn.calls[i];
  run->outcomes[i].is_error = is_error;
  run->done[i] = true;
}

/* The literal texts of U3-5; why goes along only where the operator wants it. */
static void
fail (struct run *run, size_t i, const char *text, const struct value *result)
{
  struct text *out = &run->outcomes[i].text;
  size_t len;
  const char *why = text_of (result, "message", &len);

  text_add (out, text);
  if (run->agent->detailed && len != 0) {
    text_add (out, " Exception: ");
    text_add_len (out, why, len);
  }
  set (run, i, true);
}

/* Its texts, one under the other; without any what is structured. */
static void
put_result (struct text *out, const struct value *result)
{
  const struct value *content = value_get_z (result, "content");
  const struct value *structured = value_get_z (result, "structured");
  size_t len;

  for (size_t i = 0; value_is (content, VALUE_ARRAY) && i < content->count; i++) {
    const char *text = text_of (content->items[i], "text", &len);
    if (len == 0)
      continue;
    if (out->len != 0)
      text_add (out, "\n");
    text_add_len (out, text, len);
  }
  if (out->len == 0 && structured != NULL)
    value_write (out, structured);
}

static bool
has_code (const struct value *result, const char *code)
{
  size_t len;
  const char *text = text_of (result, "code", &len);

  return strcmp (text, code) == 0;
}

static void
take_error (struct run *run, size_t i, toolhost_status status, const struct value *result)
{
  CLEANUP_TEXT struct text unknown = { 0 };

  if (status == TOOLHOST_NOT_FOUND || status == TOOLHOST_NOT_GRANTED) {
    text_addf (&unknown, "Error: Requested function \"%s\" not found.",
               text_get (&run->turn.calls[i].name));
    fail (run, i, text_get (&unknown), NULL);
  }
  else if (has_code (result, "approval_rejected"))
    fail (run, i, "Error: Tool call invocation was rejected by user.", result);
  else if (status == TOOLHOST_BAD_VALUE)
    fail (run, i, "Error: Argument parsing failed.", result);
  else
    fail (run, i, "Error: Function failed.", result);
}

/* ---- what it asks ----------------------------------------------------------------------- */

/* Remember its questions: { its key: { "kind", "params", "as": this call's key } }. */
static void
take_asks (struct run *run, size_t i, const struct value *asks)
{
  const struct value *known = run->asks[i] != NULL ? run->asks[i] : &value_no_members;

  for (size_t k = 0; value_is (asks, VALUE_OBJECT) && k < asks->count; k++) {
    const struct value_member *m = &asks->members[k];
    char as[64];
    if (value_get (known, m->name, m->len) != NULL)
      continue;
    (void) snprintf (as, sizeof as, "t%lld.%zu.%zu", (long long) run->iterations, i, known->count);
    known =
      value_with (&run->pool, known, m->name, m->len,
                  value_with (&run->pool, m->value, "as", 2, value_string_z (&run->pool, as)));
  }
  run->asks[i] = known;
}

static const char *
action_of (int32_t answer)
{
  return answer == TOOLHOST_ANSWERED   ? "accept"
         : answer == TOOLHOST_DECLINED ? "decline"
                                       : "cancel";
}

/* As MCP has the answer to a question of this kind. */
static void
write_answer (struct text *out, const char *kind, int32_t answer, const char *json, size_t len)
{
  CLEANUP_TEXT struct text value = { 0 };

  text_add_len (&value, json != NULL ? json : "{}", json != NULL ? len : 2);
  if (strcmp (kind, "form") != 0 && strcmp (kind, "url") != 0) {
    json_raw (out, text_get (&value));
    return;
  }
  json_open (out, '{');
  json_name_string (out, "action", action_of (answer));
  if (answer == TOOLHOST_ANSWERED && strcmp (kind, "form") == 0) {
    json_name (out, "content");
    json_raw (out, text_get (&value));
  }
  json_close (out, '}');
}

/* Ask what a tool asks, in this call's name; its answers so far.  False: some are still open. */
static bool
ask_for (struct run *run, size_t i, struct text *answers, bool *nobody)
{
  const struct value *asks = run->asks[i];
  bool all = true;

  json_open (answers, '{');
  for (size_t k = 0; asks != NULL && k < asks->count; k++) {
    CLEANUP_TEXT struct text params = { 0 };
    const struct value *ask = asks->members[k].value;
    const char *kind = value_cstring (value_get_z (ask, "kind")), *json;
    const char *as = value_cstring (value_get_z (ask, "as"));
    size_t len;
    int32_t answer;
    value_write (&params, value_get_z (ask, "params"));
    if (kind == NULL || as == NULL || !text_ok (&params))
      continue;
    answer = toolhost_ask (run->call, as, kind, text_get (&params), &json, &len);
    all = all && answer != TOOLHOST_OPEN;
    *nobody = *nobody || answer == TOOLHOST_UNASKABLE;
    if (answer == TOOLHOST_OPEN || answer == TOOLHOST_UNASKABLE)
      continue;
    json_name (answers, asks->members[k].name);
    write_answer (answers, kind, answer, json, len);
  }
  json_close (answers, '}');
  return all;
}

/* ---- all of them ------------------------------------------------------------------------ */

static void
take_result (struct run *run, size_t i, const toolhost_invocation *inv)
{
  const struct value *result = value_parse (&run->pool, inv->result, inv->result_len);

  if (inv->status == TOOLHOST_OK) {
    put_result (&run->outcomes[i].text, result);
    set (run, i, false);
  }
  else if (inv->status == TOOLHOST_ASKED)
    take_asks (run, i, value_get_z (result, "asks"));
  else
    take_error (run, i, inv->status, result);
}

/* Those from `which`, at most as many as the host takes at once. */
static bool
invoke (struct run *run, const size_t *which, size_t count)
{
  toolhost_invocation all[TOOLHOST_INVOKES_MAX], *list[TOOLHOST_INVOKES_MAX];
  struct text answers[TOOLHOST_INVOKES_MAX] = { { .data = NULL } };
  toolhost_status status;

  for (size_t k = 0; k < count; k++) {
    const struct turn_call *call = &run->turn.calls[which[k]];
    bool nobody = false;
    if (run->asks[which[k]] != NULL)
      (void) ask_for (run, which[k], &answers[k], &nobody);
    list[k] = &all[k];
    all[k] =
      (toolhost_invocation){ TOOLHOST_INVOCATION, .tool = text_get (&call->name),
                             .args = text_get (&call->args), .args_len = call->args.len,
                             .answers = answers[k].len != 0 ? text_get (&answers[k]) : NULL };
  }
  status = toolhost_invoke_all (run->call, list, count);
  for (size_t k = 0; k < count; k++) {
    text_free (&answers[k]);
    if (status == TOOLHOST_OK)
      take_result (run, which[k], list[k]);
    else if (status != TOOLHOST_CANCELLED)
      fail (run, which[k], "Error: Function failed.", NULL);
  }
  if (status == TOOLHOST_CANCELLED)
    run->status = status;
  return status != TOOLHOST_CANCELLED;
}

static bool
refuse_unknown (struct run *run, size_t i)
{
  const char *name = text_get (&run->turn.calls[i].name);
  CLEANUP_TEXT struct text why = { 0 };

  if (is_known (run, name))
    return true;
  if (run->agent->stops_at_unknown) {
    text_addf (&why, "Error: Requested function \"%s\" not found.", name);
    return run_fail (run, "was stopped", text_get (&why));
  }
  take_error (run, i, TOOLHOST_NOT_FOUND, NULL);
  return true;
}

static bool
invoke_all (struct run *run)
{
  size_t which[TOOLHOST_INVOKES_MAX], count = 0;

  for (size_t i = 0; i < run->turn.count; i++) {
    if (!run->done[i] && !refuse_unknown (run, i))
      return false;
    if (!run->done[i])
      which[count++] = i;
    if (count == TOOLHOST_INVOKES_MAX || (count != 0 && i + 1 == run->turn.count)) {
      if (!invoke (run, which, count))
        return false;
      count = 0;
    }
  }
  return true;
}

/* Ask for those that asked; whom nobody can be asked for has failed. */
static bool
must_wait (struct run *run)
{
  bool waits = false;

  for (size_t i = 0; i < run->turn.count; i++) {
    CLEANUP_TEXT struct text answers = { 0 };
    bool nobody = false;
    if (run->done[i])
      continue;
    if (!ask_for (run, i, &answers, &nobody))
      waits = true;
    if (nobody)
      fail (run, i, "Error: Function failed.", NULL);
  }
  return waits;
}

/* U3-9: errors count in a row, batch by batch. */
static void
settle (struct run *run)
{
  bool any = false;

  for (size_t i = 0; i < run->turn.count; i++)
    any = any || run->outcomes[i].is_error;
  run->errors = any ? run->errors + 1 : 0;
  run->calls += (int64_t) run->turn.count;
  run->items = run->agent->protocol->said (&run->pool, run->items, &run->turn);
  run->items = run->agent->protocol->told (&run->pool, run->items, run->outcomes, run->turn.count);
}

bool
run_tools (struct run *run)
{
  if (!invoke_all (run))
    return false;
  if (must_wait (run)) {
    if (!run_keep (run))
      return run_fail (run, "asks", "what it has done is too much to be kept until the answer");
    run->status = TOOLHOST_ASKED;
    return false;
  }
  settle (run);
  return true;
}
