#include "feature.h"

#include <string.h>

#include "header.h"

static bool
read_one (struct document *doc, const struct value *value, const struct linker *linker,
          struct feature *feature)
{
  struct function *function = &feature->functions[feature->count];

  if (!function_read (doc, value, linker, function) || !function_check_values (doc, function))
    return false;
  for (size_t i = 0; i < feature->count; i++)
    if (strcmp (feature->functions[i].name, function->name) == 0)
      return document_wrong (doc, "name", "there is a tool \"%s\" already", function->name);
  feature->count++;
  return true;
}

/* What headers declare has become documents, which have their place in the header's. */
static bool
read_declared (struct document *doc, const struct linker *linker, const struct headers *headers,
               struct feature *feature)
{
  for (const struct declared *d = headers->list; d != NULL; d = d->next) {
    struct place before = document_enter (doc, "headers");
    (void) document_enter_item (doc, d->header);
    (void) document_enter (doc, "functions");
    (void) document_enter (doc, d->name);
    if (!read_one (doc, d->document, linker, feature))
      return false;
    document_leave (doc, before);
  }
  return true;
}

static bool
read_functions (struct document *doc, const struct value *list, const struct linker *linker,
                struct feature *feature)
{
  const struct place before = document_enter (doc, "functions");

  if (list != NULL && list->type != VALUE_ARRAY)
    return document_wrong (doc, "", "expected a list of functions");
  for (size_t i = 0; list != NULL && i < list->count; i++) {
    const struct place at = document_enter_item (doc, i);
    if (!read_one (doc, list->items[i], linker, feature))
      return false;
    document_leave (doc, at);
  }
  document_leave (doc, before);
  return true;
}

bool
feature_read (struct document *doc, const struct value *config, const struct linker *linker,
              struct feature *feature)
{
  static const char *const names[] = { "types", "headers", "functions", NULL };
  const struct value *functions = value_get_z (config, "functions");
  struct headers headers = { .last = &headers.list };
  size_t count;

  *feature = (struct feature){ 0 };
  if (!document_object (doc, config, names) || !document_types (doc, value_get_z (config, "types"))
      || !headers_read (doc, value_get_z (config, "headers"), &headers))
    return false;
  count = headers.count + (value_is (functions, VALUE_ARRAY) ? functions->count : 0);
  if (count > FUNCTIONS_MAX)
    return document_wrong (doc, "", "there are more than %d functions", FUNCTIONS_MAX);
  feature->functions = values_alloc (doc->pool, (count + 1) * sizeof *feature->functions);
  if (feature->functions == NULL)
    return document_wrong (doc, "", "there is no memory");
  return read_declared (doc, linker, &headers, feature)
         && read_functions (doc, functions, linker, feature)
         && (values_ok (doc->pool) || document_wrong (doc, "", "there is no memory"));
}
