#include "description.h"

#include "base/json_write.h"

void
description_put (struct buf *out, const char *const *definitions, int64_t max_time)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  jsonw_name_string (&w, "name", "p");
  jsonw_name_string (&w, "version", "1");
  jsonw_name_string (&w, "threads", "parallel");
  jsonw_name (&w, "tools");
  jsonw_array (&w);
  for (; *definitions != NULL; definitions++) {
    jsonw_object (&w);
    jsonw_name_int (&w, "max_time", max_time);
    jsonw_name_string (&w, "definition", *definitions);
    jsonw_end (&w);
  }
  jsonw_end (&w);
  jsonw_end (&w);
}
