# The HTTP broker: the daemon makes the requests of tools, which have no network.
libhost_la_SOURCES += \
	%D%/address.c %D%/address.h \
	%D%/asked.c %D%/asked.h \
	%D%/broker.c %D%/broker.h \
	%D%/cassette.c %D%/cassette.h \
	%D%/circuit.c %D%/circuit.h \
	%D%/curl.c %D%/curl.h \
	%D%/curl_library.c %D%/curl_library.h \
	%D%/curl_parts.h \
	%D%/dial.c %D%/dial.h \
	%D%/fetch.c %D%/fetch.h %D%/fetch_trace.c %D%/fetch_trace.h \
	%D%/grant.c %D%/grant.h \
	%D%/headers.c %D%/headers.h \
	%D%/request.c %D%/request.h \
	%D%/resolver.c %D%/resolver.h \
	%D%/retry.c %D%/retry.h \
	%D%/rules.c %D%/rules.h \
	%D%/transport.h \
	%D%/url.c %D%/url.h
