# Secrets of the operator's, which the daemon reads and tools don't see.
libhost_la_SOURCES += %D%/secrets.c %D%/secrets.h
