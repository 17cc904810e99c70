/* hooks.h - webhooks of a tenant: who hears how calls have ended, from the key "hooks" of its file.
 * Their secrets are never rendered or logged, and are wiped when they are freed. */
#ifndef TOOLHOST_DAEMON_HOOKS_H
#define TOOLHOST_DAEMON_HOOKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "service/webhook/signature.h"

struct json_object;

struct hook {
  char *name, *url;
  unsigned events;  /* enum call_event */
  bool private_too; /* addresses that are the operator's own */
  struct signature_key key;
};

/* Zero at first. */
struct hooks {
  struct hook *list;
  size_t count;
};

/* Read a list that fits the schema, and the files of its secrets.  False: err begins with a JSON
 * pointer.  In either case hooks_clear is due. */
bool hooks_read (struct hooks *hooks, struct json_object *value, struct error *err);
void hooks_clear (struct hooks *hooks);

/* NULL: there is none of this name. */
const struct hook *hooks_find (const struct hooks *hooks, const char *name);

#endif
