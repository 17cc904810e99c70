#include "service/http/circuit.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/hash.h"

struct http_circuit {
  char *key;
  unsigned failures;
  double open_for; /* the last time; 0: it has not been open since it last closed */
  double try_at;   /* while open */
  bool probing;    /* one has been let through */
  UT_hash_handle hh;
};

static struct http_circuit *
find (const struct circuits *circuits, const char *key)
{
  struct http_circuit *circuit;

  HASH_FIND_STR (circuits->table, key, circuit);
  return circuit;
}

static void
forget (struct circuits *circuits, struct http_circuit *circuit)
{
  HASH_DEL (circuits->table, circuit);
  circuits->count--;
  free (circuit->key);
  free (circuit);
}

/* The oldest makes room. */
static struct http_circuit *
add (struct circuits *circuits, const char *key)
{
  struct http_circuit *circuit;

  if (circuits->count == CIRCUITS_MAX)
    forget (circuits, circuits->table);
  circuit = xcalloc (1, sizeof *circuit);
  circuit->key = xstrdup (key);
  HASH_ADD_KEYPTR (hh, circuits->table, circuit->key, strlen (circuit->key), circuit);
  circuits->count++;
  return circuit;
}

double
circuits_admit (struct circuits *circuits, const char *key, double now)
{
  struct http_circuit *circuit = find (circuits, key);

  if (circuit == NULL || circuit->open_for <= 0)
    return 0;
  if (now < circuit->try_at)
    return circuit->try_at - now;
  if (circuit->probing)
    return 1;
  circuit->probing = true;
  return 0;
}

bool
circuits_report (struct circuits *circuits, const char *key, bool good, double now)
{
  struct http_circuit *circuit = find (circuits, key);

  if (good) {
    if (circuit != NULL)
      forget (circuits, circuit);
    return false;
  }
  if (circuit == NULL)
    circuit = add (circuits, key);
  circuit->failures++;
  if (circuit->failures < CIRCUIT_FAILURES || (circuit->open_for > 0 && !circuit->probing))
    return false;
  circuit->probing = false;
  circuit->open_for = circuit->open_for > 0 ? 2 * circuit->open_for : CIRCUIT_OPEN_FOR;
  if (circuit->open_for > CIRCUIT_OPEN_MAX)
    circuit->open_for = CIRCUIT_OPEN_MAX;
  circuit->try_at = now + circuit->open_for;
  return true;
}

void
circuits_undecided (struct circuits *circuits, const char *key)
{
  struct http_circuit *circuit = find (circuits, key);

  if (circuit != NULL)
    circuit->probing = false;
}

void
circuits_clear (struct circuits *circuits)
{
  while (circuits->table != NULL)
    forget (circuits, circuits->table);
}
