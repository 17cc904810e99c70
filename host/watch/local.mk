libhost_la_SOURCES += %D%/log.c %D%/log.h %D%/log_tail.c %D%/log_tail.h %D%/metrics.c %D%/metrics.h \
  %D%/pressure.c %D%/pressure.h %D%/redact.c %D%/redact.h %D%/trace.c %D%/trace.h %D%/turns.c %D%/turns.h
