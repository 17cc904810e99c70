libhost_la_SOURCES += \
	%D%/approve.c %D%/approve_again.c %D%/approve_book.c %D%/approve_known.c \
	%D%/approve_leave.c %D%/approve_run.c %D%/approving.c %D%/approving.h \
	%D%/approval_form.c %D%/approval_form.h \
	%D%/arguments.c %D%/arguments.h \
	%D%/ask.c %D%/ask.h \
	%D%/ask_rules.c %D%/ask_rules.h \
	%D%/batch.c %D%/batch.h %D%/batch_leave.c %D%/batch_member.c \
	%D%/batching.c %D%/batching.h \
	%D%/budgets.c %D%/budgets.h \
	%D%/call.c %D%/call.h \
	%D%/call_audit.c %D%/call_audit.h \
	%D%/call_log.c %D%/call_log.h %D%/call_trace.c %D%/call_trace.h \
	%D%/calls.c %D%/calls.h \
	%D%/claim.c %D%/claim.h \
	%D%/circuits.c %D%/circuits.h \
	%D%/errors.c %D%/errors.def \
	%D%/finish.c %D%/outcome.c %D%/running.h \
	%D%/guarding.c %D%/guarding.h %D%/guarding_parts.h \
	%D%/guarding_budget.c %D%/guarding_check.c %D%/guarding_error.c %D%/guarding_output.c %D%/guarding_texts.c \
	%D%/guards.c %D%/guards.h \
	%D%/held.c %D%/held.h \
	%D%/letters.c %D%/letters.h \
	%D%/inside.c %D%/inside.h \
	%D%/invoke.c \
	%D%/named.c %D%/named.h \
	%D%/preview.c %D%/preview.h \
	%D%/quota.c %D%/quota.h \
	%D%/tenancy.c %D%/tenancy.h \
	%D%/problems.c %D%/problems.h \
	%D%/reading.c \
	%D%/resolve.c %D%/resolve.h \
	%D%/results.c %D%/results.h \
	%D%/rounds.c \
	%D%/seal.c %D%/seal.h \
	%D%/shorten.c \
	%D%/stored.c %D%/stored.h \
	%D%/trouble.c
nodist_libhost_la_SOURCES += %D%/ask.schema.c
dist_schema_DATA += %D%/ask.schema.json
