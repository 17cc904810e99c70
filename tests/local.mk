# The tests: unit (CUnit, one program a module), integration (the real daemon), clients (npm), lint.
# Every script prints TAP.
integration_tests = \
	%D%/integration/test_approval_fronts.py \
	%D%/integration/test_actions.py \
	%D%/integration/test_arguments.py \
	%D%/integration/test_audit.py \
	%D%/integration/test_backup.py \
	%D%/integration/test_tls.py \
	%D%/integration/test_watching.py \
	%D%/integration/test_azure_search.py \
	%D%/integration/test_bad_input.py \
	%D%/integration/test_calls.py \
	%D%/integration/test_realtime.py \
	%D%/integration/test_cancel.py \
	%D%/integration/test_config.py \
	%D%/integration/test_crowd.py \
	%D%/integration/test_approval_rows.py \
	%D%/integration/test_approvals.py \
	%D%/integration/test_batch.py \
	%D%/integration/test_durable.py \
	%D%/integration/test_hooks.py \
	%D%/integration/test_fairness.py \
	%D%/integration/test_ffi.py \
	%D%/integration/test_exec.py \
	%D%/integration/test_formats.py \
	%D%/integration/test_frameworks.py \
	%D%/integration/test_hotswap.py \
	%D%/integration/test_http.py \
	%D%/integration/test_http2.py \
	%D%/integration/test_isolation.py \
	%D%/integration/test_launcher.py \
	%D%/integration/test_line.py \
	%D%/integration/test_seeds.py \
	%D%/integration/test_many.py \
	%D%/integration/test_offers.py \
	%D%/integration/test_mcp_legacy.py \
	%D%/integration/test_metrics.py \
	%D%/integration/test_mcp_modern.py \
	%D%/integration/test_mcp_stdio.py \
	%D%/integration/test_policy.py \
	%D%/integration/test_privileges.py \
	%D%/integration/test_probes.py \
	%D%/integration/test_process.py \
	%D%/integration/test_service.py \
	%D%/integration/test_skills.py \
	%D%/integration/test_stdio.py \
	%D%/integration/test_store.py \
	%D%/integration/test_copies.py \
	%D%/integration/test_supervisor.py \
	%D%/integration/test_threads.py \
	%D%/integration/test_tiers.py \
	%D%/integration/test_traces.py %D%/integration/test_trace_fronts.py \
	%D%/integration/test_trace_outcomes.py \
	%D%/integration/test_upstream.py

dist_check_SCRIPTS += $(integration_tests) %D%/clients/test_agents_clients.py %D%/clients/test_asks_clients.py %D%/clients/test_clients.py %D%/clients/test_everything.py \
	%D%/clients/test_collector_clients.py %D%/clients/test_line_client.py \
	%D%/clients/test_python_clients.py %D%/clients/test_realtime_client.py %D%/lint/floors.sh %D%/lint/seeds.sh %D%/lint/way.sh

# ThreadSanitizer: the unit tests, and the scripts that let daemon and workers do the most at once;
# daemons have two threads for their connections.
tests_of_threads = $(check_PROGRAMS) \
	%D%/integration/test_calls.py %D%/integration/test_cancel.py %D%/integration/test_crowd.py \
	%D%/integration/test_http.py %D%/integration/test_isolation.py %D%/integration/test_mcp_modern.py \
	%D%/integration/test_session_ws.py %D%/integration/test_threads.py %D%/integration/test_tls.py \
	%D%/integration/test_trace_outcomes.py

