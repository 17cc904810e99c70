# What the bundled plugins share; linked into each of them.
noinst_LTLIBRARIES += %D%/libplugincommon.la
%C%_libplugincommon_la_SOURCES = \
  %D%/base64.c %D%/base64.h \
  %D%/built.c %D%/built.h \
  %D%/json_scan.c %D%/json_scan.h \
  %D%/line_feed.c %D%/line_feed.h \
  %D%/near.c %D%/near.h \
  %D%/percent.c %D%/percent.h \
  %D%/settings.c %D%/settings.h \
  %D%/sse.c %D%/sse.h \
  %D%/text.c %D%/text.h \
  %D%/utf8.c %D%/utf8.h \
  %D%/value.c %D%/value.h %D%/value_read.c \
  %D%/voice.c %D%/voice.h \
  %D%/voice_tool.c %D%/voice_tool.h
%C%_libplugincommon_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_libplugincommon_la_CFLAGS = $(PLUGIN_CFLAGS)

check_PROGRAMS += %D%/test_common %D%/test_streams %D%/test_value
%C%_test_streams_SOURCES = %D%/test_streams.c
%C%_test_streams_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
%C%_test_streams_LDADD = %D%/libplugincommon.la $(CUNIT_LIBS)
%C%_test_common_SOURCES = %D%/test_common.c
%C%_test_common_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
%C%_test_common_LDADD = %D%/libplugincommon.la $(CUNIT_LIBS)
%C%_test_value_SOURCES = %D%/test_value.c
%C%_test_value_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
%C%_test_value_LDADD = %D%/libplugincommon.la $(CUNIT_LIBS)

EXTRA_DIST += %D%/plugin_test.h %D%/voice_test.h
