#include <stdio.h>

#include "front/http/http.h"

void
http_refuse_method (struct http_exchange *x, const char *methods)
{
  static const char body[] = "{\"error\":{\"code\":\"method_not_allowed\","
                             "\"message\":\"The path does not take this method\"}}";
  char allow[80];

  (void) snprintf (allow, sizeof allow, "Allow: %s\r\n", methods);
  http_reply (x, 405, "application/json", allow, body, sizeof body - 1);
}
