# What breaks around the daemon, and the libraries that break it: preloaded, never installed.
dist_check_SCRIPTS += %D%/test_faults.py %D%/test_memory.py

check_LTLIBRARIES += %D%/one_byte.la %D%/clock_jump.la %D%/nth_failure.la
%C%_one_byte_la_SOURCES = %D%/one_byte.c
%C%_one_byte_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_one_byte_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_one_byte_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)
%C%_clock_jump_la_SOURCES = %D%/clock_jump.c
%C%_clock_jump_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_clock_jump_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_clock_jump_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)
%C%_nth_failure_la_SOURCES = %D%/nth_failure.c
%C%_nth_failure_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_nth_failure_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_nth_failure_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)
