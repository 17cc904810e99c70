# The fronts against a call pipeline and HTTP exchanges that the test plays.
front_fakes = \
  %D%/fake_calls.c %D%/fake_calls.h \
  %D%/fake_http.c %D%/fake_http.h \
  %D%/tap.h

check_PROGRAMS += \
  %D%/test_auth \
  %D%/test_jwt \
  %D%/test_keys \
  %D%/test_mcp \
  %D%/test_mcp_core \
  %D%/test_mcp_handshake \
  %D%/test_mcp_lists \
  %D%/test_mcp_streams \
  %D%/test_mcp_offers \
  %D%/test_rest \
  %D%/test_rest_offers \
  %D%/test_stdio

%C%_test_auth_SOURCES = %D%/test_auth.c %D%/tokens.c %D%/tokens.h $(front_fakes)
%C%_test_jwt_SOURCES = %D%/test_jwt.c %D%/tokens.c %D%/tokens.h %D%/tap.h
%C%_test_keys_SOURCES = %D%/test_keys.c %D%/tap.h
%C%_test_mcp_SOURCES = %D%/test_mcp.c %D%/mcp_rig.c %D%/mcp_rig.h $(front_fakes)
%C%_test_mcp_handshake_SOURCES = %D%/test_mcp_handshake.c %D%/mcp_rig.c %D%/mcp_rig.h $(front_fakes)
%C%_test_mcp_core_SOURCES = %D%/test_mcp_core.c $(front_fakes)
%C%_test_mcp_offers_SOURCES = %D%/test_mcp_offers.c $(front_fakes)
%C%_test_mcp_lists_SOURCES = %D%/test_mcp_lists.c %D%/tap.h
%C%_test_mcp_streams_SOURCES = %D%/test_mcp_streams.c %D%/mcp_rig.c %D%/mcp_rig.h $(front_fakes)
%C%_test_rest_offers_SOURCES = %D%/test_rest_offers.c $(front_fakes)
%C%_test_rest_SOURCES = %D%/test_rest.c $(front_fakes)
%C%_test_stdio_SOURCES = %D%/test_stdio.c $(front_fakes)

%C%_test_auth_LDADD = $(UNIT_LIBS)
%C%_test_jwt_LDADD = $(UNIT_LIBS)
%C%_test_keys_LDADD = $(UNIT_LIBS)
%C%_test_mcp_LDADD = $(UNIT_LIBS)
%C%_test_mcp_handshake_LDADD = $(UNIT_LIBS)
%C%_test_mcp_core_LDADD = $(UNIT_LIBS)
%C%_test_mcp_offers_LDADD = $(UNIT_LIBS)
%C%_test_mcp_lists_LDADD = $(UNIT_LIBS)
%C%_test_mcp_streams_LDADD = $(UNIT_LIBS)
%C%_test_rest_offers_LDADD = $(UNIT_LIBS)
%C%_test_rest_LDADD = $(UNIT_LIBS)
%C%_test_stdio_LDADD = $(UNIT_LIBS)

check_PROGRAMS += %D%/test_mcp_tasks
%C%_test_mcp_tasks_SOURCES = %D%/test_mcp_tasks.c %D%/mcp_rig.c %D%/mcp_rig.h $(front_fakes)
%C%_test_mcp_tasks_LDADD = $(UNIT_LIBS)

check_PROGRAMS += %D%/test_rest_asks
%C%_test_rest_asks_SOURCES = %D%/test_rest_asks.c %D%/played_unit.c %D%/played_unit.h \
	%D%/fake_http.c %D%/fake_http.h %D%/tap.h
%C%_test_rest_asks_LDADD = $(UNIT_LIBS)

# Conversations: the scenarios of sessions.jsonl, and what they can't say.
check_PROGRAMS += %D%/test_sessions
%C%_test_sessions_SOURCES = %D%/test_sessions.c %D%/session_stage.c %D%/session_stage.h \
	%D%/scenarios.c %D%/scenarios.h %D%/data.c %D%/data.h %D%/fake_calls.c %D%/fake_calls.h %D%/tap.h
%C%_test_sessions_LDADD = $(UNIT_LIBS)
EXTRA_DIST += %D%/sessions.jsonl

# A session as a client of OpenAI's Realtime service: the scenarios of realtime.jsonl.
check_PROGRAMS += %D%/test_realtime
%C%_test_realtime_SOURCES = %D%/test_realtime.c %D%/session_stage.c %D%/session_stage.h \
	%D%/scenarios.c %D%/scenarios.h %D%/data.c %D%/data.h %D%/fake_calls.c %D%/fake_calls.h %D%/tap.h
%C%_test_realtime_LDADD = $(UNIT_LIBS)
EXTRA_DIST += %D%/realtime.jsonl

check_PROGRAMS += %D%/test_ws_client
%C%_test_ws_client_SOURCES = %D%/test_ws_client.c %D%/tap.h
%C%_test_ws_client_LDADD = $(UNIT_LIBS)

check_PROGRAMS += %D%/test_rest_sessions
%C%_test_rest_sessions_SOURCES = %D%/test_rest_sessions.c $(front_fakes)
%C%_test_rest_sessions_LDADD = $(UNIT_LIBS)

# One result in the forms of four systems.
check_PROGRAMS += %D%/test_encodings
%C%_test_encodings_SOURCES = %D%/test_encodings.c %D%/tap.h
%C%_test_encodings_LDADD = $(UNIT_LIBS)

# AG-UI: what its streams may be, and how their tools run.
check_PROGRAMS += %D%/test_agui_events %D%/test_agui_run
%C%_test_agui_events_SOURCES = %D%/test_agui_events.c %D%/tap.h
%C%_test_agui_events_LDADD = $(UNIT_LIBS)
%C%_test_agui_run_SOURCES = %D%/test_agui_run.c $(front_fakes)
%C%_test_agui_run_LDADD = $(UNIT_LIBS)

# Telephone calls that come in.
check_PROGRAMS += %D%/test_realtime_webhook %D%/test_realtime_reception
%C%_test_realtime_webhook_SOURCES = %D%/test_realtime_webhook.c %D%/tap.h
%C%_test_realtime_webhook_LDADD = $(UNIT_LIBS)
%C%_test_realtime_reception_SOURCES = %D%/test_realtime_reception.c %D%/session_stage.c \
	%D%/session_stage.h $(front_fakes)
%C%_test_realtime_reception_LDADD = $(UNIT_LIBS)

# The description of our own HTTP interface.
check_PROGRAMS += %D%/test_openapi
%C%_test_openapi_SOURCES = %D%/test_openapi.c $(front_fakes)
%C%_test_openapi_LDADD = $(UNIT_LIBS)
