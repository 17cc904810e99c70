# The Model Context Protocol over HTTP, and what it shares with stdio; encode serves all fronts.
libhost_la_SOURCES += \
  host/front/encode.c host/front/encode.h \
  host/front/front.h \
  %D%/base64.c %D%/base64.h \
  %D%/core.c %D%/core.h \
  %D%/headers.c %D%/headers.h \
  %D%/lists.c %D%/lists.h \
  %D%/mcp.h %D%/mcp_http.c \
  %D%/message.c %D%/message.h \
  %D%/reply.c %D%/reply.h \
  %D%/sessions.c %D%/sessions.h
