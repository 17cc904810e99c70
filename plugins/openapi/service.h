/* service.h - a service that a document describes: what its configuration says, and the operations
 * that were read of it.  Made while building, by one thread; only read from then on, by any. */
#ifndef TOOLHOST_PLUGINS_OPENAPI_SERVICE_H
#define TOOLHOST_PLUGINS_OPENAPI_SERVICE_H

#include <stdatomic.h>
#include <sys/stat.h>

#include "body.h"
#include "document.h"
#include "param.h"

/* Which operations: lists of texts, each NULL where nothing is said.  '*' stands for anything. */
struct wanted {
  const struct value *tags, *operations, *methods, *paths;
};

/* What of an answer the model is told. */
struct trim {
  const char *pointer;        /* to the part that is told; NULL: all of it */
  const struct value *fields; /* members of it, or of its items; NULL: all */
  size_t max_bytes;
};

struct service {
  atomic_uint users;
  struct values pool; /* of everything here */
  struct document document;

  const char *name;
  const struct value *inline_document; /* NULL: a file */
  const char *file;
  struct stat file_was; /* when it was read */
  const char *server;   /* NULL: as the document says */
  const struct value *server_variables;
  const char *prefix;
  bool external_refs, derive, strict, deprecated, search, flat, keys, output_schema;
  struct wanted include, exclude;
  const struct value *credentials; /* names of schemes that the operator's policy serves */
  const struct value *overrides;   /* of operations, by their ids */
  int64_t timeout_ms;
  int64_t tools_max;
  struct trim trim;

  struct operation *operations;
  size_t count;
};

struct operation {
  struct service *service;
  const char *id;   /* operationId, or a name made of method and path */
  const char *name; /* of the tool */
  const char *method, *path, *server;
  struct located source;
  struct param *params;
  size_t params_count;
  struct body body;
  const char *description; /* the operator's; NULL: the document's */
  int64_t timeout_ms;
  struct trim trim;
  bool declared;          /* its definition has an outputSchema */
  const char *definition; /* NULL: it is made when somebody asks */
};

/* What a tool is: an operation, or one of those that search a service. */
struct service_tool {
  struct service *service;           /* a reference */
  const struct operation *operation; /* NULL: it is one that searches */
  const struct search_index *index;
  struct text definition; /* of one that searches */
};

struct service_tool *service_tool_new (struct service *service);
void service_tool_free (void *tool);

struct service *service_new (void);
/* Is the document's file another one than was read? */
bool service_is_outdated (const struct service *service);
struct service *service_ref (struct service *service);
void service_unref (struct service *service);

/* May it be sent twice? */
bool operation_is_idempotent (const struct operation *operation);
/* Does a pattern match the whole text?  '*' stands for any characters. */
bool service_matches (const char *pattern, const char *text);

#endif
