# The Model Context Protocol over HTTP, and what it shares with stdio; encode serves all fronts.
libhost_la_SOURCES += \
  host/front/asked.c host/front/asked.h \
  host/front/encode.c host/front/encode.h \
  host/front/refuse.c host/front/refuse.h \
  host/front/traced.c host/front/traced.h \
  host/front/encodings.c host/front/encodings.h \
  host/front/front.h \
  %D%/asks.c %D%/asks.h \
  %D%/batch.c %D%/batch.h \
  %D%/calls.c %D%/calls.h \
  %D%/client.c %D%/client.h \
  %D%/core.c %D%/core.h \
  %D%/disclosure.c %D%/disclosure.h \
  %D%/headers.c %D%/headers.h \
  %D%/listen.c %D%/listen.h \
  %D%/lists.c %D%/lists.h \
  %D%/logging.c %D%/logging.h \
  %D%/mcp.h %D%/mcp_http.c %D%/mcp_http_parts.h \
  %D%/message.c %D%/message.h \
  %D%/methods.c %D%/methods.h \
  %D%/post.c \
  %D%/replay.c %D%/replay.h \
  %D%/offers.c %D%/offers.h \
  %D%/prompts.c %D%/prompts.h \
  %D%/reply.c %D%/reply.h \
  %D%/resources.c %D%/resources.h \
  %D%/results.c %D%/results.h \
  %D%/sessions.c %D%/sessions.h \
  %D%/skills.c %D%/skills.h \
  %D%/stream.c %D%/stream.h \
  %D%/tasks.c %D%/tasks.h \
  %D%/tools.c %D%/tools.h \
  %D%/trace.c %D%/trace.h \
  %D%/upcall.c %D%/upcall.h \
  %D%/uris.c %D%/uris.h
