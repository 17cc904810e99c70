noinst_LTLIBRARIES += %D%/libdata_query.la
%C%_libdata_query_la_SOURCES = \
  %D%/data_query.c \
  %D%/table.c %D%/table.h
%C%_libdata_query_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_libdata_query_la_CFLAGS = $(PLUGIN_CFLAGS)

plugin_LTLIBRARIES += %D%/data_query.la
%C%_data_query_la_SOURCES =
%C%_data_query_la_LIBADD = %D%/libdata_query.la plugins/common/libplugincommon.la
%C%_data_query_la_LDFLAGS = $(BUNDLED_LINKFLAGS)

check_PROGRAMS += %D%/test_data_query
%C%_test_data_query_SOURCES = %D%/test_data_query.c
%C%_test_data_query_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
%C%_test_data_query_LDADD = %D%/libdata_query.la $(PLUGIN_TEST_LIBS)

dist_man_MANS += %D%/toolhost-data_query-plugin.1
