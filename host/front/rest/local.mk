# The plain HTTP paths.
libhost_la_SOURCES += \
  %D%/asks.c %D%/asks.h \
  %D%/body.c %D%/body.h \
  %D%/calls.c %D%/calls.h \
  %D%/cost.c %D%/cost.h \
  %D%/formats.c %D%/formats.h \
  %D%/rest.c %D%/rest.h \
  %D%/results.c %D%/results.h \
  %D%/session_call.c \
  %D%/sessions.c %D%/sessions.h \
  %D%/route.c %D%/route.h \
  %D%/stats.c %D%/stats.h \
  %D%/wish.c %D%/wish.h
