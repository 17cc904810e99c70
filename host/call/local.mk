libhost_la_SOURCES += \
	%D%/arguments.c %D%/arguments.h \
	%D%/call.c %D%/call.h \
	%D%/call_log.c %D%/call_log.h \
	%D%/calls.c %D%/calls.h \
	%D%/errors.c %D%/errors.def \
	%D%/finish.c %D%/outcome.c %D%/running.h \
	%D%/inside.c %D%/inside.h \
	%D%/problems.c %D%/problems.h \
	%D%/resolve.c %D%/resolve.h
