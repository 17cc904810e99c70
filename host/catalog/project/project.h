/* project.h - a tool's definition as a provider of models takes it.  Pure.
 *
 * A profile (provider.h) says what the provider takes of a schema; what it does not take is moved
 * to a description, written in another way, or left out, and each time that is noted as a loss.
 * What arguments are checked against stays the schema as its author wrote it. */
#ifndef TOOLHOST_CATALOG_PROJECT_PROJECT_H
#define TOOLHOST_CATALOG_PROJECT_PROJECT_H

#include "catalog/provider.h"
#include "catalog/toolset.h"

enum loss_kind {
  LOSS_MOVED,     /* to the description */
  LOSS_REWRITTEN, /* the provider takes it in another form that says nearly the same */
  LOSS_DROPPED,
  LOSS_REFUSED /* the tool can't be given to the provider in this profile */
};
const char *loss_kind_name (enum loss_kind kind);

struct loss {
  enum loss_kind kind;
  char *pointer;  /* into the definition */
  char *keyword;  /* or several: "minimum, maximum" */
  char *sentence; /* without a full stop */
};

/* Zero-initialise; free with losses_free. */
struct losses {
  struct loss *list;
  size_t count;
  size_t more;  /* further ones, beyond what is worth keeping */
  bool refused; /* one of all of them is LOSS_REFUSED */
};
void losses_free (struct losses *losses);
/* The first that is LOSS_REFUSED, or NULL. */
const struct loss *losses_refusal (const struct losses *losses);

/* What a schema takes of what a provider allows for a whole request. */
struct project_figures {
  uint32_t optional;
  uint32_t unions;
};

/* Append the tool as the format has it.  `definition` is what MCP lists.  False: the provider would
 * refuse the tool, `losses` says why, and nothing was appended.  `figures` may be NULL. */
bool project_tool (const struct provider *p, const struct provider_format *format,
                   const struct json_tape *tape, const struct json_node *definition,
                   struct losses *losses, struct project_figures *figures, struct buf *out);

/* Append { "tools", "tool_choice" } as a request to the provider has them; and "left_out", a list
 * of { "name", "pointer", "message" }, when there are tools that can't be given to it.  With
 * `strict` (or when the tool's author wants that) a tool has its strict form if there is one and it
 * fits.  False: there is no such format, or `strict` is asked of one that has no strict form. */
bool project_toolset (const struct providers *providers, const char *format, size_t len,
                      bool strict, const struct toolset *set, struct buf *out);

#endif
