/* trace_config.h - what of the configuration is about traces, from the file and from
 * OpenTelemetry's environment variables: the file says what counts, the variables what it leaves
 * open.  Main thread only. */
#ifndef TOOLHOST_DAEMON_TRACE_CONFIG_H
#define TOOLHOST_DAEMON_TRACE_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "service/http/rules.h"
#include "service/secrets/secrets.h"

struct config_trace {
  char *endpoint;     /* URL that spans are posted to; NULL: nothing is traced */
  char *headers;      /* JSON object of texts, "Bearer ${key}"; NULL: none */
  char *attributes;   /* JSON object of texts, of the resource; NULL: none */
  char *service_name; /* NULL: "toolhost" */
  struct secrets secrets;
  double ratio;
  bool parent_based, content, disabled; /* disabled: whatever the file says */
  int64_t queue_max, batch, delay_ms, timeout_ms;
  struct buf ignored;        /* names of variables that say what can't be done, for the log */
  struct http_grants grants; /* of the endpoint, with its headers: see trace_config_make */
};

/* The defaults, and what the environment says. */
void trace_config_init (struct config_trace *trace);
void trace_config_free (struct config_trace *trace);
/* Is anything traced? */
bool trace_config_on (const struct config_trace *trace);
/* Make the grants.  False: err begins with a JSON pointer to what is wrong. */
bool trace_config_make (struct config_trace *trace, struct error *err);

#endif
