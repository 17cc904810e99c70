# Telephone calls: what tools ask of them.
libhost_la_SOURCES += \
	%D%/recording.c \
	%D%/service.c %D%/service.h
