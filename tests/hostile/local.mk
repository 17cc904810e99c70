# Plugins that do one evil thing each, and a few harmless ones that tests need.  They are never
# installed; a worker loads tests/hostile/.libs/NAME.so.
EXTRA_DIST += %D%/hostile.h

check_LTLIBRARIES += %D%/abort_.la
%C%_abort__la_SOURCES = %D%/abort_.c
%C%_abort__la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_abort__la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_abort__la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/allparts.la
%C%_allparts_la_SOURCES = %D%/allparts.c
%C%_allparts_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_allparts_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_allparts_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/bad_definition.la
%C%_bad_definition_la_SOURCES = %D%/bad_definition.c
%C%_bad_definition_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_bad_definition_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_bad_definition_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/bad_frames.la
%C%_bad_frames_la_SOURCES = %D%/bad_frames.c
%C%_bad_frames_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_bad_frames_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_bad_frames_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/bad_json.la
%C%_bad_json_la_SOURCES = %D%/bad_json.c %D%/inside.h host/base/ring.c
%C%_bad_json_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) -I$(srcdir)/host
%C%_bad_json_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_bad_json_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/bad_output.la
%C%_bad_output_la_SOURCES = %D%/bad_output.c
%C%_bad_output_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_bad_output_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_bad_output_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/bad_schema.la
%C%_bad_schema_la_SOURCES = %D%/bad_schema.c
%C%_bad_schema_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_bad_schema_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_bad_schema_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/bad_status.la
%C%_bad_status_la_SOURCES = %D%/bad_status.c
%C%_bad_status_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_bad_status_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_bad_status_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/big_args.la
%C%_big_args_la_SOURCES = %D%/big_args.c
%C%_big_args_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_big_args_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_big_args_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/close_fds.la
%C%_close_fds_la_SOURCES = %D%/close_fds.c
%C%_close_fds_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_close_fds_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_close_fds_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/ctor_crash.la
%C%_ctor_crash_la_SOURCES = %D%/ctor_crash.c
%C%_ctor_crash_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_ctor_crash_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_ctor_crash_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/ctor_exit0.la
%C%_ctor_exit0_la_SOURCES = %D%/ctor_exit0.c
%C%_ctor_exit0_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_ctor_exit0_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_ctor_exit0_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/ctor_hang.la
%C%_ctor_hang_la_SOURCES = %D%/ctor_hang.c
%C%_ctor_hang_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_ctor_hang_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_ctor_hang_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/ctor_probe.la
%C%_ctor_probe_la_SOURCES = %D%/ctor_probe.c
%C%_ctor_probe_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_ctor_probe_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_ctor_probe_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/disk_bomb.la
%C%_disk_bomb_la_SOURCES = %D%/disk_bomb.c
%C%_disk_bomb_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_disk_bomb_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_disk_bomb_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/dup_name.la
%C%_dup_name_la_SOURCES = %D%/dup_name.c
%C%_dup_name_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_dup_name_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_dup_name_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/exit0.la
%C%_exit0_la_SOURCES = %D%/exit0.c
%C%_exit0_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_exit0_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_exit0_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/fd_bomb.la
%C%_fd_bomb_la_SOURCES = %D%/fd_bomb.c
%C%_fd_bomb_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_fd_bomb_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_fd_bomb_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/file_io.la
%C%_file_io_la_SOURCES = %D%/file_io.c
%C%_file_io_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_file_io_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_file_io_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/forbidden.la
%C%_forbidden_la_SOURCES = %D%/forbidden.c
%C%_forbidden_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_forbidden_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_forbidden_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/forged_result.la
%C%_forged_result_la_SOURCES = %D%/forged_result.c
%C%_forged_result_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_forged_result_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_forged_result_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/fork_bomb.la
%C%_fork_bomb_la_SOURCES = %D%/fork_bomb.c
%C%_fork_bomb_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_fork_bomb_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_fork_bomb_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/huge_result.la
%C%_huge_result_la_SOURCES = %D%/huge_result.c
%C%_huge_result_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_huge_result_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_huge_result_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/later_never.la
%C%_later_never_la_SOURCES = %D%/later_never.c
%C%_later_never_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_later_never_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_later_never_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/later_ok.la
%C%_later_ok_la_SOURCES = %D%/later_ok.c
%C%_later_ok_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_later_ok_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_later_ok_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/malloc_bomb.la
%C%_malloc_bomb_la_SOURCES = %D%/malloc_bomb.c
%C%_malloc_bomb_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_malloc_bomb_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_malloc_bomb_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/new_code.la
%C%_new_code_la_SOURCES = %D%/new_code.c
%C%_new_code_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_new_code_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_new_code_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/no_entry.la
%C%_no_entry_la_SOURCES = %D%/no_entry.c
%C%_no_entry_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_no_entry_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_no_entry_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/no_execute.la
%C%_no_execute_la_SOURCES = %D%/no_execute.c
%C%_no_execute_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_no_execute_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_no_execute_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/null_deref.la
%C%_null_deref_la_SOURCES = %D%/null_deref.c
%C%_null_deref_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_null_deref_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_null_deref_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/ring_flip.la
%C%_ring_flip_la_SOURCES = %D%/ring_flip.c %D%/inside.h
%C%_ring_flip_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) -I$(srcdir)/host
%C%_ring_flip_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_ring_flip_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/sleep_forever.la
%C%_sleep_forever_la_SOURCES = %D%/sleep_forever.c
%C%_sleep_forever_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_sleep_forever_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_sleep_forever_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/slow_echo.la
%C%_slow_echo_la_SOURCES = %D%/slow_echo.c
%C%_slow_echo_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_slow_echo_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_slow_echo_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/spam_stdout.la
%C%_spam_stdout_la_SOURCES = %D%/spam_stdout.c
%C%_spam_stdout_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_spam_stdout_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_spam_stdout_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/spin.la
%C%_spin_la_SOURCES = %D%/spin.c
%C%_spin_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_spin_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_spin_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/stack_overflow.la
%C%_stack_overflow_la_SOURCES = %D%/stack_overflow.c
%C%_stack_overflow_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_stack_overflow_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_stack_overflow_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/thread_bomb.la
%C%_thread_bomb_la_SOURCES = %D%/thread_bomb.c
%C%_thread_bomb_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_thread_bomb_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_thread_bomb_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/wrong_abi.la
%C%_wrong_abi_la_SOURCES = %D%/wrong_abi.c
%C%_wrong_abi_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_wrong_abi_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_wrong_abi_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/heavy_spin.la
%C%_heavy_spin_la_SOURCES = %D%/heavy_spin.c
%C%_heavy_spin_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_heavy_spin_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_heavy_spin_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)

check_LTLIBRARIES += %D%/runs_program.la
%C%_runs_program_la_SOURCES = %D%/runs_program.c
%C%_runs_program_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_runs_program_la_CFLAGS = $(PLUGIN_CFLAGS)
%C%_runs_program_la_LDFLAGS = $(TEST_PLUGIN_LINKFLAGS)
