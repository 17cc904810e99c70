/* secrets.h - secrets of one plugin's policy: names for files that only the daemon reads.  Their
 * values are never rendered or logged, sent to a worker only where its policy says so
 * (permissions.secrets), and wiped when they are freed. */
#ifndef TOOLHOST_SERVICE_SECRETS_SECRETS_H
#define TOOLHOST_SERVICE_SECRETS_SECRETS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { SECRET_MAX = 16 * 1024, SECRET_NAME_MAX = 64 };

struct secret {
  char *name;
  char *path;
  char *value; /* text without control characters */
};

struct secrets {
  struct secret *list;
  size_t count;
};

/* 1 to 64 of A-Za-z0-9_-. */
bool secret_name_ok (const char *name);

/* Read a file: regular, of the daemon's user or root, and nobody else's to read or write; a newline
 * at its end is not part of the secret.  False: err says why, without a word of what it holds. */
bool secrets_add (struct secrets *secrets, const char *name, const char *path, struct error *err);
/* NULL: there is none of that name. */
const char *secrets_find (const struct secrets *secrets, const char *name, size_t len);

void secrets_free (struct secrets *secrets);
struct secrets secrets_copy (const struct secrets *secrets);
bool secrets_same (const struct secrets *a, const struct secrets *b);

/* Wipe, then free; NULL is fine. */
void secret_free (char *value);

#endif
