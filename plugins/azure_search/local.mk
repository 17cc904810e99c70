noinst_LTLIBRARIES += %D%/libazure_search.la
%C%_libazure_search_la_SOURCES = \
  %D%/answer.c \
  %D%/ask.c \
  %D%/azure_search.c \
  %D%/index.c %D%/index.h
%C%_libazure_search_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_libazure_search_la_CFLAGS = $(PLUGIN_CFLAGS)

plugin_LTLIBRARIES += %D%/azure_search.la
%C%_azure_search_la_SOURCES =
%C%_azure_search_la_LIBADD = %D%/libazure_search.la plugins/common/libplugincommon.la
%C%_azure_search_la_LDFLAGS = $(BUNDLED_LINKFLAGS)

check_PROGRAMS += %D%/test_azure_search
%C%_test_azure_search_SOURCES = %D%/test_azure_search.c
%C%_test_azure_search_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
%C%_test_azure_search_LDADD = %D%/libazure_search.la $(PLUGIN_TEST_LIBS)

dist_man_MANS += %D%/toolhost-azure_search-plugin.1
dist_policy_DATA += %D%/azure_search.json
