/* A definition whose inputSchema is none. */
#include "hostile.h"

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  (void) call;
  return TOOLHOST_OK;
}

HOSTILE ("bad_schema", TOOLHOST_PARALLEL, "Has a schema with an unknown type.",
         "\"properties\":{\"x\":{\"type\":\"objekt\"}}")
