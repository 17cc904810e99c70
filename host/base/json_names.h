/* json_names.h - are two member names of an object equal, and the names in a hash table.  For
 * json_read and json_same only.
 *
 * The hash is SipHash-1-3 with a key of this process and this read, so that nobody can prepare
 * names that collide. */
#ifndef TOOLHOST_BASE_JSON_NAMES_H
#define TOOLHOST_BASE_JSON_NAMES_H

#include "base/json_tape.h"

struct json_names {
  const struct json_tape *tape;
  const struct json_node *object;
  uint32_t *slots; /* 0: free; else distance of the name from `object` */
  uint32_t mask;
  uint64_t key[2];
};

/* The second of two equal names of an object, NULL when there are none.  For json_read; memory that
 * many members need is the arena's. */
const struct json_node *json_names_twin (const struct json_tape *tape,
                                         const struct json_node *object, struct arena *arena);

/* Bytes the slots of an object with `members` members take. */
size_t json_names_size (uint32_t members);
/* An empty table over memory of that size. */
void json_names_init (struct json_names *t, const struct json_tape *tape,
                      const struct json_node *object, void *slots);
/* Add a name of the object; returns the equal one that is there already, or NULL. */
const struct json_node *json_names_add (struct json_names *t, const struct json_node *name);
/* The name of the object equal to a name of another tape, or NULL. */
const struct json_node *json_names_find (const struct json_names *t, const struct json_tape *tape,
                                         const struct json_node *name);

/* A keyed hash of what a string stands for. */
uint64_t json_text_hash (const struct json_tape *tape, const struct json_node *string,
                         const uint64_t key[2]);
/* A key nobody outside can know; `salt` makes it differ from use to use. */
void json_hash_key (uint64_t key[2], const void *salt);

#endif
