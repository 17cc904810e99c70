# Conversations over WebSocket.
libhost_la_SOURCES += \
  %D%/as_realtime.c %D%/as_realtime.h \
  %D%/handshake.c %D%/handshake.h \
  %D%/ws.c %D%/ws.h
