/* keys.h - bearer keys: 256 random bits with an id before them, of which only a hash is kept.
 *
 *   thk_ID_SECRET      ID: 8 hex digits, SECRET: 43 characters of base64url
 *
 * The file has a line for each key: ID, SHA-256 of the whole key in hex, roles with commas, tenant,
 * name; '#' begins a comment.  Pure functions but keys_read and key_make. */
#ifndef TOOLHOST_FRONT_AUTH_KEYS_H
#define TOOLHOST_FRONT_AUTH_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"

enum {
  KEY_ID = 8,
  KEY_HASH = 32,
  KEY_LEN = 4 + KEY_ID + 1 + 43,
  KEY_WORD_MAX = 64,
  KEYS_MAX = 4096
};

struct bearer_key {
  char id[KEY_ID + 1];
  unsigned char hash[KEY_HASH];
  unsigned roles; /* as they were given */
  char tenant[KEY_WORD_MAX + 1];
  char name[KEY_WORD_MAX + 1];
};

struct bearer_keys {
  struct bearer_key *list;
  size_t count;
};

/* Names of keys and tenants: letters, digits, '.', '_', '-', 1 to KEY_WORD_MAX of them. */
bool key_word (const char *text, size_t len);

/* Zero-initialised `keys`.  False: err has the line; nothing is left in `keys`. */
bool keys_parse (struct bearer_keys *keys, const char *text, size_t len, struct error *err);
/* The same of a file in `dir` (or AT_FDCWD).  One that is not there holds no key; one that others
 * than its owner may use, or that is neither ours nor root's, is refused. */
bool keys_read (struct bearer_keys *keys, int dir, const char *path, struct error *err);
void keys_free (struct bearer_keys *keys);

/* Does this look like a key? */
bool key_looks (const char *text, size_t len);
/* Whose key this is, in a time that does not tell how much of it was right; NULL: nobody's. */
const struct bearer_key *keys_find (const struct bearer_keys *keys, const char *text, size_t len);

/* A new key: its text, with NUL, and in `key` its id and hash.  False: no random bytes. */
bool key_make (struct bearer_key *key, char text[KEY_LEN + 1]);
/* Append its line. */
void key_write (const struct bearer_key *key, struct buf *out);

#endif
