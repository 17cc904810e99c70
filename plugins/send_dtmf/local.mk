noinst_LTLIBRARIES += %D%/libsend_dtmf.la
%C%_libsend_dtmf_la_SOURCES = \
  %D%/send_dtmf.c
%C%_libsend_dtmf_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_libsend_dtmf_la_CFLAGS = $(PLUGIN_CFLAGS)

plugin_LTLIBRARIES += %D%/send_dtmf.la
%C%_send_dtmf_la_SOURCES =
%C%_send_dtmf_la_LIBADD = %D%/libsend_dtmf.la plugins/common/libplugincommon.la
%C%_send_dtmf_la_LDFLAGS = $(BUNDLED_LINKFLAGS)

check_PROGRAMS += %D%/test_send_dtmf
%C%_test_send_dtmf_SOURCES = %D%/test_send_dtmf.c
%C%_test_send_dtmf_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
%C%_test_send_dtmf_LDADD = %D%/libsend_dtmf.la $(PLUGIN_TEST_LIBS)

dist_man_MANS += %D%/toolhost-send_dtmf-plugin.1
dist_policy_DATA += %D%/send_dtmf.json
