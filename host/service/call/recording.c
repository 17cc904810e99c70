#include "service/call/service.h"

static void
take (void *ctx, struct phone_order *order)
{
  (void) ctx;
  phone_order_end (order, NULL);
}

static const struct phone_way recording = {
  .name = "recording", .refer = take, .hangup = take, .dtmf = take, .say = take
};

struct call_service *
call_service_recording (const char *call_id)
{
  return call_service_new (&recording, NULL, call_id);
}
