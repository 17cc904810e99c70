#include "front/auth/roles.h"

#include <string.h>

const char *const role_names[] = { "list", "call", "observe", "approve", "manage", NULL };

unsigned
role_find (const char *name, size_t len)
{
  for (unsigned i = 0; role_names[i] != NULL; i++)
    if (strlen (role_names[i]) == len && memcmp (role_names[i], name, len) == 0)
      return 1U << i;
  return 0;
}

unsigned
roles_whole (unsigned roles)
{
  if (roles & ROLE_MANAGE)
    return ROLES_ALL;
  if (roles & (ROLE_CALL | ROLE_APPROVE))
    roles |= ROLE_LIST;
  return roles;
}

bool
roles_read (const char *text, size_t len, unsigned *roles)
{
  const char *end = text + len;

  *roles = 0;
  for (const char *at = text; at <= end;) {
    const char *comma = memchr (at, ',', (size_t) (end - at));
    const char *stop = comma != NULL ? comma : end;
    unsigned role = role_find (at, (size_t) (stop - at));
    if (role == 0)
      return false;
    *roles |= role;
    at = stop + 1;
  }
  return true;
}

void
roles_write (unsigned roles, struct buf *out)
{
  const char *separator = "";

  for (unsigned i = 0; role_names[i] != NULL; i++)
    if (roles & 1U << i) {
      buf_puts (out, separator);
      buf_puts (out, role_names[i]);
      separator = ",";
    }
}
