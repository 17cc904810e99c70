# libtoolhost-mock: the host of a tool's unit tests, made of the worker's own checks and call object.
lib_LTLIBRARIES += libtoolhost-mock.la
libtoolhost_mock_la_SOURCES = %D%/ask.c %D%/beyond.c %D%/http.c %D%/invoke.c %D%/inside.h %D%/mock.c \
	%D%/session.c
libtoolhost_mock_la_LIBADD = libplugin.la libbase.la -lpthread
libtoolhost_mock_la_LDFLAGS = $(HARDEN_LDFLAGS) -version-info 0:0:0 -no-undefined \
	-export-symbols-regex '^toolhost_mock_'