# What speaks HTTP most, with two threads for the connections of every daemon.
tests_of_fronts = %D%/integration/test_agui.py %D%/integration/test_approval_fronts.py \
	%D%/integration/test_asks_mcp.py %D%/integration/test_asks_rest.py %D%/integration/test_auth.py \
	%D%/integration/test_calls.py %D%/integration/test_cancel.py %D%/integration/test_crowd.py \
	%D%/integration/test_durable.py %D%/integration/test_http.py %D%/integration/test_mcp_legacy.py \
	%D%/integration/test_mcp_modern.py %D%/integration/test_metrics.py %D%/integration/test_openapi.py \
	%D%/integration/test_realtime.py \
	%D%/integration/test_results.py %D%/integration/test_service.py %D%/integration/test_session_ws.py \
	%D%/integration/test_sessions.py %D%/integration/test_tasks.py %D%/integration/test_threads.py \
	%D%/integration/test_tls.py %D%/integration/test_trace_fronts.py %D%/integration/test_traces.py \
	%D%/integration/test_upstream.py

.PHONY: check-threads check-fronts
check-threads:
	TOOLHOST_THREADS=2 $(MAKE) $(AM_MAKEFLAGS) check TESTS='$(tests_of_threads)'
check-fronts:
	TOOLHOST_THREADS=2 $(MAKE) $(AM_MAKEFLAGS) check TESTS='$(tests_of_fronts)'

EXTRA_DIST += \
	%D%/actions/README.md %D%/actions/conditions.json %D%/actions/context.json %D%/actions/documents.json \
	%D%/actions/order.json %D%/actions/rules.json %D%/actions/save_meal.json %D%/actions/speaking.json \
	%D%/actions/spellings.json %D%/actions/templates.json %D%/actions/webhooks.json \
	%D%/unit/tap.h \
	%D%/integration/harness.py %D%/integration/hosts.py %D%/integration/http2_server.py %D%/integration/many_tools.py %D%/integration/mcp_wire.py %D%/integration/otlp_server.py %D%/integration/racing.py %D%/integration/realtime_server.py %D%/integration/upstream_server.py \
	%D%/clients/agent_client.py %D%/clients/collector/go.mod %D%/clients/collector/go.sum %D%/clients/collector/main.go %D%/clients/agents.txt \
	%D%/clients/ask.mjs %D%/clients/ask.py %D%/clients/demo.mjs %D%/clients/demo-calls.txt %D%/clients/exchange.mjs %D%/clients/exchange.py %D%/clients/line_events.py %D%/clients/packages.mjs %D%/clients/realtime_app.mjs \
	%D%/clients/package.json %D%/clients/package-lock.json %D%/clients/requirements.txt \
	%D%/conformance/conformance.py

# Plugins of the integration tests.
check_LTLIBRARIES += %D%/integration/checker.la %D%/integration/leaky.la
%C%_integration_checker_la_SOURCES = %D%/integration/checker.c
%C%_integration_checker_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_integration_checker_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_integration_checker_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)
%C%_integration_leaky_la_SOURCES = %D%/integration/leaky.c
%C%_integration_leaky_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_integration_leaky_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_integration_leaky_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)
check_LTLIBRARIES += %D%/integration/beside.la %D%/integration/busy.la %D%/integration/courier.la %D%/integration/custom.la %D%/integration/formats.la %D%/integration/fragile.la %D%/integration/greeter.la %D%/integration/hundred.la %D%/integration/late.la \
	%D%/integration/neighbours.la %D%/integration/numbered.la %D%/integration/phone.la %D%/integration/shelf.la %D%/integration/talk.la %D%/integration/tally.la %D%/integration/told.la %D%/integration/wire.la
