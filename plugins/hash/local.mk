noinst_LTLIBRARIES += %D%/libhash.la
%C%_libhash_la_SOURCES = \
  %D%/digest.c %D%/digest.h \
  %D%/hash.c
%C%_libhash_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) $(CRYPTO_CFLAGS)
%C%_libhash_la_CFLAGS = $(PLUGIN_CFLAGS)

plugin_LTLIBRARIES += %D%/hash.la
%C%_hash_la_SOURCES =
%C%_hash_la_LIBADD = %D%/libhash.la plugins/common/libplugincommon.la $(CRYPTO_LIBS)
%C%_hash_la_LDFLAGS = $(BUNDLED_LINKFLAGS)

check_PROGRAMS += %D%/test_hash
%C%_test_hash_SOURCES = %D%/test_hash.c
%C%_test_hash_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
%C%_test_hash_LDADD = %D%/libhash.la $(PLUGIN_TEST_LIBS) $(CRYPTO_LIBS)

dist_man_MANS += %D%/toolhost-hash-plugin.1
