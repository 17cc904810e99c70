# JSON Schema: compile once, validate many, say what is wrong.  Needs PCRE2.
libhost_la_SOURCES += \
  %D%/check.c %D%/check.h \
  %D%/compile.h \
  %D%/explain.c %D%/explain.h \
  %D%/line.c %D%/line.h \
  %D%/link.c \
  %D%/phrase.c %D%/phrase.h \
  %D%/place.c %D%/place.h \
  %D%/program.h \
  %D%/regex.c %D%/regex.h \
  %D%/regex_ecma.c \
  %D%/schema.c %D%/schema.h \
  %D%/unique.c \
  %D%/validate.c \
  %D%/words.c %D%/words.h
