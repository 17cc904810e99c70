/* test_rig.h - the plugin "ffi" under the mock host, the library of cases that stands beside the
 * tests, and what the documents of functions have in common. */
#ifndef TOOLHOST_PLUGINS_FFI_TEST_RIG_H
#define TOOLHOST_PLUGINS_FFI_TEST_RIG_H

#include "common/plugin_test.h"

#include <limits.h>
#include <unistd.h>

static toolhost_mock *mock;
static char library[PATH_MAX];

/* The library of cases stands in the folder of this program, or in .libs of it. */
TOOLHOST_UNUSED static inline void
find_library (void)
{
  char self[PATH_MAX - 64];
  ssize_t len = readlink ("/proc/self/exe", self, sizeof self - 1);
  char *slash;

  self[len > 0 ? len : 0] = '\0';
  slash = strrchr (self, '/');
  *(slash != NULL ? slash : self) = '\0';
  slash = strrchr (self, '/');
  snprintf (library, sizeof library, "%s/%slibcases.so", self,
            slash != NULL && strcmp (slash, "/.libs") == 0 ? "" : ".libs/");
}

TOOLHOST_UNUSED static inline int
start (void)
{
  char config[PATH_MAX + 100];

  find_library ();
  snprintf (config, sizeof config, "{\"libraries\":[\"libm.so.6\",\"libm.so.9\",\"%s\"]}", library);
  mock = toolhost_mock_new (toolhost_plugin_entry, config);
  if (mock == NULL)
    printf ("# %s\n", toolhost_mock_error ());
  return mock == NULL;
}

TOOLHOST_UNUSED static inline int
stop (void)
{
  toolhost_mock_free (mock);
  return 0;
}

/* A feature, where $L is the library of cases. */
TOOLHOST_UNUSED static inline toolhost_status
build (const char *config)
{
  char text[32768], *to = text;
  toolhost_status status;

  for (; *config != '\0'; config++)
    if (config[0] == '$' && config[1] == 'L') {
      to = stpcpy (to, library);
      config++;
    }
    else
      *to++ = *config;
  *to = '\0';
  status = toolhost_mock_build (mock, "functions", text);
  return status;
}

TOOLHOST_UNUSED static inline void
built (const char *config)
{
  if (build (config) != TOOLHOST_OK)
    printf ("# %s\n", toolhost_mock_error ());
  CU_ASSERT_PTR_NULL_FATAL (build (config) == TOOLHOST_OK ? NULL : toolhost_mock_error ());
}

TOOLHOST_UNUSED static inline void
wrong (const char *config, const char *part)
{
  if (build (config) == TOOLHOST_OK)
    printf ("# was built: %s\n", config);
  else
    CU_ASSERT (told_part ("build error", config, part, toolhost_mock_error ()));
  CU_ASSERT_NOT_EQUAL (build (config), TOOLHOST_OK);
}

/* One function of the cases, with what its document says besides. */
#define F(name, more) "{\"name\":\"" name "\",\"description\":\"d\",\"library\":\"$L\"" more "}"
#define ONE(name, more) "{\"functions\":[" F (name, more) "]}"
#define TYPES(types, name, more) "{\"types\":" types ",\"functions\":[" F (name, more) "]}"
#define PARAMS(list) ",\"params\":[" list "]"
#define P(name, type) "{\"name\":\"" name "\",\"type\":\"" type "\"}"
#define PM(name, type, more) "{\"name\":\"" name "\",\"type\":\"" type "\"," more "}"
#define RETURNS(type) ",\"returns\":\"" type "\""

#define POINT                                                                                      \
  "\"point\":{\"struct\":[{\"name\":\"x\",\"type\":\"double\"},"                                   \
  "{\"name\":\"y\",\"type\":\"double\"}]}"
#define RECT                                                                                       \
  "\"rect\":{\"struct\":[{\"name\":\"from\",\"type\":\"point\"},"                                  \
  "{\"name\":\"to\",\"type\":\"struct point\"},"                                                   \
  "{\"name\":\"label\",\"type\":\"char [8]\"},"                                                    \
  "{\"name\":\"tags\",\"type\":\"int16_t [3]\"}]}"
#define COLOUR "\"colour\":{\"enum\":{\"RED\":0,\"GREEN\":5,\"BLUE\":6}}"

/* Does the definition say so? */
TOOLHOST_UNUSED static inline void
defines (const char *tool, const char *part)
{
  CU_ASSERT (told_part ("definition", tool, part, toolhost_mock_definition (mock, tool)));
}

/* How many things of the library are there. */
TOOLHOST_UNUSED static inline int
live (void)
{
  toolhost_mock_result *r;
  int count;

  built (ONE ("count_live", RETURNS ("int")));
  r = toolhost_mock_call (mock, "count_live", "{}");
  count = atoi (r->text);
  toolhost_mock_result_free (r);
  return count;
}

#endif
