# The daemon's core: catalog, pipeline, configuration, pool, log and metrics.
check_PROGRAMS += %D%/test_call %D%/test_catalog %D%/test_config %D%/test_channel \
	%D%/test_discovery %D%/test_notify %D%/test_offload %D%/test_poison %D%/test_pool %D%/test_ring %D%/test_copies \
	%D%/test_audit %D%/test_definitions %D%/test_manage %D%/test_trace %D%/test_watch

%C%_test_catalog_SOURCES = %D%/test_catalog.c %D%/description.c %D%/description.h %D%/tap.h
%C%_test_catalog_LDADD = $(UNIT_LIBS)
%C%_test_config_SOURCES = %D%/test_config.c %D%/tap.h
%C%_test_config_LDADD = $(UNIT_LIBS)
%C%_test_audit_SOURCES = %D%/test_audit.c %D%/tap.h
%C%_test_audit_LDADD = $(UNIT_LIBS)
%C%_test_definitions_SOURCES = %D%/test_definitions.c %D%/tap.h
%C%_test_definitions_LDADD = $(UNIT_LIBS)
%C%_test_manage_SOURCES = %D%/test_manage.c %D%/tap.h
%C%_test_manage_LDADD = $(UNIT_LIBS)
%C%_test_notify_SOURCES = %D%/test_notify.c %D%/tap.h
%C%_test_notify_LDADD = $(UNIT_LIBS)
%C%_test_offload_SOURCES = %D%/test_offload.c %D%/tap.h
%C%_test_offload_LDADD = $(UNIT_LIBS)
%C%_test_discovery_SOURCES = %D%/test_discovery.c %D%/place.c %D%/place.h %D%/tap.h
%C%_test_discovery_LDADD = $(UNIT_LIBS)
%C%_test_poison_SOURCES = %D%/test_poison.c %D%/description.c %D%/description.h %D%/tap.h
%C%_test_poison_LDADD = $(UNIT_LIBS)
%C%_test_copies_SOURCES = %D%/test_copies.c %D%/place.c %D%/place.h %D%/tap.h
%C%_test_copies_LDADD = $(UNIT_LIBS)
%C%_test_trace_SOURCES = %D%/test_trace.c %D%/tap.h
%C%_test_trace_LDADD = $(UNIT_LIBS)
%C%_test_watch_SOURCES = %D%/test_watch.c %D%/tap.h
%C%_test_watch_LDADD = $(UNIT_LIBS)
%C%_test_call_SOURCES = %D%/test_call.c %D%/tap.h
%C%_test_call_LDADD = $(UNIT_LIBS)
%C%_test_channel_SOURCES = %D%/test_channel.c %D%/tap.h
%C%_test_channel_LDADD = $(UNIT_LIBS)
%C%_test_ring_SOURCES = %D%/test_ring.c %D%/tap.h
%C%_test_ring_LDADD = $(UNIT_LIBS)
%C%_test_pool_SOURCES = %D%/test_pool.c %D%/tap.h
%C%_test_pool_LDADD = $(UNIT_LIBS)

check_PROGRAMS += %D%/test_front_matter %D%/test_skills
%C%_test_front_matter_SOURCES = %D%/test_front_matter.c %D%/tap.h
%C%_test_front_matter_LDADD = $(UNIT_LIBS)
%C%_test_skills_SOURCES = %D%/test_skills.c %D%/tap.h
%C%_test_skills_LDADD = $(UNIT_LIBS)

check_PROGRAMS += %D%/test_launch
%C%_test_launch_SOURCES = %D%/test_launch.c %D%/tap.h
%C%_test_launch_LDADD = $(UNIT_LIBS)

check_PROGRAMS += %D%/test_project
%C%_test_project_SOURCES = %D%/test_project.c %D%/tap.h
%C%_test_project_LDADD = $(UNIT_LIBS)

check_PROGRAMS += %D%/test_output
%C%_test_output_SOURCES = %D%/test_output.c %D%/tap.h
%C%_test_output_LDADD = $(UNIT_LIBS)

check_PROGRAMS += %D%/test_reason
%C%_test_reason_SOURCES = %D%/test_reason.c %D%/tap.h
%C%_test_reason_LDADD = $(UNIT_LIBS)

check_PROGRAMS += %D%/test_queue
%C%_test_queue_SOURCES = %D%/test_queue.c %D%/tap.h
%C%_test_queue_LDADD = $(UNIT_LIBS)

check_PROGRAMS += %D%/test_breaker
%C%_test_breaker_SOURCES = %D%/test_breaker.c %D%/tap.h
%C%_test_breaker_LDADD = $(UNIT_LIBS)

check_PROGRAMS += %D%/test_memory
%C%_test_memory_SOURCES = %D%/test_memory.c %D%/tap.h
%C%_test_memory_LDADD = $(UNIT_LIBS)
check_PROGRAMS += %D%/test_mirrored
%C%_test_mirrored_SOURCES = %D%/test_mirrored.c %D%/tap.h
%C%_test_mirrored_LDADD = $(UNIT_LIBS)

