# The HTTP broker: the daemon makes the requests of tools, which have no network.
libhost_la_SOURCES += \
	%D%/address.c %D%/address.h \
	%D%/grant.c %D%/grant.h \
	%D%/url.c %D%/url.h
