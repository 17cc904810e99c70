# AG-UI: the tools of a stream of events.
libhost_la_SOURCES += \
  %D%/agui.c %D%/agui.h \
  %D%/chunks.c %D%/chunks.h \
  %D%/event.c %D%/event.h \
  %D%/execute.c %D%/interrupts.c %D%/tell.c %D%/parts.h \
  %D%/lines.c %D%/lines.h \
  %D%/run.c %D%/run.h \
  %D%/verify.c %D%/verify.h
