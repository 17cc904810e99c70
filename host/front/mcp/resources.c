#include "front/mcp/resources.h"

#include "front/encode.h"
#include "front/mcp/calls.h"
#include "front/mcp/offers.h"
#include "front/mcp/reply.h"
#include "front/mcp/results.h"

enum {
  READ_TTL_MS = 0 /* what stands there may change at any time; who wants to know subscribes */
};

void
mcp_resources_list (struct mcp_request *r, const struct mcp_message *m)
{
  mcp_offers_list (r, m, OFFER_RESOURCE, "resources");
}

void
mcp_templates_list (struct mcp_request *r, const struct mcp_message *m)
{
  mcp_offers_list (r, m, OFFER_TEMPLATE, "resourceTemplates");
}

/* ---- reading ---- */

static void
answer_read (struct mcp_request *r, const struct result *result)
{
  struct json_writer w = { .out = NULL };

  if (result->error != CALL_OK)
    return mcp_refuse_result (r, result);
  w.out = mcp_scratch_for (r->core, result->room);
  mcp_begin_result (&w, r);
  encode_name_raw (&w, "contents", result->content, result->content_len);
  mcp_put_cache_hints (&w, r, READ_TTL_MS);
  mcp_put_call_meta (&w, r, result);
  mcp_end (&w);
  mcp_answer (r, 200);
}

bool
mcp_take_uri (struct mcp_request *r, const struct mcp_message *m, struct slice *uri)
{
  *uri = mcp_param_text (m, "uri");
  if (uri->data != NULL && uri->len != 0 && uri->len <= URI_MAX)
    return true;
  mcp_refuse_params (r, "uri: expected a string of 1 to 2048 bytes");
  return false;
}

void
mcp_resources_read (struct mcp_request *r, const struct mcp_message *m)
{
  struct slice uri;

  if (!mcp_take_uri (r, m, &uri))
    return;
  if (mcp_results_is (uri))
    mcp_results_read (r, uri);
  else
    mcp_call (r, m,
              &(struct call_request){ .kind = CALL_READ, .name = uri.data, .name_len = uri.len },
              answer_read);
}

/* ---- subscribing ---- */

static void
answer_empty (struct mcp_request *r)
{
  mcp_put_empty (mcp_scratch (r->core), r);
  mcp_answer (r, 200);
}

void
mcp_resources_subscribe (struct mcp_request *r, const struct mcp_message *m)
{
  struct slice uri;

  if (!mcp_take_uri (r, m, &uri))
    return;
  if (!mcp_uris_add (&r->peer->uris, uri))
    return mcp_refuse_params (r, "uri: there are subscriptions to 1024 resources already");
  answer_empty (r);
}

void
mcp_resources_unsubscribe (struct mcp_request *r, const struct mcp_message *m)
{
  struct slice uri;

  if (!mcp_take_uri (r, m, &uri))
    return;
  mcp_uris_remove (&r->peer->uris, uri);
  answer_empty (r);
}
