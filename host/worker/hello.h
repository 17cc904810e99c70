/* hello.h - what the daemon asks of a worker in its first frame.  Read once, by pid 1; everything
 * lives in the arena given, until the process ends. */
#ifndef TOOLHOST_WORKER_HELLO_H
#define TOOLHOST_WORKER_HELLO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "worker/sandbox.h"

struct hello_program {
  const char *const *command; /* NULL-terminated, an absolute path first */
  const char *const *env;     /* NAME=VALUE, likewise */
};

struct hello {
  const char *build;
  const char *plugin; /* its name: 1 to 64 of A-Za-z0-9_- */
  const char *config; /* JSON text for the plugin's open */
  size_t config_len;
  const char *feature;        /* whose builder's tools are served; NULL: the plugin's own */
  const char *feature_config; /* JSON text for it */
  size_t feature_config_len;
  int64_t build_ms;             /* that its building may take */
  struct hello_program program; /* command NULL: it loads a plugin */
  unsigned threads;
  bool call_service;          /* something of it is granted */
  const char *const *secrets; /* granted: name, value, …, NULL */
  size_t result_max;          /* bytes */
  struct sandbox_plan sandbox;
};

/* False: the sentence names the member that is not as it must be. */
bool hello_read (struct hello *hello, const char *text, size_t len, struct arena *arena,
                 struct error *err);

#endif
