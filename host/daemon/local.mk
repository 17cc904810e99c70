# The daemon: everything but main() is in libhost, which the command line uses too.
libhost_la_SOURCES += \
	%D%/ceiling.c %D%/ceiling.h \
	%D%/changes.c %D%/changes.h \
	%D%/config.c %D%/config.h \
	%D%/describe_cache.c %D%/describe_cache.h \
	%D%/document.c %D%/document.h \
	%D%/folder.c %D%/folder.h \
	%D%/gather.c \
	%D%/host.c %D%/host.h %D%/host_parts.h \
	%D%/host_open.c %D%/host_core.c %D%/host_fronts.c %D%/host_auth.c %D%/host_tenants.c %D%/host_run.c %D%/host_reload.c \
	%D%/host_http.c %D%/host_phone.c %D%/host_realtime.c %D%/host_outbox.c %D%/host_sessions.c %D%/host_store.c %D%/host_audit.c %D%/host_top.c %D%/host_tls.c \
	%D%/hooks.c %D%/hooks.h %D%/outbox.c %D%/outbox.h \
	%D%/http_keys.c %D%/http_keys.h \
	%D%/intake.c %D%/intake.h \
	%D%/listen.c %D%/listen.h \
	%D%/listing.c %D%/listing.h \
	%D%/notify.c %D%/notify.h \
	%D%/oneshot.c %D%/oneshot.h \
	%D%/paths.c %D%/paths.h \
	%D%/plugin.h \
	%D%/plugins.c %D%/plugins.h \
	%D%/plugins_show.c \
	%D%/policies.c %D%/policies.h \
	%D%/policy_keys.c %D%/policy_keys.h \
	%D%/pins.c %D%/pins.h %D%/pins_file.c %D%/pins_file.h \
	%D%/privileges.c %D%/privileges.h \
	%D%/profiles.c %D%/profiles.h \
	%D%/report.c %D%/report.h \
	%D%/sandbox.c %D%/sandbox.h %D%/sandbox_advice.c \
	%D%/settings.c %D%/settings.h \
	%D%/tenants.c %D%/tenants.h \
	%D%/trace_config.c %D%/trace_config.h %D%/trace_export.c %D%/trace_export.h %D%/host_trace.c \
	%D%/host_manage.c %D%/tool_files.c %D%/tool_files.h \
	%D%/toolsets.c %D%/toolsets.h %D%/toolsets_show.c \
	%D%/served.h %D%/builds.c \
	%D%/offering.c %D%/offering.h
nodist_libhost_la_SOURCES += %D%/config.schema.c %D%/policy.schema.c %D%/tenant.schema.c
dist_schema_DATA += %D%/config.schema.json %D%/policy.schema.json %D%/tenant.schema.json

# Profiles of policies; profiles.c names them.
policy_profiles = \
	%D%/profiles/nonetwork.json \
	%D%/profiles/strict.json \
	%D%/profiles/trusted.json
EXTRA_DIST += $(policy_profiles)
nodist_libhost_la_SOURCES += \
	%D%/profiles/nonetwork.c \
	%D%/profiles/strict.c \
	%D%/profiles/trusted.c

%D%/profiles/%.c: %D%/profiles/%.json $(srcdir)/host/embed.awk
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(AWK) -f $(srcdir)/host/embed.awk $< > $@.tmp && mv -f $@.tmp $@

sbin_PROGRAMS += toolhostd
toolhostd_SOURCES = %D%/main.c %D%/options.c %D%/options.h
toolhostd_CFLAGS = $(AM_CFLAGS) $(LTO_CFLAGS)
toolhostd_LDFLAGS = $(HARDEN_LDFLAGS) $(PIE_LDFLAGS) $(LTO_LDFLAGS)
toolhostd_LDADD = $(HOST_LIBS)
