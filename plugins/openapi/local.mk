noinst_LTLIBRARIES += %D%/libopenapi.la
%C%_libopenapi_la_SOURCES = \
  %D%/body.c %D%/body.h \
  %D%/check.c %D%/check.h \
  %D%/config.c %D%/config.h \
  %D%/definition.c %D%/definition.h \
  %D%/document.c %D%/document.h \
  %D%/multipart.c \
  %D%/names.c %D%/names.h \
  %D%/openapi.c \
  %D%/operations.c %D%/operations.h \
  %D%/param.c %D%/param.h \
  %D%/request.c %D%/request.h \
  %D%/response.c %D%/response.h \
  %D%/schema.c %D%/schema.h \
  %D%/search.c %D%/search.h %D%/search_index.c \
  %D%/security.c %D%/security.h \
  %D%/service.c %D%/service.h \
  %D%/trim.c %D%/trim.h \
  %D%/url.c %D%/url.h \
  %D%/wanted.c %D%/wanted.h \
  %D%/yaml.c %D%/yaml.h
%C%_libopenapi_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) $(YAML_CFLAGS)
%C%_libopenapi_la_CFLAGS = $(PLUGIN_CFLAGS)

plugin_LTLIBRARIES += %D%/openapi.la
%C%_openapi_la_SOURCES =
%C%_openapi_la_LIBADD = %D%/libopenapi.la plugins/common/libplugincommon.la $(YAML_LIBS) -lm
%C%_openapi_la_LDFLAGS = $(BUNDLED_LINKFLAGS)

check_PROGRAMS += %D%/test_openapi
%C%_test_openapi_SOURCES = %D%/test_openapi.c %D%/test_rig.h
%C%_test_openapi_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
%C%_test_openapi_LDADD = %D%/libopenapi.la $(PLUGIN_TEST_LIBS) $(YAML_LIBS) -lm

check_PROGRAMS += %D%/test_calls
%C%_test_calls_SOURCES = %D%/test_calls.c %D%/test_rig.h
%C%_test_calls_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
%C%_test_calls_LDADD = %D%/libopenapi.la $(PLUGIN_TEST_LIBS) $(YAML_LIBS) -lm

check_PROGRAMS += %D%/test_bodies
%C%_test_bodies_SOURCES = %D%/test_bodies.c
%C%_test_bodies_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
%C%_test_bodies_LDADD = %D%/libopenapi.la $(PLUGIN_TEST_LIBS) $(YAML_LIBS) -lm

# What others ask of such a plugin, row by row.
check_PROGRAMS += %D%/test_rows
%C%_test_rows_SOURCES = %D%/test_rows.c %D%/test_rig.h
%C%_test_rows_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
%C%_test_rows_LDADD = %D%/libopenapi.la $(PLUGIN_TEST_LIBS) $(YAML_LIBS) -lm

# The vectors of parameters, paths and servers.
check_PROGRAMS += %D%/test_vectors
%C%_test_vectors_SOURCES = %D%/test_vectors.c
%C%_test_vectors_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
%C%_test_vectors_LDADD = %D%/libopenapi.la $(PLUGIN_TEST_LIBS) $(YAML_LIBS) -lm

dist_man_MANS += %D%/toolhost-openapi-plugin.1
dist_policy_DATA += %D%/openapi.json
