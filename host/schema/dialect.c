#include "schema/dialect.h"

#include "schema/uri.h"

enum { METASCHEMAS_IN_A_ROW = 8 };

static const struct {
  const char *uri;
  enum schema_dialect draft;
} drafts[] = {
  { "https://json-schema.org/draft/2020-12/schema", SCHEMA_2020_12 },
  { "https://json-schema.org/draft/2019-09/schema", SCHEMA_2019_09 },
  { "http://json-schema.org/draft-07/schema", SCHEMA_DRAFT_07 },
  { "https://json-schema.org/draft-07/schema", SCHEMA_DRAFT_07 },
  { "http://json-schema.org/draft-06/schema", SCHEMA_DRAFT_06 },
  { "https://json-schema.org/draft-06/schema", SCHEMA_DRAFT_06 },
  { "http://json-schema.org/draft-04/schema", SCHEMA_DRAFT_04 },
  { "https://json-schema.org/draft-04/schema", SCHEMA_DRAFT_04 },
};

/* Behind "https://json-schema.org/draft/2020-12/vocab/"; 2019-09 has the same and no others. */
static const struct {
  const char *name;
  unsigned vocabularies;
} vocabularies[] = {
  { "core", VOCABULARY_CORE },
  { "applicator", VOCABULARY_APPLICATOR },
  { "unevaluated", VOCABULARY_UNEVALUATED },
  { "validation", VOCABULARY_VALIDATION },
  { "meta-data", VOCABULARY_ANNOTATION },
  { "format", VOCABULARY_ANNOTATION },
  { "format-annotation", VOCABULARY_ANNOTATION },
  { "format-assertion", VOCABULARY_FORMAT_ASSERTION },
  { "content", VOCABULARY_ANNOTATION },
};

struct dialect
dialect_of_draft (enum schema_dialect draft)
{
  return (struct dialect){ .draft = draft, .vocabularies = VOCABULARY_ALL };
}

static bool
find_draft (struct uri uri, enum schema_dialect *draft)
{
  for (size_t i = 0; i < sizeof drafts / sizeof *drafts; i++)
    if (uri_same (uri, (struct uri){ drafts[i].uri, strlen (drafts[i].uri) })) {
      *draft = drafts[i].draft;
      return true;
    }
  return false;
}

/* Its bits, 0 when it is not known. */
static unsigned
find_vocabulary (struct uri uri, enum schema_dialect draft)
{
  const char *prefix = draft == SCHEMA_2019_09 ? "https://json-schema.org/draft/2019-09/vocab/"
                                               : "https://json-schema.org/draft/2020-12/vocab/";
  size_t len = strlen (prefix);

  if (uri.len < len || memcmp (uri.text, prefix, len) != 0)
    return 0;
  for (size_t i = 0; i < sizeof vocabularies / sizeof *vocabularies; i++)
    if (strlen (vocabularies[i].name) == uri.len - len
        && memcmp (vocabularies[i].name, uri.text + len, uri.len - len) == 0)
      return vocabularies[i].vocabularies;
  return 0;
}

static bool
read_vocabularies (struct dialect *dialect, const struct json_tape *tape,
                   const struct json_node *list, struct arena *arena, struct error *err)
{
  unsigned found = VOCABULARY_CORE;

  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n + 1)) {
    struct uri uri;
    unsigned bits;
    uri.text = json_string (tape, n, arena, &uri.len);
    bits = find_vocabulary (uri, dialect->draft);
    if (bits == 0 && n[1].type == JSON_TRUE)
      return error_set (err, "its metaschema requires the vocabulary %.*s, which is not known",
                        (int) uri.len, uri.text);
    found |= bits;
  }
  /* in 2019-09 these are words of the applicator vocabulary */
  if (dialect->draft == SCHEMA_2019_09 && (found & VOCABULARY_APPLICATOR) != 0)
    found |= VOCABULARY_UNEVALUATED;
  dialect->vocabularies = found;
  return true;
}

static bool
unknown (struct uri uri, struct error *err)
{
  return error_set (err,
                    "unknown dialect \"%.*s\"; supported are %s, 2019-09, draft-07, draft-06 and "
                    "draft-04",
                    (int) uri.len, uri.text, drafts[0].uri);
}

/* Metaschemas say in their "$schema" which draft they are of, which may again be one's own. */
static bool
read_metaschema (struct dialect *dialect, struct uri uri, const struct documents *documents,
                 unsigned left, struct error *err)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  const struct document *document = registry_find (documents->registry, uri);
  const struct json_node *root, *of, *list;
  struct json_tape tape;
  struct uri next;

  if (left == 0 || document == NULL
      || !json_read (&tape, document->text, document->len, &json_default_limits, &arena))
    return unknown (uri, err);
  root = json_root (&tape);
  of = json_member (&tape, root, "$schema");
  next.text = json_string (&tape, of, &arena, &next.len);
  if (next.text == NULL)
    return unknown (uri, err);
  next = uri_without_fragment (next);
  *dialect = dialect_of_draft (SCHEMA_2020_12);
  if (!find_draft (next, &dialect->draft)
      && !read_metaschema (dialect, next, documents, left - 1, err))
    return false;
  list = json_member (&tape, root, "$vocabulary");
  if (!json_is (list, JSON_OBJECT) || (dialect->draft & (SCHEMA_2020_12 | SCHEMA_2019_09)) == 0)
    return true;
  return read_vocabularies (dialect, &tape, list, &arena, err);
}

bool
dialect_read (struct dialect *dialect, const struct json_tape *tape, const struct json_node *value,
              const struct documents *documents, struct error *err)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct uri uri;

  uri.text = json_string (tape, value, &arena, &uri.len);
  if (uri.text == NULL)
    return error_set (err, "expected the URI of a dialect");
  uri = uri_without_fragment (uri);
  *dialect = dialect_of_draft (SCHEMA_2020_12);
  return find_draft (uri, &dialect->draft)
         || read_metaschema (dialect, uri, documents, METASCHEMAS_IN_A_ROW, err);
}