%C%_integration_told_la_SOURCES = %D%/integration/told.c
%C%_integration_told_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_integration_told_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_integration_told_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)
%C%_integration_beside_la_SOURCES = %D%/integration/beside.c
%C%_integration_beside_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_integration_beside_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_integration_beside_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)
%C%_integration_courier_la_SOURCES = %D%/integration/courier.c
%C%_integration_courier_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_integration_courier_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_integration_courier_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)
%C%_integration_custom_la_SOURCES = %D%/integration/custom.c
%C%_integration_custom_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_integration_custom_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_integration_custom_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)
%C%_integration_greeter_la_SOURCES = %D%/integration/greeter.c
%C%_integration_greeter_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_integration_greeter_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_integration_greeter_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)
%C%_integration_phone_la_SOURCES = %D%/integration/phone.c
%C%_integration_phone_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_integration_phone_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_integration_phone_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)
%C%_integration_talk_la_SOURCES = %D%/integration/talk.c
%C%_integration_talk_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_integration_talk_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_integration_talk_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)
%C%_integration_tally_la_SOURCES = %D%/integration/tally.c
%C%_integration_tally_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_integration_tally_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_integration_tally_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)
%C%_integration_wire_la_SOURCES = %D%/integration/wire.c
%C%_integration_wire_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_integration_wire_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_integration_wire_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)
%C%_integration_neighbours_la_SOURCES = %D%/integration/neighbours.c
%C%_integration_neighbours_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_integration_neighbours_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_integration_neighbours_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)
%C%_integration_shelf_la_SOURCES = %D%/integration/shelf.c
%C%_integration_shelf_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_integration_shelf_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_integration_shelf_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)
%C%_integration_formats_la_SOURCES = %D%/integration/formats.c
%C%_integration_formats_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_integration_formats_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_integration_formats_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)
%C%_integration_fragile_la_SOURCES = %D%/integration/fragile.c
%C%_integration_fragile_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_integration_fragile_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_integration_fragile_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)
%C%_integration_busy_la_SOURCES = %D%/integration/busy.c
%C%_integration_busy_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_integration_busy_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_integration_busy_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)
%C%_integration_hundred_la_SOURCES = %D%/integration/hundred.c
%C%_integration_hundred_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_integration_hundred_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_integration_hundred_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)
%C%_integration_late_la_SOURCES = %D%/integration/late.c
%C%_integration_late_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_integration_late_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_integration_late_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)
%C%_integration_numbered_la_SOURCES = %D%/integration/numbered.c
%C%_integration_numbered_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_integration_numbered_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_integration_numbered_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

# What tests and measurements load into workers.
.PHONY: plugins-of-tests
plugins-of-tests: $(check_LTLIBRARIES) $(check_DATA)

EXTRA_DIST += %D%/vm/vm.py %D%/vm/guest.sh %D%/vm/test_second_kernel.py \
	%D%/vm/guest_systemd.sh %D%/vm/test_systemd.py

# A plugin in a folder, with a library of its own, in two versions.  libtool would make it look for
# the library where it was built.
private_build = $(CC) $(PLUGIN_CPPFLAGS) $(CFLAGS) $(HARDEN_CFLAGS) -fPIC -shared $(LDFLAGS) $(HARDEN_LDFLAGS)
check_DATA += %D%/integration/private.plugin/private.so %D%/integration/private.plugin/lib/libgreeting2.so
%D%/integration/private.plugin/lib/libgreeting.so: %D%/integration/private/greeting.c
	$(AM_V_CC)$(MKDIR_P) $(@D) && $(private_build) -DGREETING='"hello"' -Wl,-soname,libgreeting.so $< -o $@
%D%/integration/private.plugin/lib/libgreeting2.so: %D%/integration/private/greeting.c
	$(AM_V_CC)$(MKDIR_P) $(@D) && $(private_build) -DGREETING='"good day"' -Wl,-soname,libgreeting.so $< -o $@
%D%/integration/private.plugin/private.so: %D%/integration/private/private.c %D%/integration/private.plugin/lib/libgreeting.so
	$(AM_V_CC)$(private_build) -fvisibility=hidden $< -L$(@D)/lib -lgreeting -Wl,-rpath,'$$ORIGIN/lib' -o $@
CLEANFILES += %D%/integration/private.plugin/private.so %D%/integration/private.plugin/lib/libgreeting.so \
	%D%/integration/private.plugin/lib/libgreeting2.so
EXTRA_DIST += %D%/integration/private/greeting.c %D%/integration/private/private.c

