/* curl_library.h - libcurl, loaded when it is first needed: with what it is linked with it takes a
 * daemon that makes no requests more memory than all else together, and half its start.  Its
 * functions are members of the same names, without "curl_". */
#ifndef TOOLHOST_SERVICE_HTTP_CURL_LIBRARY_H
#define TOOLHOST_SERVICE_HTTP_CURL_LIBRARY_H

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <stdbool.h>

#include "base/error.h"

#define CURL_FUNCTIONS(X)                                                                          \
  X (global_init)                                                                                  \
  X (easy_cleanup)                                                                                 \
  X (easy_getinfo)                                                                                 \
  X (easy_init)                                                                                    \
  X (easy_pause)                                                                                   \
  X (easy_recv)                                                                                    \
  X (easy_send)                                                                                    \
  X (easy_setopt)                                                                                  \
  X (easy_strerror)                                                                                \
  X (multi_add_handle)                                                                             \
  X (multi_assign)                                                                                 \
  X (multi_cleanup)                                                                                \
  X (multi_info_read)                                                                              \
  X (multi_init)                                                                                   \
  X (multi_remove_handle)                                                                          \
  X (multi_setopt)                                                                                 \
  X (multi_socket_action)                                                                          \
  X (multi_timeout)                                                                                \
  X (slist_append)                                                                                 \
  X (slist_free_all)

#define CURL_MEMBER(name) __typeof__ (curl_##name) *name;
struct curl_library {
  CURL_FUNCTIONS (CURL_MEMBER)
};
#undef CURL_MEMBER

/* Load it, once; it stays for as long as the process runs. */
bool curl_library_load (struct curl_library *library, struct error *err);

#endif
