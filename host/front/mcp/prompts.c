#include "front/mcp/prompts.h"

#include "front/encode.h"
#include "front/mcp/calls.h"
#include "front/mcp/offers.h"
#include "front/mcp/reply.h"

void
mcp_prompts_list (struct mcp_request *r, const struct mcp_message *m)
{
  mcp_offers_list (r, m, OFFER_PROMPT, "prompts");
}

/* ---- prompts/get ---- */

static void
answer_prompt (struct mcp_request *r, const struct result *result)
{
  struct json_writer w = { .out = NULL };

  if (result->error != CALL_OK)
    return mcp_refuse_result (r, result);
  w.out = mcp_scratch (r->core);
  mcp_begin_result (&w, r);
  jsonw_name_string (&w, "description", result->tool->description);
  encode_name_raw (&w, "messages", result->content, result->content_len);
  mcp_put_call_meta (&w, r, result);
  mcp_end (&w);
  mcp_answer (r, 200);
}

void
mcp_prompts_get (struct mcp_request *r, const struct mcp_message *m)
{
  struct slice name = mcp_text (m, m->name);
  const struct json_node *args = m->arguments;

  if (name.data == NULL)
    return mcp_refuse_params (r, "name: expected a string, the prompt's name");
  if (args != NULL && !json_is (args, JSON_OBJECT))
    return mcp_refuse_params (r, "arguments: expected an object of strings");
  mcp_call (r, m,
            &(struct call_request){ .kind = CALL_PROMPT,
                                    .name = name.data,
                                    .name_len = name.len,
                                    .tape = args != NULL ? &m->tape : NULL,
                                    .args_node = args },
            answer_prompt);
}

/* ---- completion/complete ---- */

static void
answer_completion (struct mcp_request *r, const struct result *result)
{
  struct json_writer w = { .out = NULL };

  if (result->error != CALL_OK)
    return mcp_refuse_result (r, result);
  w.out = mcp_scratch (r->core);
  mcp_begin_result (&w, r);
  encode_name_raw (&w, "completion", result->structured, result->structured_len);
  mcp_put_call_meta (&w, r, result);
  mcp_end (&w);
  mcp_answer (r, 200);
}

static struct slice
text_of (const struct mcp_message *m, const struct json_node *object, const char *member)
{
  struct slice text = { NULL, 0 };

  text.data = json_string (&m->tape, json_member (&m->tape, object, member), m->arena, &text.len);
  return text;
}

/* Of what an argument is completed.  False: it is nothing that can be. */
static bool
read_reference (const struct mcp_message *m, struct call_request *request)
{
  const struct json_node *ref = json_member (&m->tape, m->params, "ref");
  const struct json_node *type = json_member (&m->tape, ref, "type");
  bool prompt = json_equals (&m->tape, type, "ref/prompt");
  struct slice name = text_of (m, ref, prompt ? "name" : "uri");

  request->kind = prompt ? CALL_COMPLETE_PROMPT : CALL_COMPLETE_RESOURCE;
  request->name = name.data;
  request->name_len = name.len;
  return name.data != NULL && (prompt || json_equals (&m->tape, type, "ref/resource"));
}

static bool
read_argument (const struct mcp_message *m, struct call_request *request)
{
  const struct json_node *argument = json_member (&m->tape, m->params, "argument");
  struct slice name = text_of (m, argument, "name"), value = text_of (m, argument, "value");

  request->argument = name.data;
  request->argument_len = name.len;
  request->partial = value.data;
  request->partial_len = value.len;
  return name.data != NULL && value.data != NULL;
}

void
mcp_complete (struct mcp_request *r, const struct mcp_message *m)
{
  const struct json_node *context = json_member (&m->tape, m->params, "context");
  const struct json_node *args = json_member (&m->tape, context, "arguments");
  struct call_request request = { .tape = args != NULL ? &m->tape : NULL, .args_node = args };

  if (!read_reference (m, &request))
    return mcp_refuse_params (r, "ref: expected { \"type\": \"ref/prompt\", \"name\" } or "
                                 "{ \"type\": \"ref/resource\", \"uri\" }");
  if (!read_argument (m, &request))
    return mcp_refuse_params (r, "argument: expected { \"name\", \"value\" }, both strings");
  if (args != NULL && !json_is (args, JSON_OBJECT))
    return mcp_refuse_params (r, "context.arguments: expected an object of strings");
  mcp_call (r, m, &request, answer_completion);
}
