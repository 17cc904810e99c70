# Configurations and plugins to copy, each used by a test.
check_PROGRAMS += %D%/plugins/hello/test_hello
%C%_plugins_hello_test_hello_SOURCES = \
  %D%/plugins/hello/hello.c %D%/plugins/hello/test_hello.c
%C%_plugins_hello_test_hello_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_plugins_hello_test_hello_LDADD = libtoolhost-mock.la
check_PROGRAMS += %D%/plugins/recipients/test_recipients
%C%_plugins_recipients_test_recipients_SOURCES = \
  %D%/plugins/recipients/recipients.c %D%/plugins/recipients/test_recipients.c
%C%_plugins_recipients_test_recipients_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_plugins_recipients_test_recipients_LDADD = libtoolhost-mock.la

dist_check_SCRIPTS += %D%/test_examples.sh

nobase_dist_pkgdata_DATA += \
  %D%/grafana/toolhost.json \
  %D%/logrotate/toolhostd \
  %D%/phone-agent/README.md \
  %D%/phone-agent/acme-corp.json \
  %D%/phone-agent/play.py \
  %D%/plugins/hello/Makefile \
  %D%/plugins/hello/hello.c \
  %D%/plugins/hello/test_hello.c \
  %D%/plugins/recipients/Makefile \
  %D%/plugins/recipients/recipients.c \
  %D%/plugins/recipients/test_recipients.c \
  %D%/policies/calculator.json \
  %D%/policies/clock.json \
  %D%/policies/data_query.json \
  %D%/policies/files.json \
  %D%/policies/hash.json \
  %D%/policies/mcp.json \
  %D%/tenants/acme-corp.json \
  %D%/tenants/agents.json \
  %D%/tenants/meals.json \
  %D%/tenants/services.json \
  %D%/tenants/upstream.json \
  %D%/tenants/voice-agent.json
