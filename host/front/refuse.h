/* refuse.h - a refusal that says where in the body: { "error": { "code", "message", "path" } }. */
#ifndef TOOLHOST_FRONT_REFUSE_H
#define TOOLHOST_FRONT_REFUSE_H

#include "base/error.h"
#include "front/http/http.h"

/* `err` is "POINTER: sentence"; the pointer is "" for the whole body. */
void front_refuse_at (struct http_exchange *x, int status, const char *code,
                      const struct error *err);

#endif
