noinst_LTLIBRARIES += %D%/libagent.la
%C%_libagent_la_SOURCES = \
  %D%/a2a.c \
  %D%/agent.c %D%/agent.h \
  %D%/chat.c \
  %D%/keep.c \
  %D%/messages.c \
  %D%/plugin.c \
  %D%/protocol.c %D%/protocol.h \
  %D%/responses.c \
  %D%/run.c %D%/run.h \
  %D%/service.c %D%/service.h \
  %D%/tools.c
%C%_libagent_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_libagent_la_CFLAGS = $(PLUGIN_CFLAGS)

plugin_LTLIBRARIES += %D%/agent.la
%C%_agent_la_SOURCES =
%C%_agent_la_LIBADD = %D%/libagent.la plugins/common/libplugincommon.la
%C%_agent_la_LDFLAGS = $(BUNDLED_LINKFLAGS)

check_PROGRAMS += %D%/test_agent
%C%_test_agent_SOURCES = %D%/test_agent.c
%C%_test_agent_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
%C%_test_agent_LDADD = %D%/libagent.la $(PLUGIN_TEST_LIBS)

dist_man_MANS += %D%/toolhost-agent-plugin.1
dist_policy_DATA += %D%/agent.json
