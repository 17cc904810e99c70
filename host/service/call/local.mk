# Telephone calls: what tools ask of them.
libhost_la_SOURCES += \
	%D%/openai.c %D%/openai.h \
	%D%/recording.c \
	%D%/service.c %D%/service.h
