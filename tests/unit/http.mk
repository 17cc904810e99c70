# The HTTP server: its parser alone, and the whole of it on real sockets.
check_PROGRAMS += \
  %D%/test_http_accept \
  %D%/test_http_parse \
  %D%/test_http_peers \
  %D%/test_http_server \
  %D%/test_http_streams \
  %D%/test_http_threads

http_bed = %D%/http_bed.c %D%/http_bed.h %D%/tap.h

%C%_test_http_accept_SOURCES = %D%/test_http_accept.c %D%/tap.h
%C%_test_http_parse_SOURCES = %D%/test_http_parse.c %D%/tap.h
%C%_test_http_peers_SOURCES = %D%/test_http_peers.c $(http_bed)
%C%_test_http_server_SOURCES = %D%/test_http_server.c $(http_bed)
%C%_test_http_streams_SOURCES = %D%/test_http_streams.c $(http_bed)

%C%_test_http_threads_SOURCES = %D%/test_http_threads.c $(http_bed)

%C%_test_http_accept_LDADD = $(UNIT_LIBS)
%C%_test_http_parse_LDADD = $(UNIT_LIBS)
%C%_test_http_peers_LDADD = $(UNIT_LIBS)
%C%_test_http_server_LDADD = $(UNIT_LIBS)
%C%_test_http_streams_LDADD = $(UNIT_LIBS)
%C%_test_http_threads_LDADD = $(UNIT_LIBS)
