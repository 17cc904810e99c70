/* reply.h - refusals as answers, for conn.c and accept.c; handlers use http.h. */
#ifndef TOOLHOST_FRONT_HTTP_REPLY_H
#define TOOLHOST_FRONT_HTTP_REPLY_H

#include <stdbool.h>

#include "base/buf.h"
#include "front/http/parse.h"

/* The whole answer, "Connection: close" included.  `head`: to a HEAD request. */
void reply_put_refusal (struct buf *out, enum http_refused why, bool head);

#endif
