noinst_LTLIBRARIES += %D%/libmcp.la
%C%_libmcp_la_SOURCES = \
  %D%/mcp.c \
  %D%/config.c %D%/config.h \
  %D%/http.c \
  %D%/message.c %D%/message.h \
  %D%/pipe.c \
  %D%/questions.c \
  %D%/result.c \
  %D%/tool.c %D%/tool.h \
  %D%/upstream.c %D%/upstream.h
%C%_libmcp_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_libmcp_la_CFLAGS = $(PLUGIN_CFLAGS)

plugin_LTLIBRARIES += %D%/mcp.la
%C%_mcp_la_SOURCES =
%C%_mcp_la_LIBADD = %D%/libmcp.la plugins/common/libplugincommon.la -lpthread
%C%_mcp_la_LDFLAGS = $(BUNDLED_LINKFLAGS)

check_PROGRAMS += %D%/test_mcp
%C%_test_mcp_SOURCES = %D%/test_mcp.c
%C%_test_mcp_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
%C%_test_mcp_LDADD = %D%/libmcp.la $(PLUGIN_TEST_LIBS)

dist_man_MANS += %D%/toolhost-mcp-plugin.1
dist_policy_DATA += %D%/mcp.json
