noinst_LTLIBRARIES += %D%/libhttp_get.la
%C%_libhttp_get_la_SOURCES = \
  %D%/http_get.c
%C%_libhttp_get_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_libhttp_get_la_CFLAGS = $(PLUGIN_CFLAGS)

plugin_LTLIBRARIES += %D%/http_get.la
%C%_http_get_la_SOURCES =
%C%_http_get_la_LIBADD = %D%/libhttp_get.la plugins/common/libplugincommon.la
%C%_http_get_la_LDFLAGS = $(BUNDLED_LINKFLAGS)

check_PROGRAMS += %D%/test_http_get
%C%_test_http_get_SOURCES = %D%/test_http_get.c
%C%_test_http_get_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
%C%_test_http_get_LDADD = %D%/libhttp_get.la $(PLUGIN_TEST_LIBS)

dist_man_MANS += %D%/toolhost-http_get-plugin.1
