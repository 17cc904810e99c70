# WebSockets to servers.
libhost_la_SOURCES += \
	%D%/client.c %D%/client.h \
	%D%/upgrade.c %D%/upgrade.h \
	%D%/wire.h
