libhost_la_SOURCES += \
	%D%/catalog.c %D%/catalog.h \
	%D%/definition.c %D%/definition.h \
	%D%/discovery.c %D%/discovery.h \
	%D%/toolset.c %D%/toolset.h
