# What ./dev bench runs.
# Figures that were kept, with their pictures.
EXTRA_DIST += %D%/results

EXTRA_PROGRAMS += %D%/schema_bench
%C%_schema_bench_SOURCES = %D%/schema_bench.c tests/unit/bounds.c tests/unit/bounds.h
%C%_schema_bench_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/unit
%C%_schema_bench_LDADD = $(HOST_LIBS)

EXTRA_DIST += %D%/broker.py %D%/call.py %D%/compare.py %D%/http_calls.py %D%/list.py %D%/load.lua %D%/measure.py \
	%D%/memory.py %D%/peers.py %D%/plot.py %D%/promises.py %D%/scale.py %D%/schema.py %D%/schema_bench.mjs %D%/servers.py \
	%D%/session.py %D%/soak.py %D%/soak_clients.py %D%/soak_kills.py %D%/soak_mixed.py %D%/soak_sessions.py %D%/stages.json %D%/stages.py %D%/stdio.py %D%/store.py \
	%D%/tables.py %D%/threads.py %D%/tools.py %D%/tracepoints.py \
	%D%/webhooks.py %D%/wrk.py \
	%D%/peers/fastmcp/requirements.txt %D%/peers/fastmcp/server.py \
	%D%/peers/go-sdk/go.mod %D%/peers/go-sdk/go.sum %D%/peers/go-sdk/main.go \
	%D%/peers/rmcp/Cargo.lock %D%/peers/rmcp/Cargo.toml %D%/peers/rmcp/src/main.rs \
	%D%/peers/typescript-sdk-1/package-lock.json %D%/peers/typescript-sdk-1/package.json %D%/peers/typescript-sdk-1/server.mjs \
	%D%/peers/typescript-sdk-2/package-lock.json %D%/peers/typescript-sdk-2/package.json %D%/peers/typescript-sdk-2/server.mjs

# Preloaded, never installed.
EXTRA_LTLIBRARIES += %D%/no_filter.la
%C%_no_filter_la_SOURCES = %D%/no_filter.c
%C%_no_filter_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_no_filter_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_no_filter_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

# What counts copies and allocations: preloaded, and in a worker, which has no environment.
EXTRA_LTLIBRARIES += %D%/counting.la
%C%_counting_la_SOURCES = %D%/counting.c
%C%_counting_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_counting_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_counting_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)
EXTRA_PROGRAMS += %D%/counted_worker
%C%_counted_worker_SOURCES = $(toolhost_worker_SOURCES) %D%/counting.c
%C%_counted_worker_LDADD = $(toolhost_worker_LDADD)

# toolhostd without isolation: the same code, linked the same way.  Two names are used by daemon and worker.
EXTRA_PROGRAMS += %D%/inside
%C%_inside_SOURCES = %D%/inside.c host/daemon/main.c host/daemon/options.c host/daemon/options.h \
	host/worker/load.c host/worker/load.h $(libplugin_la_SOURCES)
%C%_inside_CPPFLAGS = $(AM_CPPFLAGS) -Dask_answer=inside_ask_answer -Dasking_begin=inside_asking_begin
%C%_inside_CFLAGS = $(AM_CFLAGS) $(LTO_CFLAGS)
%C%_inside_LDFLAGS = $(HARDEN_LDFLAGS) $(PIE_LDFLAGS) $(LTO_LDFLAGS)
%C%_inside_LDADD = $(HOST_LIBS)
check_DATA += %D%/inside

EXTRA_PROGRAMS += %D%/doorbell
%C%_doorbell_SOURCES = %D%/doorbell.c

EXTRA_PROGRAMS += %D%/toolset_bench
%C%_toolset_bench_SOURCES = %D%/toolset_bench.c
%C%_toolset_bench_LDADD = $(HOST_LIBS)

EXTRA_PROGRAMS += %D%/store_bench
%C%_store_bench_SOURCES = %D%/store_bench.c
%C%_store_bench_LDADD = $(HOST_LIBS)

EXTRA_DIST += %D%/top.py
