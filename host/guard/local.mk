# Built-in guards: what looks at arguments and results.
libhost_la_SOURCES += \
	%D%/at.c \
	%D%/chars.c %D%/chars.h \
	%D%/fits.c \
	%D%/guard.c %D%/guard.h \
	%D%/injection.c \
	%D%/injection_phrases.c %D%/injection.h \
	%D%/kind.h \
	%D%/lists.c \
	%D%/patterns.c \
	%D%/pii.c %D%/pii.h \
	%D%/pii_number.c \
	%D%/pii_phone.c \
	%D%/reading.c %D%/reading.h \
	%D%/secrets.c \
	%D%/size.c \
	%D%/walk.c \
	%D%/lexicon.c %D%/lexicon.h
nodist_libhost_la_SOURCES += %D%/guards.schema.c
dist_schema_DATA += %D%/guards.schema.json
