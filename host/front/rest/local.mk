# The plain HTTP paths.
libhost_la_SOURCES += \
  %D%/approvals.c %D%/approvals.h \
  %D%/asks.c %D%/asks.h \
  %D%/batch.c %D%/batch.h \
  %D%/body.c %D%/body.h \
  %D%/call_told.c %D%/call_told.h \
  %D%/calls.c %D%/calls.h \
  %D%/cost.c %D%/cost.h \
  %D%/definitions.c %D%/definitions.h \
  %D%/formats.c %D%/formats.h \
  %D%/logs.c %D%/logs.h \
  %D%/managing.c %D%/managing.h \
  %D%/named.c %D%/named.h \
  %D%/offers.c %D%/offers.h \
  %D%/openapi.c %D%/openapi.h \
  %D%/params.c %D%/params.h \
  %D%/refusals.c %D%/refusals.h \
  %D%/rest.c %D%/rest.h \
  %D%/results.c %D%/results.h \
  %D%/session_asks.c %D%/session_asks.h \
  %D%/session_call.c \
  %D%/sessions.c %D%/sessions.h \
  %D%/route.c %D%/route.h \
  %D%/stats.c %D%/stats.h \
  %D%/store.c %D%/store.h \
  %D%/wish.c %D%/wish.h

# The description of all that is served over HTTP, a file for each tag.
api_files = \
  %D%/api/api_approvals.schema.json \
  %D%/api/api_calls.schema.json \
  %D%/api/api_daemon.schema.json \
  %D%/api/api_manage.schema.json \
  %D%/api/api_mcp.schema.json \
  %D%/api/api_offers.schema.json \
  %D%/api/api_realtime.schema.json \
  %D%/api/api_sessions.schema.json \
  %D%/api/api_tenants.schema.json \
  %D%/api/api_tools.schema.json
EXTRA_DIST += $(api_files) %D%/api/files.def
nodist_libhost_la_SOURCES += \
  %D%/api/api_approvals.schema.c \
  %D%/api/api_calls.schema.c \
  %D%/api/api_daemon.schema.c \
  %D%/api/api_manage.schema.c \
  %D%/api/api_mcp.schema.c \
  %D%/api/api_offers.schema.c \
  %D%/api/api_realtime.schema.c \
  %D%/api/api_sessions.schema.c \
  %D%/api/api_tenants.schema.c \
  %D%/api/api_tools.schema.c
