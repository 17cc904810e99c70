/* openai.h - telephone calls of OpenAI's Realtime service, over its REST API: a call is accepted or
 * rejected, transferred, hung up.  Requests go through the broker (service/http), under a grant of
 * the daemon's own for the service's address.  Loop thread only.
 *
 *   POST {url}/calls/{call_id}/accept    a session's configuration
 *   POST {url}/calls/{call_id}/reject    { "status_code" }
 *   POST {url}/calls/{call_id}/refer     { "target_uri" }, with Idempotency-Key
 *   POST {url}/calls/{call_id}/hangup */
#ifndef TOOLHOST_SERVICE_CALL_OPENAI_H
#define TOOLHOST_SERVICE_CALL_OPENAI_H

#include "service/call/service.h"
#include "service/http/broker.h"
#include "service/secrets/secrets.h"

struct openai;

enum { OPENAI_CALL_ID_MAX = 256, OPENAI_REJECT_STATUS = 603 };

struct openai_settings {
  struct http_broker *broker;
  const char *url;               /* "https://api.openai.com/v1/realtime" */
  const struct secrets *secrets; /* "key": sent as Bearer */
  bool private_too;              /* the URL may lead to a private address */
  double timeout;                /* seconds of a request */
};

/* NULL: err says what is wrong with the URL, or that there is no key. */
struct openai *openai_new (const struct openai_settings *settings, struct error *err);
/* No request may be open. */
void openai_free (struct openai *openai);

/* Is this what a call may be called?  1 to 256 of A-Z, a-z, 0-9, '_', '-' and '.'; not "." or "..".
 * No request is made for another one (T0-19). */
bool openai_call_id_ok (const char *call_id);

/* A request that is made; its owner's, stays where it is until `ended` or openai_drop. */
struct openai_request {
  /* `why` NULL: it was done; else a sentence.  `status` is HTTP's, 0: there was no answer. */
  void (*ended) (struct openai_request *request, int status, const char *why);
  /* the service's */
  struct http_fetch *fetch; /* NULL: nothing is made */
  int status;
  char *call_id;
};
void openai_drop (struct openai_request *request);

/* `session` is JSON.  `ended` with 404: the caller has hung up meanwhile, there is no call (U0-8).
 */
void openai_accept (struct openai *openai, const char *call_id, const char *session, size_t len,
                    struct openai_request *request);
/* A status of SIP: 486 busy, 603 declined. */
void openai_reject (struct openai *openai, const char *call_id, int status,
                    struct openai_request *request);
/* A number in E.164 is sent as "tel:+…" (A0-11); `key` may be NULL. */
void openai_refer (struct openai *openai, const char *call_id, const char *target_uri,
                   const char *key, struct openai_request *request);
void openai_hangup (struct openai *openai, const char *call_id, struct openai_request *request);

/* Who has the model of a call say something; false: the call is not attached. */
struct openai_voice {
  bool (*say) (void *ctx, const char *call_id, const char *text, size_t len);
  void *ctx;
};

/* A call as a call service: transferred and hung up here; said by the voice.  Tones can't be sent.
 */
struct call_service *call_service_openai (struct openai *openai, struct openai_voice voice,
                                          const char *call_id);

#endif
