noinst_LTLIBRARIES += %D%/libtransfer_call.la
%C%_libtransfer_call_la_SOURCES = \
  %D%/number.c %D%/number.h \
  %D%/transfer_call.c
%C%_libtransfer_call_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_libtransfer_call_la_CFLAGS = $(PLUGIN_CFLAGS)

plugin_LTLIBRARIES += %D%/transfer_call.la
%C%_transfer_call_la_SOURCES =
%C%_transfer_call_la_LIBADD = %D%/libtransfer_call.la plugins/common/libplugincommon.la
%C%_transfer_call_la_LDFLAGS = $(BUNDLED_LINKFLAGS)

check_PROGRAMS += %D%/test_transfer_call
%C%_test_transfer_call_SOURCES = %D%/test_transfer_call.c
%C%_test_transfer_call_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
%C%_test_transfer_call_LDADD = %D%/libtransfer_call.la $(PLUGIN_TEST_LIBS)

dist_man_MANS += %D%/toolhost-transfer_call-plugin.1
dist_policy_DATA += %D%/transfer_call.json
