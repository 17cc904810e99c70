# The services of the daemon.
check_PROGRAMS += %D%/test_http_address %D%/test_http_url

%C%_test_http_address_SOURCES = %D%/test_http_address.c %D%/tap.h
%C%_test_http_address_LDADD = $(UNIT_LIBS)
%C%_test_http_url_SOURCES = %D%/test_http_url.c %D%/tap.h
%C%_test_http_url_LDADD = $(UNIT_LIBS)

check_PROGRAMS += %D%/test_http_fetch
%C%_test_http_fetch_SOURCES = %D%/test_http_fetch.c %D%/tap.h
%C%_test_http_fetch_LDADD = $(UNIT_LIBS)

check_PROGRAMS += %D%/test_http_cassette
%C%_test_http_cassette_SOURCES = %D%/test_http_cassette.c %D%/tap.h
%C%_test_http_cassette_LDADD = $(UNIT_LIBS)

check_PROGRAMS += %D%/test_call_service
%C%_test_call_service_SOURCES = %D%/test_call_service.c %D%/tap.h
%C%_test_call_service_LDADD = $(UNIT_LIBS)

check_PROGRAMS += %D%/test_jwks_url
%C%_test_jwks_url_SOURCES = %D%/test_jwks_url.c %D%/tap.h
%C%_test_jwks_url_LDADD = $(UNIT_LIBS)
