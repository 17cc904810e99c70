/* plugin_test.h - what the tests of the bundled plugins share: call a tool of the mock host and
 * compare what it says.  A difference is printed as a TAP comment; the caller asserts on the
 * answer. */
#ifndef TOOLHOST_PLUGINS_COMMON_PLUGIN_TEST_H
#define TOOLHOST_PLUGINS_COMMON_PLUGIN_TEST_H

#include <toolhost-mock.h>

#include "tap.h"

static inline bool
told (const char *what, const char *args, const char *expected, const char *got)
{
  if (got != NULL && strcmp (expected, got) == 0)
    return true;
  printf ("# %s of %s\n#   expected: %s\n#   got:      %s\n", what, args, expected,
          got != NULL ? got : "(none)");
  return false;
}

static inline bool
told_part (const char *what, const char *args, const char *part, const char *got)
{
  if (got != NULL && strstr (got, part) != NULL)
    return true;
  printf ("# %s of %s\n#   expected to hold: %s\n#   got:              %s\n", what, args, part,
          got != NULL ? got : "(none)");
  return false;
}

/* The call works and its text is exactly this. */
TOOLHOST_UNUSED static inline bool
says (toolhost_mock *mock, const char *tool, const char *args, const char *text)
{
  toolhost_mock_result *r = toolhost_mock_call (mock, tool, args);
  bool ok = r->status == TOOLHOST_OK ? told ("text", args, text, r->text)
                                     : told ("outcome", args, text, r->message);

  toolhost_mock_result_free (r);
  return ok;
}

/* The call works and its structured result holds this. */
TOOLHOST_UNUSED static inline bool
gives (toolhost_mock *mock, const char *tool, const char *args, const char *part)
{
  toolhost_mock_result *r = toolhost_mock_call (mock, tool, args);
  bool ok = r->status == TOOLHOST_OK ? told_part ("result", args, part, r->json)
                                     : told_part ("outcome", args, part, r->message);

  toolhost_mock_result_free (r);
  return ok;
}

/* The call fails with this code and a message that holds `part`. */
TOOLHOST_UNUSED static inline bool
fails (toolhost_mock *mock, const char *tool, const char *args, const char *code, const char *part)
{
  toolhost_mock_result *r = toolhost_mock_call (mock, tool, args);
  bool ok = r->status == TOOLHOST_FAILED
              ? told ("code", args, code, r->code) && told_part ("message", args, part, r->message)
              : told_part ("outcome", args, code, r->text);

  toolhost_mock_result_free (r);
  return ok;
}

/* The call is cancelled, and the tool noticed: it fails with this code and a message that holds
 * `part`. */
TOOLHOST_UNUSED static inline bool
stops (toolhost_mock *mock, const char *tool, const char *args, const char *code, const char *part)
{
  toolhost_mock_result *r = toolhost_mock_call (mock, tool, args);
  bool ok = r->status == TOOLHOST_CANCELLED
              ? told ("code", args, code, r->code) && told_part ("message", args, part, r->message)
              : told_part ("outcome", args, code, r->text);

  toolhost_mock_result_free (r);
  return ok;
}

/* validate refuses the arguments with problems that hold `part`. */
TOOLHOST_UNUSED static inline bool
refuses (toolhost_mock *mock, const char *tool, const char *args, const char *part)
{
  toolhost_mock_result *r = toolhost_mock_call (mock, tool, args);
  bool ok = r->status == TOOLHOST_BAD_VALUE ? told_part ("problems", args, part, r->problems)
                                            : told_part ("outcome", args, part, r->text);

  toolhost_mock_result_free (r);
  return ok;
}

/* A definition fits the literal it is written as: C compilers need to take no more than 4,095
 * bytes. */
TOOLHOST_UNUSED static inline bool
definition_fits (toolhost_mock *mock, const char *tool)
{
  const char *definition = toolhost_mock_definition (mock, tool);
  size_t len = definition != NULL ? strlen (definition) : 0;

  printf ("# definition of %s: %zu bytes\n", tool, len);
  return len > 0 && len <= 4095;
}

#endif
