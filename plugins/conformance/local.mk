# The fixtures of MCP's conformance suite: for tests, never installed.
noinst_LTLIBRARIES += %D%/libconformance.la
%C%_libconformance_la_SOURCES = \
  %D%/asking.c \
  %D%/conformance.c \
  %D%/fixtures.h \
  %D%/media.c %D%/media.h \
  %D%/prompts.c \
  %D%/resources.c \
  %D%/tasks.c \
  %D%/tools.c \
  %D%/tools_running.c
%C%_libconformance_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_libconformance_la_CFLAGS = $(PLUGIN_CFLAGS)

check_LTLIBRARIES += %D%/conformance.la
%C%_conformance_la_SOURCES =
%C%_conformance_la_LIBADD = %D%/libconformance.la
%C%_conformance_la_LDFLAGS = $(BUNDLED_LINKFLAGS) -rpath /nowhere

check_PROGRAMS += %D%/test_conformance
%C%_test_conformance_SOURCES = %D%/test_conformance.c
%C%_test_conformance_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
%C%_test_conformance_LDADD = %D%/libconformance.la $(PLUGIN_TEST_LIBS)

EXTRA_DIST += \
  %D%/skills/commit-message/SKILL.md \
  %D%/skills/commit-message/references/RULES.md \
  %D%/skills/commit-message/templates/one-line.md \
  %D%/skills/commit-message/templates/short/why.md
