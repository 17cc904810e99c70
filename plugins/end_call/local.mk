noinst_LTLIBRARIES += %D%/libend_call.la
%C%_libend_call_la_SOURCES = \
  %D%/end_call.c
%C%_libend_call_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_libend_call_la_CFLAGS = $(PLUGIN_CFLAGS)

plugin_LTLIBRARIES += %D%/end_call.la
%C%_end_call_la_SOURCES =
%C%_end_call_la_LIBADD = %D%/libend_call.la plugins/common/libplugincommon.la
%C%_end_call_la_LDFLAGS = $(BUNDLED_LINKFLAGS)

check_PROGRAMS += %D%/test_end_call
%C%_test_end_call_SOURCES = %D%/test_end_call.c
%C%_test_end_call_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
%C%_test_end_call_LDADD = %D%/libend_call.la $(PLUGIN_TEST_LIBS)

dist_man_MANS += %D%/toolhost-end_call-plugin.1
dist_policy_DATA += %D%/end_call.json
