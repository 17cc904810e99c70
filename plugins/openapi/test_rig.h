/* test_rig.h - a plugin "openapi" under the mock host, a small document, and what tests of both
 * ask. */
#ifndef TOOLHOST_PLUGINS_OPENAPI_TEST_RIG_H
#define TOOLHOST_PLUGINS_OPENAPI_TEST_RIG_H

#include "common/plugin_test.h"

#include "common/text.h"

static toolhost_mock *mock;

TOOLHOST_UNUSED static inline int
start (void)
{
  mock = toolhost_mock_new (toolhost_plugin_entry, NULL);
  return mock == NULL;
}

TOOLHOST_UNUSED static inline int
stop (void)
{
  toolhost_mock_free (mock);
  return 0;
}

/* ---- documents ---- */

#define DOCUMENT(version, paths, rest)                                                             \
  "{\"openapi\":\"" version "\",\"info\":{\"title\":\"Pets\",\"version\":\"1\"},"                  \
  "\"servers\":[{\"url\":\"http://pets.example/v1\"}],\"paths\":{" paths "}" rest "}"
#define GET(path, id, rest) "\"" path "\":{\"get\":{\"operationId\":\"" id "\"" rest "}}"
#define QUERY_PARAM(name, rest) "{\"name\":\"" name "\",\"in\":\"query\"" rest "}"

TOOLHOST_UNUSED static const char pets[] = DOCUMENT (
  "3.0.3",
  "\"/pets\":{\"get\":{\"operationId\":\"listPets\",\"summary\":\"List pets\",\"tags\":[\"Pet "
  "Shop\"],"
  "\"parameters\":[{\"name\":\"limit\",\"in\":\"query\",\"description\":\"How many.\",\"schema\":"
  "{\"type\":\"integer\",\"minimum\":0,\"exclusiveMinimum\":true}},{\"name\":\"kind\",\"in\":"
  "\"query\",\"required\":true,\"schema\":{\"type\":\"string\",\"enum\":[\"cat\",\"dog\"]}}],"
  "\"responses\":{\"200\":{\"description\":\"x\",\"content\":{\"application/json\":{\"schema\":"
  "{\"type\":\"array\",\"items\":{\"$ref\":\"#/components/schemas/Pet\"}}}}}}},"
  "\"post\":{\"operationId\":\"createPet\",\"description\":\"Make one.\",\"requestBody\":{"
  "\"required\":true,\"content\":{\"application/json\":{\"schema\":{\"$ref\":"
  "\"#/components/schemas/Pet\"}}}},\"responses\":{\"201\":{\"description\":\"x\",\"content\":{"
  "\"application/json\":{\"schema\":{\"$ref\":\"#/components/schemas/Pet\"}}}}}}},"
  "\"/pets/{petId}\":{\"parameters\":[{\"name\":\"petId\",\"in\":\"path\",\"required\":true,"
  "\"schema\":{\"type\":\"string\"}}],\"get\":{\"operationId\":\"getPet\"},\"delete\":{"
  "\"operationId\":\"deletePet\",\"tags\":[\"admin\"]},\"put\":{\"operationId\":\"putPet\","
  "\"deprecated\":true}}",
  ",\"components\":{\"schemas\":{\"Pet\":{\"type\":\"object\",\"required\":[\"id\",\"name\"],"
  "\"properties\":{\"id\":{\"type\":\"integer\",\"readOnly\":true},\"name\":{\"type\":\"string\"},"
  "\"pin\":{\"type\":\"string\",\"writeOnly\":true},\"mother\":{\"$ref\":"
  "\"#/components/schemas/Pet\"},\"note\":{\"type\":\"string\",\"nullable\":true}}}}}");

/* Build a service "pets" of this document and these further members. */
TOOLHOST_UNUSED static inline bool
build (const char *document, const char *more)
{
  CLEANUP_TEXT struct text config = { 0 };

  text_addf (&config, "{\"services\":[{\"name\":\"pets\",\"document\":%s%s%s}]}", document,
             more[0] != '\0' ? "," : "", more);
  return toolhost_mock_build (mock, "openapi", text_get (&config)) == TOOLHOST_OK;
}

TOOLHOST_UNUSED static inline bool
built (const char *document, const char *more)
{
  const bool good = build (document, more);

  if (!good)
    printf ("# not built: %s\n", toolhost_mock_error ());
  return good;
}

TOOLHOST_UNUSED static inline void
answers (const char *method, const char *url, int32_t status, const char *type, const char *body)
{
  const char *const headers[] = { "content-type", type, NULL };

  toolhost_mock_http (mock, method, url, status, headers, body, strlen (body));
}

TOOLHOST_UNUSED static inline bool
has_tool (const char *name)
{
  return toolhost_mock_definition (mock, name) != NULL;
}

TOOLHOST_UNUSED static inline bool
was_asked (const char *part)
{
  return told_part ("requests", "", part, toolhost_mock_http_requests (mock));
}

#endif
