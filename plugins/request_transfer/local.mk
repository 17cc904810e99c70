noinst_LTLIBRARIES += %D%/librequest_transfer.la
%C%_librequest_transfer_la_SOURCES = \
  %D%/request_transfer.c \
  %D%/refer.c %D%/refer.h \
  %D%/wording.c
%C%_librequest_transfer_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_librequest_transfer_la_CFLAGS = $(PLUGIN_CFLAGS)

plugin_LTLIBRARIES += %D%/request_transfer.la
%C%_request_transfer_la_SOURCES =
%C%_request_transfer_la_LIBADD = %D%/librequest_transfer.la plugins/common/libplugincommon.la
%C%_request_transfer_la_LDFLAGS = $(BUNDLED_LINKFLAGS)

check_PROGRAMS += %D%/test_request_transfer
%C%_test_request_transfer_SOURCES = %D%/test_request_transfer.c
%C%_test_request_transfer_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
%C%_test_request_transfer_LDADD = %D%/librequest_transfer.la $(PLUGIN_TEST_LIBS)

dist_policy_DATA += %D%/request_transfer.json
dist_man_MANS += %D%/toolhost-request_transfer-plugin.1
