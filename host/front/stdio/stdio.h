/* stdio.h - MCP over standard input and output: one JSON message a line.  Loop thread only. */
#ifndef TOOLHOST_FRONT_STDIO_H
#define TOOLHOST_FRONT_STDIO_H

#include "front/front.h"

struct stdio_front;

/* Serve `in` and `out` (borrowed, made non-blocking).  `ended` is called when the input has ended
 * and every answer that was still due has been written (or could not be). */
struct stdio_front *stdio_front_new (const struct front_env *env, int in, int out,
                                     void (*ended) (void *ctx), void *ctx);
void stdio_front_free (struct stdio_front *front);

#endif
