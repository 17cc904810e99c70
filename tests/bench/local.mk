# What ./dev bench runs.
EXTRA_PROGRAMS += %D%/schema_bench
%C%_schema_bench_SOURCES = %D%/schema_bench.c tests/unit/bounds.c tests/unit/bounds.h
%C%_schema_bench_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/unit
%C%_schema_bench_LDADD = $(HOST_LIBS)

EXTRA_DIST += %D%/list.py %D%/promises.py %D%/schema.py %D%/schema_bench.mjs %D%/tools.py %D%/webhooks.py

EXTRA_PROGRAMS += %D%/toolset_bench
%C%_toolset_bench_SOURCES = %D%/toolset_bench.c
%C%_toolset_bench_LDADD = $(HOST_LIBS)

EXTRA_PROGRAMS += %D%/store_bench
%C%_store_bench_SOURCES = %D%/store_bench.c
%C%_store_bench_LDADD = $(HOST_LIBS)
