/* A document of a service, and requests to what it describes: whatever a document is, it is read or
 * refused; each tool's definition is JSON with an inputSchema; and no value of an argument leads a
 * request out of its server's part.
 *
 * The first byte is for the options of the service.  Of the plugin alone: its library has names
 * that the host's has, too. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../plugins/openapi/definition.h"
#include "../../plugins/openapi/operations.h"
#include "../../plugins/openapi/request.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

#define HOLDS(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf (stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);              \
      abort ();                                                                                    \
    }                                                                                              \
  } while (0)

static const char server[] = "https://h.example/base";

static void
left_out (void *ctx, const char *method, const char *path, const char *why, const char *scheme,
          const char *of)
{
  (void) ctx;
  (void) scheme;
  (void) of;
  HOLDS (method != NULL && path != NULL && why != NULL);
}

static void
check_definition (const struct operation *operation, struct values *pool)
{
  CLEANUP_TEXT struct text out = { 0 }, why = { 0 };
  const struct value *definition;

  HOLDS (definition_write (operation, &out, &why));
  definition = value_parse (pool, text_get (&out), out.len);
  /* What is too deep for one reader is so for the other. */
  HOLDS (definition == NULL || value_is (value_get_z (definition, "inputSchema"), VALUE_OBJECT));
  HOLDS (strlen (operation->name) <= 64);
}

static const struct value *
arguments_of (const struct operation *operation, const char *said, struct values *pool)
{
  const struct value *arguments = &value_no_members, *value = value_string_z (pool, said);

  for (size_t i = 0; i < operation->params_count; i++)
    arguments = value_with (pool, arguments, operation->params[i].argument,
                            strlen (operation->params[i].argument), value);
  if (operation->body.argument != NULL)
    arguments = value_with (pool, arguments, operation->body.argument,
                            strlen (operation->body.argument), &value_no_members);
  for (size_t i = 0; i < operation->body.members_count; i++)
    arguments = value_with (pool, arguments, operation->body.members[i].argument,
                            strlen (operation->body.members[i].argument), value);
  return arguments;
}

static void
check_request (const struct operation *operation, struct values *pool)
{
  static const char *const said[] = { "a", "..", "../..", "%2e%2e", "/x", "?#&=\r\n", "\\", "" };

  for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
    CLEANUP_REQUEST struct request request = { 0 };
    CLEANUP_TEXT struct text why = { 0 };
    const char *url;
    if (!request_make (&request, operation, arguments_of (operation, said[i], pool), pool, &why))
      continue;
    url = text_get (&request.url);
    HOLDS (strncmp (url, server, sizeof server - 1) == 0);
    HOLDS (url[sizeof server - 1] == '/' || strchr ("?", url[sizeof server - 1]) != NULL);
    HOLDS (!percent_hides_dots (url + sizeof server - 1, strcspn (url + sizeof server - 1, "?")));
    HOLDS (strpbrk (url, " #\\\r\n") == NULL);
  }
}

static void
check_service (struct service *service)
{
  const struct left_out nobody = { left_out, NULL };
  CLEANUP_TEXT struct text why = { 0 };

  if (!operations_read (service, &nobody, &why))
    return;
  service->document.closed = true;
  for (size_t i = 0; i < service->count && i < 16; i++) {
    CLEANUP_VALUES struct values pool = { 0 };
    check_definition (&service->operations[i], &pool);
    check_request (&service->operations[i], &pool);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  struct service *service = service_new ();
  CLEANUP_TEXT struct text why = { 0 };
  const struct value *root;

  if (service == NULL)
    return 0;
  service->name = "fuzzed";
  service->prefix = "";
  service->server = server;
  service->derive = size != 0 && (data[0] & 1) != 0;
  service->flat = size != 0 && (data[0] & 2) != 0;
  service->search = size != 0 && (data[0] & 4) != 0;
  service->deprecated = service->output_schema = true;
  service->trim.max_bytes = 1000;
  root =
    size != 0 ? document_parse (&service->pool, (const char *) data + 1, size - 1, &why) : NULL;
  HOLDS (root != NULL || size == 0 || why.len != 0 || !values_ok (&service->pool));
  if (root != NULL && document_take (&service->document, root, &why))
    check_service (service);
  service_unref (service);
  return 0;
}
