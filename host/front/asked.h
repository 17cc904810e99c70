/* asked.h - which tools a request over HTTP is about, by the parameters of its URL:
 * tools=calc*,echo, tags=math, plugins=files; and disclosure=search, with which a model looks for
 * tools instead of being shown all.  Loop thread only. */
#ifndef TOOLHOST_FRONT_ASKED_H
#define TOOLHOST_FRONT_ASKED_H

#include "front/front.h"
#include "front/http/http.h"

/* What is not asked for is as `env` has it; what is lives in the exchange's arena.  False:
 * disclosure is something else than "all" or "search". */
bool asked_read (const struct front_env *env, const struct http_exchange *x, struct asked *asked);

#endif
