libhost_la_SOURCES += %D%/call.c %D%/call.h %D%/calls.h %D%/errors.c %D%/errors.def
