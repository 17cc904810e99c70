noinst_LTLIBRARIES += %D%/libffi_tools.la
%C%_libffi_tools_la_SOURCES = \
  %D%/bind.c %D%/function_parts.h \
  %D%/c_compound.c %D%/c_parser.h \
  %D%/c_constant.c \
  %D%/c_declare.c \
  %D%/c_lex.c %D%/c_lex.h \
  %D%/c_parse.c %D%/c_parse.h \
  %D%/c_type.c %D%/c_type.h \
  %D%/check_values.c \
  %D%/comment.c \
  %D%/define.c \
  %D%/document.c %D%/document.h \
  %D%/document_types.c \
  %D%/feature.c %D%/feature.h \
  %D%/ffi.c \
  %D%/function_read.c %D%/function.h \
  %D%/headers.c %D%/header.h \
  %D%/import.c \
  %D%/library.c %D%/library.h \
  %D%/marshal.c %D%/marshal.h \
  %D%/param_read.c \
  %D%/propose.c \
  %D%/run.c %D%/run.h \
  %D%/run_prepare.c \
  %D%/unmarshal.c
%C%_libffi_tools_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) $(FFI_CFLAGS)
%C%_libffi_tools_la_CFLAGS = $(PLUGIN_CFLAGS)

plugin_LTLIBRARIES += %D%/ffi.la
%C%_ffi_la_SOURCES =
%C%_ffi_la_LIBADD = %D%/libffi_tools.la plugins/common/libplugincommon.la $(FFI_LIBS) -lm
%C%_ffi_la_LDFLAGS = $(BUNDLED_LINKFLAGS)

# Functions of all kinds, for the tests.
check_LTLIBRARIES += %D%/libcases.la
%C%_libcases_la_SOURCES = %D%/cases.c %D%/cases.h
%C%_libcases_la_CPPFLAGS = -D_GNU_SOURCE
%C%_libcases_la_CFLAGS = -std=c11 $(WARN_CFLAGS)
%C%_libcases_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere

# The library of cases is what these load, except test_header.
check_PROGRAMS += %D%/test_ffi %D%/test_values %D%/test_slips %D%/test_header
%C%_test_ffi_SOURCES = %D%/test_ffi.c %D%/test_rig.h
%C%_test_ffi_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS) $(FFI_CFLAGS)
%C%_test_ffi_LDADD = %D%/libffi_tools.la $(PLUGIN_TEST_LIBS) $(FFI_LIBS) -lm
EXTRA_%C%_test_ffi_DEPENDENCIES = %D%/libcases.la
%C%_test_values_SOURCES = %D%/test_values.c %D%/test_rig.h
%C%_test_values_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS) $(FFI_CFLAGS)
%C%_test_values_LDADD = %D%/libffi_tools.la $(PLUGIN_TEST_LIBS) $(FFI_LIBS) -lm
EXTRA_%C%_test_values_DEPENDENCIES = %D%/libcases.la
%C%_test_slips_SOURCES = %D%/test_slips.c %D%/test_rig.h
%C%_test_slips_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS) $(FFI_CFLAGS)
%C%_test_slips_LDADD = %D%/libffi_tools.la $(PLUGIN_TEST_LIBS) $(FFI_LIBS) -lm
EXTRA_%C%_test_slips_DEPENDENCIES = %D%/libcases.la
%C%_test_header_SOURCES = %D%/test_header.c
%C%_test_header_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS) $(FFI_CFLAGS)
%C%_test_header_LDADD = %D%/libffi_tools.la $(PLUGIN_TEST_LIBS) $(FFI_LIBS) -lm

# What ./dev valgrind runs.
EXTRA_PROGRAMS += %D%/many_calls
%C%_many_calls_SOURCES = %D%/many_calls.c
%C%_many_calls_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS) $(FFI_CFLAGS)
%C%_many_calls_LDADD = %D%/libffi_tools.la $(PLUGIN_TEST_LIBS) $(FFI_LIBS) -lm
EXTRA_%C%_many_calls_DEPENDENCIES = %D%/libcases.la

dist_man_MANS += %D%/toolhost-ffi-plugin.1
dist_policy_DATA += %D%/ffi.json
