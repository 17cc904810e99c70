# Plugins that do one evil thing each, and a few harmless ones that tests need.  They are never
# installed; a worker loads tests/hostile/.libs/NAME.so.  A new one is a word in one of these lists.
hostile_plugins = \
	abort_ allparts bad_definition bad_frames bad_offers bad_output bad_schema bad_status big_args canary_hunt \
	close_fds cpu_thief ctor_crash ctor_exit0 ctor_hang ctor_probe deadlock disk_bomb dtor_crash dtor_hang \
	dup_name escape_files every_socket exit0 exit_now fd_bomb file_io forbidden forged_result \
	fork_bomb frame_thief heavy_spin huge_result inode_bomb kernel_surface later_never later_ok \
	log_flood longjmp_out malloc_bomb memfd_bomb new_code no_entry no_execute null_deref \
	progress_flood pthread_exit_ reach_processes result_flood runs_program send_fds sleep_forever \
	slow_echo spam_stdout sparse_map spin stack_overflow stop_self thread_bomb wrong_abi
hostile_files = $(hostile_plugins:%=%D%/.libs/%.so)

# Those that know the program they run in, and speak past its code.
inside_plugins = bad_json forged_event forged_service ring_flip
inside_files = $(inside_plugins:%=%D%/.libs/%.so)

hostile_link = $(AM_V_CCLD)$(MKDIR_P) $(@D) && $(CC) $(PLUGIN_CPPFLAGS) $(CPPFLAGS) $(PLUGIN_CFLAGS) \
	$(CFLAGS) -fPIC -shared $(HARDEN_LDFLAGS) -Wl,-z,defs $(LDFLAGS) -o $@ $<

$(hostile_files): %D%/.libs/%.so: %D%/%.c %D%/hostile.h $(srcdir)/sdk/toolhost.h
	$(hostile_link)

%D%/.libs/dtor_crash.so %D%/.libs/dtor_hang.so: %D%/dtor.h

$(inside_files): %D%/.libs/%.so: %D%/%.c %D%/hostile.h %D%/inside.h $(toolhost_worker_SOURCES) \
		$(libplugin_la_SOURCES) $(libbase_la_SOURCES)
	$(hostile_link) -I$(srcdir)/host $(srcdir)/host/base/ring.c

check_DATA += $(hostile_files) $(inside_files)
CLEANFILES += $(hostile_files) $(inside_files)
EXTRA_DIST += %D%/dtor.h %D%/hostile.h %D%/inside.h $(hostile_plugins:%=%D%/%.c) $(inside_plugins:%=%D%/%.c)

# What they come to, against a running daemon: TAP, or the table of ./dev test hostile.
dist_check_SCRIPTS += %D%/hostile.py
EXTRA_DIST += %D%/rows.py
