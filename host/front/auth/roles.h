/* roles.h - what callers may do, by name.  A role that is more than another holds it: who may call
 * sees what there is, who manages may do everything.  Pure functions. */
#ifndef TOOLHOST_FRONT_AUTH_ROLES_H
#define TOOLHOST_FRONT_AUTH_ROLES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum role {
  ROLE_LIST = 1 << 0,    /* see tools, resources and prompts, open sessions */
  ROLE_CALL = 1 << 1,    /* … use them, and cancel and answer one's own calls */
  ROLE_OBSERVE = 1 << 2, /* see metrics, and how plugins are */
  ROLE_APPROVE = 1 << 3, /* see and answer what everybody's calls ask */
  ROLE_MANAGE = 1 << 4,  /* everything: release, reload, cancel everybody's calls */
  ROLES_ALL = ROLE_LIST | ROLE_CALL | ROLE_OBSERVE | ROLE_APPROVE | ROLE_MANAGE,
  /* What a caller of this machine may do who has shown no key. */
  ROLES_LOCAL = ROLE_LIST | ROLE_CALL | ROLE_OBSERVE
};

/* In the order of their bits, ended by NULL. */
extern const char *const role_names[];

/* The role of this name; 0: there is none. */
unsigned role_find (const char *name, size_t len);
/* With all that these roles hold. */
unsigned roles_whole (unsigned roles);
/* "call,approve": names with commas between them.  False: one is unknown, or there is none. */
bool roles_read (const char *text, size_t len, unsigned *roles);
void roles_write (unsigned roles, struct buf *out);

#endif
