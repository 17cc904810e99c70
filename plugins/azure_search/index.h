/* index.h - an index of Azure AI Search that a tool searches, as the feature "azure_search" of a
 * tenant has it.  Immutable once read; any thread. */
#ifndef TOOLHOST_PLUGINS_AZURE_SEARCH_INDEX_H
#define TOOLHOST_PLUGINS_AZURE_SEARCH_INDEX_H

#include "../common/settings.h"
#include "../common/value.h"

enum { TOP_DEFAULT = 5, TOP_MAX = 50, NEAREST_DEFAULT = 50 };

struct index {
  struct text name, description; /* of the tool */
  struct text endpoint;          /* "https://NAME.search.windows.net" */
  struct text index;
  struct text api_version;
  struct text query_type;    /* "simple", "full" or "semantic" */
  struct text configuration; /* of semantic ranking; empty: the index's default */
  struct text filter;        /* that every search has; empty: none */
  struct text select, order_by, search_fields, vector_fields; /* with commas; empty: not sent */
  int64_t top, nearest;
  bool counts;       /* tell how many documents match */
  bool takes_filter; /* the model may give one, too */
  struct text definition;
};

/* The object that stands here.  False: the host was told what is wrong.  `index` is zero at first
 * and the caller's to free in any case. */
bool index_read (struct index *index, struct settings *s);
void index_free (struct index *index);

/* Fill `definition`. */
void index_define (struct index *index);

/* A question to it. */
struct question {
  const char *query, *filter; /* NULL: no filter of the model's */
  int64_t top, skip;
};

/* Where a question goes, and its body. */
void index_url (const struct index *index, struct text *url);
void index_body (const struct index *index, const struct question *question, struct text *body);

/* Is it an expression that stays one when brackets are put around it?  So it can't lead out of the
 * filter that every search has. */
bool filter_is_whole (const char *filter);

/* What the service answered, as the result of the tool.  False: it is no such answer. */
bool answer_read (struct values *pool, const char *body, size_t len,
                  const struct question *question, struct text *json);
/* What the service says of a request that it refused: "CODE: message", on one line. */
void refusal_read (const char *body, size_t len, struct text *why);

#endif