check_PROGRAMS += %D%/test_watchdog
%C%_test_watchdog_SOURCES = %D%/test_watchdog.c %D%/tap.h
%C%_test_watchdog_LDADD = $(UNIT_LIBS)

check_PROGRAMS += %D%/test_content
%C%_test_content_SOURCES = %D%/test_content.c %D%/tap.h
%C%_test_content_LDADD = $(UNIT_LIBS)

check_PROGRAMS += %D%/test_offers
%C%_test_offers_SOURCES = %D%/test_offers.c %D%/tap.h
%C%_test_offers_LDADD = $(UNIT_LIBS)

check_PROGRAMS += %D%/test_call_kinds
%C%_test_call_kinds_SOURCES = %D%/test_call_kinds.c %D%/tap.h
%C%_test_call_kinds_LDADD = $(UNIT_LIBS)
check_PROGRAMS += %D%/test_ask %D%/test_seal
%C%_test_ask_SOURCES = %D%/test_ask.c %D%/played_unit.c %D%/played_unit.h %D%/tap.h
%C%_test_ask_LDADD = $(UNIT_LIBS)
%C%_test_seal_SOURCES = %D%/test_seal.c %D%/tap.h
%C%_test_seal_LDADD = $(UNIT_LIBS)

check_PROGRAMS += %D%/test_changes
%C%_test_changes_SOURCES = %D%/test_changes.c %D%/tap.h
%C%_test_changes_LDADD = $(UNIT_LIBS)

check_PROGRAMS += %D%/test_results
%C%_test_results_SOURCES = %D%/test_results.c %D%/tap.h
%C%_test_results_LDADD = $(UNIT_LIBS)

check_PROGRAMS += %D%/test_search
%C%_test_search_SOURCES = %D%/test_search.c %D%/tap.h
%C%_test_search_LDADD = $(UNIT_LIBS)

check_PROGRAMS += %D%/test_tenancy
%C%_test_tenancy_SOURCES = %D%/test_tenancy.c %D%/tap.h
%C%_test_tenancy_LDADD = $(UNIT_LIBS)

check_PROGRAMS += %D%/test_call_guards
%C%_test_call_guards_SOURCES = %D%/test_call_guards.c %D%/tap.h
%C%_test_call_guards_LDADD = $(UNIT_LIBS)

check_PROGRAMS += %D%/test_pins
%C%_test_pins_SOURCES = %D%/test_pins.c %D%/place.c %D%/place.h %D%/tap.h
%C%_test_pins_LDADD = $(UNIT_LIBS)

check_PROGRAMS += %D%/test_resilience
%C%_test_resilience_SOURCES = %D%/test_resilience.c %D%/tap.h
%C%_test_resilience_LDADD = $(UNIT_LIBS)

check_PROGRAMS += %D%/test_claim
%C%_test_claim_SOURCES = %D%/test_claim.c %D%/played_unit.c %D%/played_unit.h %D%/tap.h
%C%_test_claim_LDADD = $(UNIT_LIBS)

check_PROGRAMS += %D%/test_approve
%C%_test_approve_SOURCES = %D%/test_approve.c %D%/store_faults.c %D%/store_faults.h %D%/played_unit.c %D%/played_unit.h %D%/tap.h
%C%_test_approve_LDADD = $(UNIT_LIBS)

check_PROGRAMS += %D%/test_outbox
%C%_test_outbox_SOURCES = %D%/test_outbox.c %D%/tap.h
%C%_test_outbox_LDADD = $(UNIT_LIBS)

check_PROGRAMS += %D%/test_guard %D%/test_guard_injection %D%/test_guard_pii %D%/test_guard_secrets
%C%_test_guard_SOURCES = %D%/test_guard.c %D%/guard_rig.h %D%/tap.h
%C%_test_guard_LDADD = $(UNIT_LIBS)
%C%_test_guard_injection_SOURCES = %D%/test_guard_injection.c %D%/guard_rig.h %D%/tap.h
%C%_test_guard_injection_LDADD = $(UNIT_LIBS)
%C%_test_guard_pii_SOURCES = %D%/test_guard_pii.c %D%/guard_rig.h %D%/tap.h
%C%_test_guard_pii_LDADD = $(UNIT_LIBS)

check_PROGRAMS += %D%/test_approval_rules %D%/test_approval_standing
%C%_test_approval_rules_SOURCES = %D%/test_approval_rules.c %D%/tap.h
%C%_test_approval_rules_LDADD = $(UNIT_LIBS)
%C%_test_approval_standing_SOURCES = %D%/test_approval_standing.c %D%/tap.h
%C%_test_approval_standing_LDADD = $(UNIT_LIBS)
%C%_test_guard_secrets_SOURCES = %D%/test_guard_secrets.c %D%/guard_rig.h %D%/tap.h
%C%_test_guard_secrets_LDADD = $(UNIT_LIBS)

check_PROGRAMS += %D%/test_strict
%C%_test_strict_SOURCES = %D%/test_strict.c %D%/description.c %D%/description.h %D%/tap.h
%C%_test_strict_LDADD = $(UNIT_LIBS)
