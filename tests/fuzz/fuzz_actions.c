/* A declarative tool that is checked, and tried: whatever a document is, all answers are JSON; a
 * document that is good is good in the spelling it comes to, and comes to the same again; and
 * nothing a tool is tried with makes a request to another server than its endpoint's.
 *
 * Of the plugin alone: its library has names that the host's has, too. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../plugins/actions/internal.h"
#include "../../plugins/common/value.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

#define HOLDS(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf (stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);              \
      abort ();                                                                                    \
    }                                                                                              \
  } while (0)

static const char host[] = "https://h.example/";

/* The answer as values, which live in the pool; NULL: the arguments are no JSON. */
static const struct value *
answer (bool (*act) (const char *args, size_t len, struct text *out, const char **why),
        const struct text *args, struct values *pool)
{
  CLEANUP_TEXT struct text out = { 0 };
  const struct value *value;
  const char *why = NULL;

  if (!act (text_get (args), args->len, &out, &why)) {
    HOLDS (why != NULL);
    return NULL;
  }
  value = value_parse (pool, out.data, out.len);
  HOLDS (value_is (value, VALUE_OBJECT));
  return value;
}

/* One tool, with the endpoints of the input. */
static const struct value *
check (const struct value *input, const struct value *tool, struct values *pool)
{
  CLEANUP_TEXT struct text args = { 0 };
  const struct value *endpoints = value_get_z (input, "endpoints");
  const struct value *all =
    value_with (pool, &value_no_members, "tools", 5, value_array (pool, &tool, 1));

  if (endpoints != NULL)
    all = value_with (pool, all, "endpoints", 9, endpoints);
  value_write (&args, all);
  return answer (check_documents, &args, pool);
}

static void
check_canonical (const struct value *input, const struct value *tool, struct values *pool)
{
  const struct value *first = check (input, tool, pool), *second, *written;

  if (!value_is (value_get_z (first, "ok"), VALUE_TRUE))
    return;
  written = value_get_z (first, "tools")->items[0];
  second = check (input, written, pool);
  HOLDS (value_is (value_get_z (second, "ok"), VALUE_TRUE));
  HOLDS (value_equal (written, value_get_z (second, "tools")->items[0]));
}

static bool
is_one_server (const struct value *endpoints)
{
  for (size_t i = 0; value_is (endpoints, VALUE_ARRAY) && i < endpoints->count; i++) {
    const char *url = value_cstring (value_get_z (endpoints->items[i], "url"));
    if (url == NULL || strncmp (url, host, strlen (host)) != 0)
      return false;
  }
  return true;
}

static void
check_requests (const struct value *requests)
{
  for (size_t i = 0; requests != NULL && i < requests->count; i++) {
    const char *url = value_cstring (value_get_z (requests->items[i], "url"));
    HOLDS (url != NULL && strncmp (url, host, strlen (host)) == 0);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  CLEANUP_VALUES struct values pool = { 0 };
  CLEANUP_TEXT struct text args = { 0 };
  const struct value *input, *tried;

  text_add_len (&args, (const char *) data, size);
  input = value_parse (&pool, args.data, args.len);
  (void) answer (check_documents, &args, &pool);
  tried = answer (try_document, &args, &pool);
  if (value_get_z (input, "tool") != NULL)
    check_canonical (input, value_get_z (input, "tool"), &pool);
  if (is_one_server (value_get_z (input, "endpoints")))
    check_requests (value_get_z (tried, "requests"));
  return 0;
}
