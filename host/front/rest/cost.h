/* cost.h - GET /v1/tools?cost=1: what each tool's definition takes of a model's context.  Used by
 * rest.c.  Pure but for the providers.  Loop thread only. */
#ifndef TOOLHOST_FRONT_REST_COST_H
#define TOOLHOST_FRONT_REST_COST_H

#include "catalog/project/project.h"

enum { COST_BYTES_PER_TOKEN = 4 };

/* Append { "tools": [{ "name", "plugin", "bytes", "tokens", "fits"? }, …], "bytes", "tokens",
 * "estimate", "budget"?, "fitting"? }.  Bytes are those of the definition as tools/list of MCP
 * 2026-07-28 has it, exactly; a token is taken for COST_BYTES_PER_TOKEN of them, rounded up, and no
 * tokenizer of any model is asked.  With a budget of tokens (0: none) the tools are taken in the
 * order of the list, each that still fits. */
void cost_put (struct buf *out, const struct providers *providers, const struct toolset *set,
               uint64_t budget);

#endif
