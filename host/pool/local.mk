libhost_la_SOURCES += \
	%D%/answer.c %D%/answer.h \
	%D%/birth.c %D%/birth.h \
	%D%/breaker.c %D%/breaker.h \
	%D%/building.c %D%/building.h \
	%D%/cgroup.c %D%/cgroup.h \
	%D%/cgroup_find.c %D%/cgroup_find.h \
	%D%/chatter.h \
	%D%/checking.c %D%/checking.h \
	%D%/content.c %D%/content.h \
	%D%/cpu_credit.c %D%/cpu_credit.h \
	%D%/effort.c %D%/effort.h \
	%D%/fleet.c %D%/fleet.h \
	%D%/granted.c %D%/granted.h \
	%D%/hello.c %D%/hello.h \
	%D%/history.c %D%/history.h \
	%D%/idmap.c %D%/idmap.h \
	%D%/channel.c %D%/channel.h \
	%D%/isolate.c %D%/isolate.h \
	%D%/job.h \
	%D%/launch.c %D%/launch.h \
	%D%/launcher.c %D%/launcher.h \
	%D%/launcher_confine.c \
	%D%/pass.c %D%/pass.h \
	%D%/output.c %D%/output.h \
	%D%/policy.c %D%/policy.h \
	%D%/pool.c %D%/pool.h \
	%D%/process.c %D%/process.h \
	%D%/program.c %D%/program.h \
	%D%/queue.c %D%/queue.h \
	%D%/said.c %D%/said.h \
	%D%/reason.c %D%/reason.h \
	%D%/receive.c %D%/receive.h \
	%D%/sealed.c %D%/sealed.h \
	%D%/serving.c %D%/serving.h \
	%D%/spawn.c %D%/spawn.h \
	%D%/tenants.c %D%/tenants.h \
	%D%/unit.c %D%/unit.h \
	%D%/watchdog.c %D%/watchdog.h \
	%D%/worker.c %D%/worker.h %D%/worker_life.c %D%/worker_parts.h
