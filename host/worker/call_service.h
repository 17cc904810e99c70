/* call_service.h - toolhost_call_service, on the call's side: what a tool asks of the telephone
 * call that its session is. */
#ifndef TOOLHOST_WORKER_CALL_SERVICE_H
#define TOOLHOST_WORKER_CALL_SERVICE_H

#include <toolhost.h>

/* What host_extension hands out where the operator has granted it. */
extern const toolhost_call_service call_service;

#endif
