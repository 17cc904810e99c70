/* http.h - toolhost_http, on the call's side: a request to the daemon, and its answer. */
#ifndef TOOLHOST_WORKER_HTTP_H
#define TOOLHOST_WORKER_HTTP_H

#include <toolhost.h>

struct tool_call;

/* As toolhost_http says. */
toolhost_status http_ask (struct tool_call *call, const toolhost_http_request *request,
                          toolhost_http_response *response);

#endif
