noinst_LTLIBRARIES += %D%/libweb_search.la
%C%_libweb_search_la_SOURCES = \
  %D%/web_search.c \
  %D%/engine.c %D%/engine.h \
  %D%/plain.c %D%/plain.h
%C%_libweb_search_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_libweb_search_la_CFLAGS = $(PLUGIN_CFLAGS)

plugin_LTLIBRARIES += %D%/web_search.la
%C%_web_search_la_SOURCES =
%C%_web_search_la_LIBADD = %D%/libweb_search.la plugins/common/libplugincommon.la
%C%_web_search_la_LDFLAGS = $(BUNDLED_LINKFLAGS)

check_PROGRAMS += %D%/test_web_search
%C%_test_web_search_SOURCES = %D%/test_web_search.c
%C%_test_web_search_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
%C%_test_web_search_LDADD = %D%/libweb_search.la $(PLUGIN_TEST_LIBS)

dist_man_MANS += %D%/toolhost-web_search-plugin.1
dist_policy_DATA += %D%/web_search.json
