# Built-in guards: what looks at arguments and results.
libhost_la_SOURCES += \
	%D%/at.c \
	%D%/chars.c %D%/chars.h \
	%D%/guard.c %D%/guard.h \
	%D%/kind.h \
	%D%/pii.c %D%/pii.h \
	%D%/pii_number.c \
	%D%/pii_phone.c \
	%D%/reading.c %D%/reading.h \
	%D%/walk.c
nodist_libhost_la_SOURCES += %D%/guards.schema.c
dist_schema_DATA += %D%/guards.schema.json
