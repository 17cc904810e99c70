# The SDK as a tool's author meets it: the header alone, in every language it promises, without any
# other flag of ours; its ABI's shape; plugins under the mock host.
sdk_alone = -I$(srcdir)/sdk
sdk_pedantic = -Wall -Wextra -Wpedantic -Wshadow -Werror
sdk_sources = %D%/header_alone.c %D%/smallest.c %D%/beyond.c %D%/every_wrapper.c

check_LTLIBRARIES += libsdk-c99.la libsdk-c11.la libsdk-c17.la libsdk-cxx20.la libsdk-abi.la
libsdk_c99_la_SOURCES = $(sdk_sources)
libsdk_c99_la_CPPFLAGS = $(sdk_alone)
libsdk_c99_la_CFLAGS = -std=c99 $(sdk_pedantic)
libsdk_c11_la_SOURCES = $(sdk_sources)
libsdk_c11_la_CPPFLAGS = $(sdk_alone)
libsdk_c11_la_CFLAGS = -std=c11 -Wconversion $(sdk_pedantic)
libsdk_c17_la_SOURCES = $(sdk_sources)
libsdk_c17_la_CPPFLAGS = $(sdk_alone)
libsdk_c17_la_CFLAGS = -std=gnu17 $(sdk_pedantic)
libsdk_cxx20_la_SOURCES = %D%/header_alone.cc
libsdk_cxx20_la_CPPFLAGS = $(sdk_alone)
libsdk_cxx20_la_CXXFLAGS = -std=c++20 $(sdk_pedantic)
libsdk_abi_la_SOURCES = %D%/abi.c
libsdk_abi_la_CPPFLAGS = $(sdk_alone)
libsdk_abi_la_CFLAGS = -std=c11 $(sdk_pedantic)

check_LTLIBRARIES += %D%/two.la
%C%_two_la_SOURCES = %D%/two_main.c %D%/two_upper.c %D%/two.h
%C%_two_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_two_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_two_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_PROGRAMS += %D%/test_two %D%/test_cxx
%C%_test_two_SOURCES = %D%/test_two.c %D%/two_main.c %D%/two_upper.c %D%/two.h
%C%_test_two_CPPFLAGS = $(sdk_alone) -I$(srcdir)/tests/unit
%C%_test_two_LDADD = libtoolhost-mock.la $(CUNIT_LIBS)
%C%_test_cxx_SOURCES = %D%/test_cxx.cc
%C%_test_cxx_CPPFLAGS = $(sdk_alone)
%C%_test_cxx_CXXFLAGS = -std=c++20 $(sdk_pedantic) $(HARDEN_CFLAGS)
%C%_test_cxx_LDADD = libtoolhost-mock.la
