/* engine.h - the search engine that is asked, the URL of a question to it, and what it answers.
 * Immutable once read; any thread. */
#ifndef TOOLHOST_PLUGINS_WEB_SEARCH_ENGINE_H
#define TOOLHOST_PLUGINS_WEB_SEARCH_ENGINE_H

#include <toolhost.h>

#include "../common/text.h"

enum { RESULTS_MAX = 10 };

struct engine {
  const struct backend *backend;
  struct text url;         /* of its search */
  struct text language;    /* of results, "en"; empty: the engine's own choice */
  struct text description; /* of the tool, for the model; empty: ours */
  size_t results;          /* at most RESULTS_MAX */
};

/* Read the feature's configuration.  False: toolhost_build_error was told what is wrong and where.
 * `engine` is zero at first and the caller's to free in any case. */
bool engine_read (struct engine *engine, toolhost_build *build, const char *config, size_t len);
void engine_free (struct engine *engine);

/* Append what has to be asked for to search for `query`. */
void engine_url (const struct engine *engine, const char *query, struct text *url);

/* One result; texts without markup, on one line each. */
struct found {
  struct text title, url, snippet;
};

/* The first results of an answer's body, no more than the engine is to give: their number.  They
 * are the caller's to free, RESULTS_MAX of them, zero at first.  *understood: it is an answer of
 * such an engine at all. */
size_t engine_results (const struct engine *engine, const char *body, size_t len,
                       struct found *results, bool *understood);
void found_free (struct found results[RESULTS_MAX]);

#endif
