noinst_LTLIBRARIES += %D%/libagent_as_handoff.la
%C%_libagent_as_handoff_la_SOURCES = \
  %D%/agent.c %D%/agent.h \
  %D%/agent_as_handoff.c
%C%_libagent_as_handoff_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_libagent_as_handoff_la_CFLAGS = $(PLUGIN_CFLAGS)

plugin_LTLIBRARIES += %D%/agent_as_handoff.la
%C%_agent_as_handoff_la_SOURCES =
%C%_agent_as_handoff_la_LIBADD = %D%/libagent_as_handoff.la plugins/common/libplugincommon.la
%C%_agent_as_handoff_la_LDFLAGS = $(BUNDLED_LINKFLAGS)

check_PROGRAMS += %D%/test_agent_as_handoff
%C%_test_agent_as_handoff_SOURCES = %D%/test_agent_as_handoff.c
%C%_test_agent_as_handoff_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
%C%_test_agent_as_handoff_LDADD = %D%/libagent_as_handoff.la $(PLUGIN_TEST_LIBS)

dist_man_MANS += %D%/toolhost-agent_as_handoff-plugin.1
dist_policy_DATA += %D%/agent_as_handoff.json
