libhost_la_SOURCES += \
	%D%/arguments.c %D%/arguments.h \
	%D%/call.c %D%/call.h %D%/calls.h \
	%D%/errors.c %D%/errors.def \
	%D%/inside.c %D%/inside.h \
	%D%/problems.c %D%/problems.h
