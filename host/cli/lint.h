/* lint.h - what `toolhost check` says about a definition that the host accepts: what a model, a
 * provider or a reader of it would stumble over.  Pure. */
#ifndef TOOLHOST_CLI_LINT_H
#define TOOLHOST_CLI_LINT_H

#include <stddef.h>

#include "base/json_tape.h"
#include "catalog/project/project.h"

enum lint_level { LINT_NOTE, LINT_WARNING, LINT_ERROR };

/* Called for each finding; `pointer` and `message` live for the call. */
typedef void (*lint_sink) (void *ctx, enum lint_level level, const char *pointer,
                           const char *message);

/* Look at one tool, given as MCP lists it. */
void lint_tool (const struct json_tape *tape, const struct json_node *tool, lint_sink sink,
                void *ctx);
/* The note that strict "auto" is off, and which argument speaks against it. */
void lint_strict_off (const struct json_tape *tape, const struct json_node *tool, lint_sink sink,
                      void *ctx);

/* Called for each thing a provider does not take; everything lives for the call. */
typedef void (*lint_loss_sink) (void *ctx, enum lint_level level, const struct provider *provider,
                                const struct loss *loss);

/* Look at what the providers of models get of the tool. */
void lint_providers (const struct json_tape *tape, const struct json_node *tool,
                     const struct providers *providers, lint_loss_sink sink, void *ctx);

const char *lint_level_name (enum lint_level level);

#endif
