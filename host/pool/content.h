/* content.h - is what a worker calls a result one?  Pure; for receive.c. */
#ifndef TOOLHOST_POOL_CONTENT_H
#define TOOLHOST_POOL_CONTENT_H

#include <stdbool.h>

#include "base/frame.h"
#include "base/json_tape.h"

/* An array of content blocks, contents or messages (frame.h); of a completion there is none. */
bool content_fits (enum frame_content kind, const struct json_tape *tape);
/* { "values": [at most FRAME_VALUES_MAX strings], "total", "hasMore" } */
bool content_are_values (const struct json_tape *tape);

#endif
