# Conversations over WebSocket.
libhost_la_SOURCES += \
  %D%/handshake.c %D%/handshake.h \
  %D%/ws.c %D%/ws.h
