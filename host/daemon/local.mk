# The daemon: everything but main() is in libhost, which the command line uses too.
libhost_la_SOURCES += \
	%D%/config.c %D%/config.h \
	%D%/describe_cache.c %D%/describe_cache.h \
	%D%/document.c %D%/document.h \
	%D%/host.c %D%/host.h \
	%D%/listen.c %D%/listen.h \
	%D%/oneshot.c %D%/oneshot.h \
	%D%/paths.c %D%/paths.h \
	%D%/plugins.c %D%/plugins.h \
	%D%/policies.c %D%/policies.h \
	%D%/privileges.c %D%/privileges.h \
	%D%/report.c %D%/report.h \
	%D%/settings.c %D%/settings.h
nodist_libhost_la_SOURCES += %D%/config.schema.c %D%/policy.schema.c
dist_schema_DATA += %D%/config.schema.json %D%/policy.schema.json

sbin_PROGRAMS += toolhostd
toolhostd_SOURCES = %D%/main.c %D%/options.c %D%/options.h
toolhostd_LDADD = $(HOST_LIBS)
