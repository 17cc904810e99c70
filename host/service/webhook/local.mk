# Webhooks: what signs them, and says whose they are.
libhost_la_SOURCES += %D%/signature.c %D%/signature.h
