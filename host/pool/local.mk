libhost_la_SOURCES += \
	%D%/job.h \
	%D%/policy.c %D%/policy.h \
	%D%/pool.c %D%/pool.h \
	%D%/queue.c %D%/queue.h \
	%D%/reason.c %D%/reason.h \
	%D%/receive.c %D%/receive.h \
	%D%/spawn.c %D%/spawn.h \
	%D%/tenants.c %D%/tenants.h \
	%D%/unit.c %D%/unit.h \
	%D%/worker.c %D%/worker.h
