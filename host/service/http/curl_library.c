#include "service/http/curl_library.h"

#include <dlfcn.h>
#include <string.h>

static const char soname[] = "libcurl.so.4";

bool
curl_library_load (struct curl_library *library, struct error *err)
{
  void *handle = dlopen (soname, RTLD_NOW | RTLD_LOCAL), *function;

  if (handle == NULL)
    return error_set (err, "%s", dlerror ());
#define LOOK_UP(name)                                                                              \
  function = dlsym (handle, "curl_" #name);                                                        \
  if (function == NULL)                                                                            \
    return error_set (err, "%s has no curl_" #name, soname);                                       \
  memcpy (&library->name, &function, sizeof function);
  CURL_FUNCTIONS (LOOK_UP)
#undef LOOK_UP
  return library->global_init (CURL_GLOBAL_DEFAULT) == CURLE_OK
         || error_set (err, "%s can't be set up", soname);
}
