# The HTTP server: its parser alone, and the whole of it on real sockets.
check_PROGRAMS += \
  %D%/test_http_accept \
  %D%/test_http_parse \
  %D%/test_http_server

%C%_test_http_accept_SOURCES = %D%/test_http_accept.c %D%/tap.h
%C%_test_http_parse_SOURCES = %D%/test_http_parse.c %D%/tap.h
%C%_test_http_server_SOURCES = %D%/test_http_server.c %D%/tap.h

%C%_test_http_accept_LDADD = $(UNIT_LIBS)
%C%_test_http_parse_LDADD = $(UNIT_LIBS)
%C%_test_http_server_LDADD = $(UNIT_LIBS)
