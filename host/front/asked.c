#include "front/asked.h"

static void
take_list (const struct http_exchange *x, const char *name, struct filter_list *list)
{
  struct slice value = http_query (x, name);

  if (value.data != NULL)
    *list = (struct filter_list){ value.data, value.len };
}

bool
asked_read (const struct front_env *env, const struct http_exchange *x, struct asked *asked)
{
  struct slice disclosure;

  *asked = env->asked;
  if (http_request (x)->query.len == 0)
    return true;
  disclosure = http_query (x, "disclosure");
  take_list (x, "tools", &asked->filter.tools);
  take_list (x, "tags", &asked->filter.tags);
  take_list (x, "plugins", &asked->filter.plugins);
  if (disclosure.data == NULL)
    return true;
  asked->search = slice_is (disclosure, "search");
  return asked->search || slice_is (disclosure, "all");
}
