#include "front/asked.h"

static struct filter_list
list_of (const struct http_exchange *x, const char *name)
{
  struct slice value = http_query (x, name);

  return (struct filter_list){ value.data, value.len };
}

bool
asked_read (const struct http_exchange *x, struct asked *asked)
{
  struct slice disclosure = http_query (x, "disclosure");

  *asked = (struct asked){ .filter = { .tools = list_of (x, "tools"),
                                       .tags = list_of (x, "tags"),
                                       .plugins = list_of (x, "plugins") },
                           .search = slice_is (disclosure, "search") };
  return disclosure.data == NULL || asked->search || slice_is (disclosure, "all");
}
