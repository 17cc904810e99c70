# The toolhost program; its parts are a library so that their tests can have them.
bin_PROGRAMS += toolhost
noinst_LTLIBRARIES += libcli.la

libcli_la_SOURCES = \
  %D%/answer.c %D%/answer.h \
  %D%/args.c %D%/args.h \
  %D%/backup.c %D%/backup.h %D%/backup_verify.c \
  %D%/caret.c %D%/caret.h \
  %D%/client.c %D%/client.h \
  %D%/direct.c %D%/direct.h \
  %D%/exits.c %D%/exits.def %D%/exits.h \
  %D%/indented.c %D%/indented.h \
  %D%/input.c %D%/input.h \
  %D%/lint.c %D%/lint.h \
  %D%/log_line.c %D%/log_line.h \
  %D%/options.c %D%/options.h \
  %D%/out.c %D%/out.h \
  %D%/plugin_view.c %D%/plugin_view.h \
  %D%/questions.c %D%/questions.h \
  %D%/remotes.c %D%/remotes.h \
  %D%/report.c %D%/report.h \
  %D%/said.c %D%/said.h \
  %D%/sse.c %D%/sse.h \
  %D%/table.c %D%/table.h \
  %D%/ticker.c %D%/ticker.h \
  %D%/top_show.c %D%/top_view.c %D%/top_view.h \
  %D%/verdict.c %D%/verdict.h \
  %D%/verdict_show.c \
  %D%/verdicts.c %D%/verdicts.h
libcli_la_CPPFLAGS = $(AM_CPPFLAGS) $(CURL_CFLAGS)

toolhost_SOURCES = \
  %D%/approvals.h \
  %D%/cmd_approvals.c \
  %D%/cmd_asks.c \
  %D%/cmd_backup.c \
  %D%/cmd_call.c \
  %D%/cmd_cancel.c \
  %D%/check_offers.c %D%/check_offers.h \
  %D%/check_skills.c %D%/check_skills.h \
  %D%/cmd_check.c \
  %D%/cmd_ffi.c \
  %D%/cmd_key.c \
  %D%/cmd_list.c \
  %D%/cmd_new.c \
  %D%/cmd_offers.c \
  %D%/cmd_plugins.c \
  %D%/cmd_openapi.c \
  %D%/cmd_reload.c \
  %D%/cmd_schema.c \
  %D%/cmd_skills.c \
  %D%/cmd_agui.c \
  %D%/cmd_sessions.c \
  %D%/cmd_audit.c \
  %D%/cmd_logs.c \
  %D%/cmd_store.c \
  %D%/cmd_top.c \
  %D%/cmd_tenants.c \
  %D%/cmd_tools.c \
  %D%/made.c %D%/made.h \
  %D%/top_screen.c %D%/top_screen.h \
  %D%/tools_apply.c %D%/tools_apply.h \
  %D%/command.h \
  %D%/list_cost.c %D%/list_cost.h \
  %D%/main.c
toolhost_CPPFLAGS = $(AM_CPPFLAGS) $(NCURSES_CFLAGS) -DTOOLHOST_TEMPLATE_DIR='"$(datadir)/toolhost/template"'
toolhost_LDADD = libcli.la $(HOST_LIBS) $(SQLITE_LIBS) $(CURL_LIBS) $(NCURSES_LIBS) -lm

check_PROGRAMS += \
  tests/unit/test_cli_answer \
  tests/unit/test_cli_args \
  tests/unit/test_cli_lint \
  tests/unit/test_cli_options \
  tests/unit/test_cli_out \
  tests/unit/test_cli_report \
  tests/unit/test_cli_schema \
  tests/unit/test_cli_sse \
  tests/unit/test_cli_table \
  tests/unit/test_cli_top
CLI_UNIT_LIBS = libcli.la $(UNIT_LIBS) $(CURL_LIBS) $(SQLITE_LIBS) -lm
tests_unit_test_cli_answer_LDADD = $(CLI_UNIT_LIBS)
tests_unit_test_cli_args_LDADD = $(CLI_UNIT_LIBS)
tests_unit_test_cli_lint_LDADD = $(CLI_UNIT_LIBS)
tests_unit_test_cli_options_LDADD = $(CLI_UNIT_LIBS)
tests_unit_test_cli_out_LDADD = $(CLI_UNIT_LIBS)
tests_unit_test_cli_report_LDADD = $(CLI_UNIT_LIBS)
tests_unit_test_cli_schema_LDADD = $(CLI_UNIT_LIBS)
tests_unit_test_cli_sse_LDADD = $(CLI_UNIT_LIBS)
tests_unit_test_cli_table_LDADD = $(CLI_UNIT_LIBS)
tests_unit_test_cli_top_LDADD = $(CLI_UNIT_LIBS)

dist_check_SCRIPTS += tests/integration/test_cli.py tests/integration/test_schema_cli.py
