#include "library.h"

#include <dlfcn.h>
#include <fnmatch.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/near.h"
#include "../common/settings.h"

enum { PATTERNS_MAX = 256 };

/* ---- grants ---- */

static bool
add (struct libraries *libraries, const char *pattern)
{
  char **patterns = reallocarray (libraries->patterns, libraries->count + 1, sizeof *patterns);

  if (patterns == NULL)
    return false;
  libraries->patterns = patterns;
  patterns[libraries->count] = strdup (pattern);
  return patterns[libraries->count++] != NULL;
}

static bool
read_libraries (struct settings *s, const char *name, void *value)
{
  CLEANUP_TEXT struct text pattern = { 0 };
  static const char expected[] = "a list of at most 256 libraries, as \"libm.so.6\"";
  struct libraries *libraries = value;

  if (!json_scan_enter (&s->scan, '['))
    return settings_wrong (s, name, expected);
  while (json_scan_item (&s->scan)) {
    text_clear (&pattern);
    if (libraries->count == PATTERNS_MAX || !json_scan_string (&s->scan, &pattern)
        || pattern.len == 0 || !text_ok (&pattern)
        || memchr (text_get (&pattern), '\0', pattern.len) != NULL)
      return settings_wrong (s, name, expected);
    if (text_get (&pattern)[0] != '/' && strchr (text_get (&pattern), '/') != NULL)
      return settings_wrong (s, name,
                             "the name of a library without a folder, or a path that "
                             "begins with \"/\"");
    if (!add (libraries, text_get (&pattern)))
      return settings_wrong (s, name, "less: there is no memory");
  }
  return true;
}

bool
libraries_read (struct libraries *libraries, toolhost_build *build, const char *config, size_t len)
{
  struct settings s = { .build = build, .scan = { config, config + len } };
  const struct setting members[] = { { "libraries", read_libraries, libraries }, { .name = NULL } };

  return settings_read (&s, members);
}

void
libraries_free (struct libraries *libraries)
{
  for (size_t i = 0; i < libraries->count; i++)
    free (libraries->patterns[i]);
  free (libraries->patterns);
  *libraries = (struct libraries){ 0 };
}

static bool
is_granted (const struct libraries *libraries, const char *library)
{
  for (size_t i = 0; i < libraries->count; i++)
    if (fnmatch (libraries->patterns[i], library, FNM_PATHNAME | FNM_PERIOD) == 0)
      return true;
  return false;
}

/* ---- functions ---- */

__attribute__ ((format (printf, 3, 4))) static bool
wrong (struct values *pool, const char **why, const char *fmt, ...)
{
  char text[500];
  va_list list;

  va_start (list, fmt);
  (void) vsnprintf (text, sizeof text, fmt, list);
  va_end (list);
  *why = values_text (pool, text, strlen (text));
  return false;
}

/* A library's needs are in reach of dlsym, too; granted is only what it defines itself. */
static bool
is_its_own (void *handle, void *address, const char **other)
{
  struct link_map *own, *of = NULL;
  Dl_info info;

  *other = "another library";
  if (dlinfo (handle, RTLD_DI_LINKMAP, &own) != 0
      || dladdr1 (address, &info, (void **) &of, RTLD_DL_LINKMAP) == 0)
    return false;
  if (of != NULL && of->l_name != NULL && of->l_name[0] != '\0')
    *other = of->l_name;
  return of == own;
}

static bool
not_granted (const struct libraries *libraries, struct values *pool, const char *library,
             const char **why)
{
  CLEANUP_TEXT struct text more = { 0 };
  struct near near = { .word = library };

  for (size_t i = 0; i < libraries->count; i++)
    near_offer (&near, libraries->patterns[i]);
  near_say (&near, &more);
  return wrong (pool, why,
                "the library %.120s is not granted: the operator grants libraries in "
                "plugins.d/ffi.json, \"config\": {\"libraries\": […]}%s",
                library, text_get (&more));
}

bool
libraries_find (void *ctx, struct values *pool, const char *library, const char *symbol,
                c_function *function, const char **why)
{
  const struct libraries *libraries = ctx;
  const char *other;
  void *handle, *address;

  if (!is_granted (libraries, library))
    return not_granted (libraries, pool, library, why);
  handle = dlopen (library, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL)
    return wrong (pool, why, "the library %.120s can't be loaded: %s", library, dlerror ());
  address = dlsym (handle, symbol);
  if (address == NULL)
    return wrong (pool, why, "there is no function %.120s in %.120s", symbol, library);
  if (!is_its_own (handle, address, &other))
    return wrong (pool, why, "%.120s is a function of %.120s, not of %.120s", symbol, other,
                  library);
  memcpy (function, &address, sizeof address);
  return true;
}
