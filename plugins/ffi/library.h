/* library.h - shared libraries that the operator lets functions come from. */
#ifndef TOOLHOST_PLUGINS_FFI_LIBRARY_H
#define TOOLHOST_PLUGINS_FFI_LIBRARY_H

#include <toolhost.h>

#include "function.h"

/* Libraries by the patterns that grant them: "libm.so.6", "libsqlite3.so.*", "/plugin/libown.so".
 */
struct libraries {
  char **patterns;
  size_t count;
};

/* Read the "config" of the policy.  False: the host was told what is wrong. */
bool libraries_read (struct libraries *libraries, toolhost_build *build, const char *config,
                     size_t len);
void libraries_free (struct libraries *libraries);

/* As `find` of a linker, whose ctx the libraries are: a granted library is loaded and stays. */
bool libraries_find (void *ctx, struct values *pool, const char *library, const char *symbol,
                     c_function *function, const char **why);

#endif
