/* voice_test.h - what the tests of voice tools share: a mock host whose calls are in a session. */
#ifndef TOOLHOST_PLUGINS_COMMON_VOICE_TEST_H
#define TOOLHOST_PLUGINS_COMMON_VOICE_TEST_H

#include "common/plugin_test.h"

static toolhost_mock *mock;

/* Of a suite: before and after its tests. */
TOOLHOST_UNUSED static inline int
voice_start (void)
{
  mock = toolhost_mock_new (toolhost_plugin_entry, NULL);
  if (mock != NULL)
    toolhost_mock_set_in_session (mock, true);
  return mock == NULL;
}

TOOLHOST_UNUSED static inline int
voice_stop (void)
{
  toolhost_mock_free (mock);
  return 0;
}

/* The feature as it is configured now. */
TOOLHOST_UNUSED static inline void
voice_build (const char *feature, const char *config)
{
  CU_ASSERT_EQUAL_FATAL (toolhost_mock_build (mock, feature, config), TOOLHOST_OK);
}

/* The call works, says this to the user, and gives the model nothing of its own. */
TOOLHOST_UNUSED static inline void
voice_tells (const char *tool, const char *args, const char *events)
{
  toolhost_mock_result *r = toolhost_mock_call (mock, tool, args);

  CU_ASSERT_EQUAL (r->status, TOOLHOST_OK);
  CU_ASSERT (told ("events", args, events, r->emitted));
  CU_ASSERT_STRING_EQUAL (r->content, "[]");
  toolhost_mock_result_free (r);
}

TOOLHOST_UNUSED static inline void
voice_needs_a_session (const char *tool, const char *args)
{
  toolhost_mock_set_in_session (mock, false);
  CU_ASSERT (fails (mock, tool, args, "no_conversation", "the call is in no session"));
  toolhost_mock_set_in_session (mock, true);
}

#endif
