# The HTTP/1.1 server.
libhost_la_SOURCES += \
  %D%/accept.c \
  %D%/chars.c %D%/chars.h \
  %D%/chunks.c \
  %D%/conn.c %D%/conn.h \
  %D%/crowd.c %D%/crowd.h \
  %D%/handed.c %D%/handed.h \
  %D%/exchange.c %D%/exchange.h \
  %D%/http.h \
  %D%/mail.c %D%/mail.h \
  %D%/method.c \
  %D%/origin.c %D%/origin.h \
  %D%/parse.c %D%/parse.h \
  %D%/peer.c %D%/peer.h \
  %D%/refusals.def \
  %D%/reply.c %D%/reply.h \
  %D%/server.c %D%/server.h \
  %D%/target.c %D%/target.h \
  %D%/threads.c %D%/threads.h \
  %D%/tls.c %D%/tls.h \
  %D%/waits.c %D%/waits.h
