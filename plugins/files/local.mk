noinst_LTLIBRARIES += %D%/libfiles.la
%C%_libfiles_la_SOURCES = \
  %D%/files.c %D%/files.h \
  %D%/folder.c %D%/folder.h \
  %D%/glob.c %D%/glob.h \
  %D%/lines.c %D%/lines.h \
  %D%/list.c \
  %D%/read.c \
  %D%/roots.c %D%/roots.h \
  %D%/search.c
%C%_libfiles_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_libfiles_la_CFLAGS = $(PLUGIN_CFLAGS)

plugin_LTLIBRARIES += %D%/files.la
%C%_files_la_SOURCES =
%C%_files_la_LIBADD = %D%/libfiles.la plugins/common/libplugincommon.la
%C%_files_la_LDFLAGS = $(BUNDLED_LINKFLAGS)

check_PROGRAMS += %D%/test_files
%C%_test_files_SOURCES = %D%/test_files.c
%C%_test_files_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
%C%_test_files_LDADD = %D%/libfiles.la $(PLUGIN_TEST_LIBS) -lpthread

dist_man_MANS += %D%/toolhost-files-plugin.1
