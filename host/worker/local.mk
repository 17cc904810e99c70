# What the worker and the mock host share: a plugin's checks, and a call without sockets.
noinst_LTLIBRARIES += libplugin.la
libplugin_la_SOURCES = \
  %D%/args.c %D%/args.h \
  %D%/ask.c %D%/ask.h \
  %D%/beyond.c \
  %D%/build.h \
  %D%/call_service.c %D%/call_service.h \
  %D%/host_table.c %D%/host_table.h \
  %D%/http.c %D%/http.h \
  %D%/in_session.c %D%/in_session.h \
  %D%/lazy_json.c %D%/lazy_json.h \
  %D%/parts.c %D%/parts.h \
  %D%/plugin.c %D%/plugin.h \
  %D%/service.c %D%/service.h \
  %D%/structs.h \
  %D%/tool_call.c %D%/tool_call.h \
  %D%/toolset.c %D%/toolset.h

worker_PROGRAMS += toolhost-worker
toolhost_worker_SOURCES = \
  %D%/building.c %D%/building.h \
  %D%/control.c %D%/control.h \
  %D%/cpu.c %D%/cpu.h \
  %D%/crash.c %D%/crash.h \
  %D%/crew.c %D%/crew.h \
  %D%/filter.c %D%/filter.h \
  %D%/guarantees.c \
  %D%/hello.c %D%/hello.h \
  %D%/init.c %D%/init.h \
  %D%/intake.c %D%/intake.h \
  %D%/load.c %D%/load.h \
  %D%/main.c \
  %D%/outbox.c %D%/outbox.h \
  %D%/programs.c %D%/programs.h \
  %D%/roster.c %D%/roster.h \
  %D%/sandbox.h \
  %D%/sandbox_cgroup.c \
  %D%/sandbox_landlock.c \
  %D%/sandbox_limits.c \
  %D%/sandbox_root.c \
  %D%/sandbox_seccomp.c \
  %D%/sanitizers.c \
  %D%/segments.c %D%/segments.h \
  %D%/serve.c %D%/serve.h \
  %D%/symbols.c %D%/symbols.h \
  %D%/system_calls.c %D%/system_calls.def %D%/system_calls.h
toolhost_worker_LDADD = libplugin.la libbase.la -ldl -lpthread

# The worker's modules, and the worker itself, frame by frame.
check_PROGRAMS += tests/unit/test_worker_parts tests/unit/test_worker_args \
	tests/unit/test_worker_sandbox tests/unit/test_worker_calls tests/unit/test_mock \
	tests/unit/test_mock_ask tests/unit/test_mock_beyond tests/unit/test_mock_session \
	tests/unit/test_mock_invoke \
	tests/unit/test_worker
tests_unit_test_worker_parts_SOURCES = tests/unit/test_worker_parts.c
tests_unit_test_worker_parts_LDADD = libplugin.la $(UNIT_LIBS)
tests_unit_test_worker_args_SOURCES = tests/unit/test_worker_args.c
tests_unit_test_worker_args_LDADD = libplugin.la $(UNIT_LIBS)
tests_unit_test_worker_sandbox_SOURCES = tests/unit/test_worker_sandbox.c %D%/guarantees.c \
	%D%/hello.c %D%/sandbox_limits.c
tests_unit_test_worker_sandbox_LDADD = libplugin.la $(UNIT_LIBS)
tests_unit_test_worker_calls_SOURCES = tests/unit/test_worker_calls.c %D%/filter.c \
	%D%/system_calls.c
tests_unit_test_worker_calls_LDADD = $(UNIT_LIBS)
tests_unit_test_mock_SOURCES = tests/unit/test_mock.c
tests_unit_test_mock_LDADD = libtoolhost-mock.la $(UNIT_LIBS)
tests_unit_test_mock_beyond_SOURCES = tests/unit/test_mock_beyond.c
tests_unit_test_mock_beyond_LDADD = libtoolhost-mock.la $(UNIT_LIBS)
tests_unit_test_mock_ask_SOURCES = tests/unit/test_mock_ask.c
tests_unit_test_mock_ask_LDADD = libtoolhost-mock.la libplugin.la $(UNIT_LIBS)
tests_unit_test_mock_invoke_SOURCES = tests/unit/test_mock_invoke.c
tests_unit_test_mock_invoke_LDADD = libtoolhost-mock.la $(UNIT_LIBS)
tests_unit_test_mock_session_SOURCES = tests/unit/test_mock_session.c
tests_unit_test_mock_session_LDADD = libtoolhost-mock.la $(UNIT_LIBS)
tests_unit_test_worker_SOURCES = tests/unit/test_worker.c tests/unit/worker_rig.c \
	tests/unit/worker_rig.h
tests_unit_test_worker_LDADD = $(UNIT_LIBS)
