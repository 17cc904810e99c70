#include "wanted.h"

#include <string.h>
#include <strings.h>

static bool
matches_any (const struct value *patterns, const char *text)
{
  for (size_t i = 0; i < patterns->count; i++)
    if (service_matches (patterns->items[i]->text, text))
      return true;
  return false;
}

static bool
has_tag (const struct value *patterns, const struct value *operation)
{
  const struct value *tags = value_get_z (operation, "tags");

  for (size_t i = 0; value_is (tags, VALUE_ARRAY) && i < tags->count; i++) {
    const char *tag = value_cstring (tags->items[i]);
    if (tag != NULL && matches_any (patterns, tag))
      return true;
  }
  return false;
}

static bool
has_method (const struct value *list, const char *method)
{
  for (size_t i = 0; i < list->count; i++)
    if (strcasecmp (list->items[i]->text, method) == 0)
      return true;
  return false;
}

bool
wanted_is (const struct service *service, const struct operation *op, const char *id)
{
  const struct wanted *in = &service->include, *out = &service->exclude;
  const struct value *source = op->source.value;

  if (!service->deprecated && value_is (value_get_z (source, "deprecated"), VALUE_TRUE))
    return false;
  if ((in->tags != NULL && !has_tag (in->tags, source))
      || (in->operations != NULL && !matches_any (in->operations, id))
      || (in->methods != NULL && !has_method (in->methods, op->method))
      || (in->paths != NULL && !matches_any (in->paths, op->path)))
    return false;
  return !((out->tags != NULL && has_tag (out->tags, source))
           || (out->operations != NULL && matches_any (out->operations, id))
           || (out->methods != NULL && has_method (out->methods, op->method))
           || (out->paths != NULL && matches_any (out->paths, op->path)));
}
