noinst_LTLIBRARIES += %D%/libecho.la
%C%_libecho_la_SOURCES = \
  %D%/echo.c
%C%_libecho_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_libecho_la_CFLAGS = $(PLUGIN_CFLAGS)

plugin_LTLIBRARIES += %D%/echo.la
%C%_echo_la_SOURCES =
%C%_echo_la_LIBADD = %D%/libecho.la
%C%_echo_la_LDFLAGS = $(BUNDLED_LINKFLAGS)

check_PROGRAMS += %D%/test_echo
%C%_test_echo_SOURCES = %D%/test_echo.c
%C%_test_echo_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
%C%_test_echo_LDADD = %D%/libecho.la $(PLUGIN_TEST_LIBS)

dist_man_MANS += %D%/toolhost-echo-plugin.1
