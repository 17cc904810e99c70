# Targets of libFuzzer: built when asked for by `make fuzzers`, in the folder that ./dev fuzz configures
# with clang.
fuzzers = \
	%D%/fuzz_actions \
	%D%/fuzz_agent \
	%D%/fuzz_agui \
	%D%/fuzz_functions \
	%D%/fuzz_json \
	%D%/fuzz_openapi \
	%D%/fuzz_schema \
	%D%/fuzz_repair \
	%D%/fuzz_regex \
	%D%/fuzz_format \
	%D%/fuzz_mend \
	%D%/fuzz_http \
	%D%/fuzz_frame \
	%D%/fuzz_message \
	%D%/fuzz_ring \
	%D%/fuzz_template \
	%D%/fuzz_jwt \
	%D%/fuzz_front \
	%D%/fuzz_realtime \
	%D%/fuzz_guard
EXTRA_PROGRAMS += $(fuzzers)

%C%_fuzz_actions_SOURCES = %D%/fuzz_actions.c
%C%_fuzz_actions_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_fuzz_actions_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_actions_LDADD = plugins/actions/libactions.la plugins/common/libplugincommon.la $(PCRE2_LIBS)
%C%_fuzz_agent_SOURCES = %D%/fuzz_agent.c
%C%_fuzz_agent_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_fuzz_agent_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_agent_LDADD = plugins/agent/libagent.la plugins/common/libplugincommon.la
%C%_fuzz_agui_SOURCES = %D%/fuzz_agui.c %D%/fuzz.h \
	%D%/../unit/fake_calls.c %D%/../unit/fake_calls.h
%C%_fuzz_agui_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_agui_LDADD = $(HOST_LIBS)
%C%_fuzz_functions_SOURCES = %D%/fuzz_functions.c
%C%_fuzz_functions_CPPFLAGS = $(PLUGIN_CPPFLAGS) $(FFI_CFLAGS)
%C%_fuzz_functions_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_functions_LDADD = plugins/ffi/libffi_tools.la plugins/common/libplugincommon.la $(FFI_LIBS) -lm
%C%_fuzz_json_SOURCES = %D%/fuzz_json.c %D%/fuzz.h
%C%_fuzz_json_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_json_LDADD = $(HOST_LIBS)
%C%_fuzz_openapi_SOURCES = %D%/fuzz_openapi.c
%C%_fuzz_openapi_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_fuzz_openapi_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_openapi_LDADD = plugins/openapi/libopenapi.la plugins/common/libplugincommon.la $(YAML_LIBS) -lm
%C%_fuzz_schema_SOURCES = %D%/fuzz_schema.c %D%/fuzz.h
%C%_fuzz_schema_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_schema_LDADD = $(HOST_LIBS)
%C%_fuzz_repair_SOURCES = %D%/fuzz_repair.c %D%/fuzz.h
%C%_fuzz_repair_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_repair_LDADD = $(HOST_LIBS)
%C%_fuzz_regex_SOURCES = %D%/fuzz_regex.c %D%/fuzz.h
%C%_fuzz_regex_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_regex_LDADD = $(HOST_LIBS)
%C%_fuzz_format_SOURCES = %D%/fuzz_format.c %D%/fuzz.h
%C%_fuzz_format_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_format_LDADD = $(HOST_LIBS)
%C%_fuzz_mend_SOURCES = %D%/fuzz_mend.c %D%/fuzz.h
%C%_fuzz_mend_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_mend_LDADD = $(HOST_LIBS)
%C%_fuzz_http_SOURCES = %D%/fuzz_http.c %D%/fuzz.h
%C%_fuzz_http_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_http_LDADD = $(HOST_LIBS)
%C%_fuzz_frame_SOURCES = %D%/fuzz_frame.c %D%/fuzz.h
%C%_fuzz_frame_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_frame_LDADD = $(HOST_LIBS)
%C%_fuzz_message_SOURCES = %D%/fuzz_message.c %D%/fuzz.h
%C%_fuzz_message_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_message_LDADD = $(HOST_LIBS)
%C%_fuzz_ring_SOURCES = %D%/fuzz_ring.c %D%/fuzz.h
%C%_fuzz_ring_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_ring_LDADD = $(HOST_LIBS)
%C%_fuzz_template_SOURCES = %D%/fuzz_template.c %D%/fuzz.h
%C%_fuzz_template_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_template_LDADD = $(HOST_LIBS)
%C%_fuzz_jwt_SOURCES = %D%/fuzz_jwt.c %D%/fuzz.h
%C%_fuzz_jwt_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_jwt_LDADD = $(HOST_LIBS)
%C%_fuzz_front_SOURCES = %D%/fuzz_front.c %D%/fuzz.h
%C%_fuzz_front_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_front_LDADD = $(HOST_LIBS)
%C%_fuzz_realtime_SOURCES = %D%/fuzz_realtime.c %D%/fuzz.h \
	%D%/../unit/fake_calls.c %D%/../unit/fake_calls.h
%C%_fuzz_realtime_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_realtime_LDADD = $(HOST_LIBS)
%C%_fuzz_guard_SOURCES = %D%/fuzz_guard.c %D%/fuzz.h
%C%_fuzz_guard_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_guard_LDADD = $(HOST_LIBS)

.PHONY: fuzzers
fuzzers: $(fuzzers)

EXTRA_DIST += %D%/fuzz.py %D%/actions.dict %D%/functions.dict %D%/json.dict %D%/openapi.dict %D%/schema.dict %D%/regex.dict %D%/http.dict %D%/yaml.dict %D%/seeds
