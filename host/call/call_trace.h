/* call_trace.h - the spans of a call (watch/trace.h), as the conventions for generative AI name
 * them:
 *
 *   execute_tool NAME        all of it, under its front's span or its caller's
 *     approval               a person was asked
 *     guard NAME             a check of one
 *     queue                  it waited for a worker
 *     worker                 its tool worked; requests it makes are part of this
 *
 * A call that is not sampled has none, and pays a look at a pointer.  Loop thread only. */
#ifndef TOOLHOST_CALL_CALL_TRACE_H
#define TOOLHOST_CALL_CALL_TRACE_H

#include "call/running.h"
#include "watch/trace.h"

struct json_writer;

/* Begin them, if it is sampled. */
void call_trace_begin (struct call *call, const struct call_request *request);
/* Of a sampled call, write what its tool is told of its caller: the metadata of the request, and in
 * them where it stands in its trace. */
void call_trace_meta (const struct call *call, const struct call_request *request,
                      struct json_writer *w);
/* It waits for a worker from here on, … */
void call_trace_queued (struct call *call);
/* … and has one. */
void call_trace_started (struct call *call);
/* This try of it is over; `why` it failed, or NULL. */
void call_trace_stopped (struct call *call, const char *why);
/* It waits for a person, and does not any more: "approved", or the code of what it was told
 * instead; NULL: nobody has decided. */
void call_trace_asks (struct call *call);
void call_trace_decided (struct call *call, const char *decision);
/* A guard has looked at it. */
void call_trace_guard (const struct call *call, const char *guard, const char *stage,
                       const char *verdict, uint64_t us);
/* It has ended, … */
void call_trace_end (struct call *call, const struct result *result);
/* … and its caller is told now: so did one that has waited for what came of another. */
void call_trace_told (struct call *call, const struct result *result);
/* It is given back: nobody has said how it ended. */
void call_trace_drop (struct call *call);
/* What never became a call. */
void call_trace_refused (struct calls *calls, const struct call_request *request,
                         const struct result *result);
/* Its trace's id in hex, in `room`; NULL: it is not sampled. */
const char *call_trace_id (const struct call *call, char room[2 * TRACE_ID + 1]);

#endif