include tests/unit/core.mk
include tests/unit/fronts.mk
include tests/unit/http.mk
include tests/unit/json.mk
include tests/unit/service.mk
include tests/unit/store.mk
include tests/sdk/local.mk
include tests/faults/local.mk
include tests/hostile/local.mk
include tests/differential/local.mk
include tests/fuzz/local.mk

# AG-UI, with the examples of its page on tools.
integration_tests += %D%/integration/test_agui.py
dist_check_SCRIPTS += %D%/clients/test_agui_clients.py
EXTRA_DIST += %D%/clients/agui.mjs
check_LTLIBRARIES += %D%/integration/executors.la
%C%_integration_executors_la_SOURCES = %D%/integration/executors.c
%C%_integration_executors_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_integration_executors_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_integration_executors_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

# Calls that ask, and tasks.
integration_tests += %D%/integration/test_auth.py
EXTRA_DIST += %D%/integration/tokens.py
integration_tests += %D%/integration/test_asks_mcp.py %D%/integration/test_asks_rest.py %D%/integration/test_tasks.py
EXTRA_DIST += %D%/integration/deciders.py
EXTRA_DIST += %D%/integration/handshake.py
check_LTLIBRARIES += %D%/integration/asks.la
%C%_integration_asks_la_SOURCES = %D%/integration/asks.c
%C%_integration_asks_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_integration_asks_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_integration_asks_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

# Results that are too large for a model.
integration_tests += %D%/integration/test_results.py %D%/integration/test_toolsets.py \
	%D%/integration/test_tenants.py %D%/integration/test_guards.py %D%/integration/test_guard_rows.py %D%/integration/test_guard_ways.py %D%/integration/test_pins.py %D%/integration/test_builders.py \
	%D%/integration/test_manage.py %D%/integration/test_meals.py
check_LTLIBRARIES += %D%/integration/deeds.la
%C%_integration_deeds_la_SOURCES = %D%/integration/deeds.c
%C%_integration_deeds_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_integration_deeds_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_integration_deeds_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)
check_LTLIBRARIES += %D%/integration/large.la
%C%_integration_large_la_SOURCES = %D%/integration/large.c
%C%_integration_large_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_integration_large_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_integration_large_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

integration_tests += %D%/integration/test_sessions.py %D%/integration/test_session_ws.py %D%/integration/test_session_asks.py
integration_tests += %D%/integration/test_encodings.py

# Tools whose surroundings fail.
integration_tests += %D%/integration/test_trouble.py
check_LTLIBRARIES += %D%/integration/troubled.la
%C%_integration_troubled_la_SOURCES = %D%/integration/troubled.c
%C%_integration_troubled_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_integration_troubled_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_integration_troubled_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

# Tools that call others.
check_LTLIBRARIES += %D%/integration/relay.la %D%/integration/relay_serial.la
%C%_integration_relay_la_SOURCES = %D%/integration/relay.c
%C%_integration_relay_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_integration_relay_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_integration_relay_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)
%C%_integration_relay_serial_la_SOURCES = %D%/integration/relay.c
%C%_integration_relay_serial_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) -DONE_AT_A_TIME
%C%_integration_relay_serial_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_integration_relay_serial_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)
integration_tests += %D%/integration/test_invoke.py %D%/integration/test_agent.py
EXTRA_DIST += %D%/integration/model_server.py

# Telephone calls.
integration_tests += %D%/integration/test_call_service.py %D%/integration/test_realtime_incoming.py \
	%D%/integration/test_phone_agent.py

# Our description of ourselves, beside what we do, and by other people's programs (PyPI).
integration_tests += %D%/integration/test_openapi.py %D%/integration/test_openapi_hostile.py
integration_tests += %D%/integration/test_openapi_tool.py
EXTRA_DIST += %D%/integration/described.py %D%/integration/openapi_documents.py
dist_check_SCRIPTS += %D%/openapi/test_schemathesis.py
EXTRA_DIST += %D%/openapi/hooks.py %D%/openapi/requirements.txt

# What the benches reckon with.
integration_tests += %D%/integration/test_bench.py
