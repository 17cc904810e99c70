noinst_LTLIBRARIES += %D%/libactions.la
%C%_libactions_la_SOURCES = \
  %D%/action_read.c %D%/action_read.h \
  %D%/action_read_set.c \
  %D%/actions.c \
  %D%/check.c %D%/internal.h \
  %D%/condition.c %D%/condition.h \
  %D%/endpoint.c %D%/endpoint.h %D%/endpoint_url.c \
  %D%/expr.c %D%/expr.h \
  %D%/path.c %D%/path.h \
  %D%/played.c %D%/played.h \
  %D%/problem.c %D%/problem.h \
  %D%/program.c %D%/program.h \
  %D%/program_write.c \
  %D%/read.c %D%/read.h \
  %D%/real.c %D%/real.h \
  %D%/rule.c %D%/rule.h \
  %D%/run.c %D%/run.h \
  %D%/run_context.c \
  %D%/run_outside.c \
  %D%/run_write.c \
  %D%/set.c %D%/set.h \
  %D%/surroundings.h \
  %D%/try.c
%C%_libactions_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) $(PCRE2_CFLAGS)
%C%_libactions_la_CFLAGS = $(PLUGIN_CFLAGS)

plugin_LTLIBRARIES += %D%/actions.la
%C%_actions_la_SOURCES =
%C%_actions_la_LIBADD = %D%/libactions.la plugins/common/libplugincommon.la $(PCRE2_LIBS)
%C%_actions_la_LDFLAGS = $(BUNDLED_LINKFLAGS)

check_PROGRAMS += %D%/test_actions
%C%_test_actions_SOURCES = %D%/test_actions.c
%C%_test_actions_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
%C%_test_actions_LDADD = %D%/libactions.la $(PLUGIN_TEST_LIBS) $(PCRE2_LIBS)

# The rows of tests/actions.
check_PROGRAMS += %D%/test_table
%C%_test_table_SOURCES = %D%/test_table.c
%C%_test_table_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
%C%_test_table_LDADD = %D%/libactions.la $(PLUGIN_TEST_LIBS) $(PCRE2_LIBS)

dist_man_MANS += %D%/toolhost-actions-plugin.1
dist_policy_DATA += %D%/actions.json
