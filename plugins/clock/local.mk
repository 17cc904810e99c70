noinst_LTLIBRARIES += %D%/libclock.la
%C%_libclock_la_SOURCES = \
  %D%/civil.c %D%/civil.h \
  %D%/clock.c \
  %D%/iso.c %D%/iso.h \
  %D%/rule.c %D%/rule.h \
  %D%/work.c %D%/work.h \
  %D%/zone.c %D%/zone.h \
  %D%/zones.c %D%/zones.h
%C%_libclock_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_libclock_la_CFLAGS = $(PLUGIN_CFLAGS)

# It is a folder, for its skill.
clockdir = $(plugindir)/clock.plugin
clock_LTLIBRARIES = %D%/clock.la
clockskilldir = $(clockdir)/skills/plan-a-meeting
dist_clockskill_DATA = %D%/skills/plan-a-meeting/SKILL.md
clockskillreferencesdir = $(clockskilldir)/references
dist_clockskillreferences_DATA = %D%/skills/plan-a-meeting/references/zones.md

%C%_clock_la_SOURCES =
%C%_clock_la_LIBADD = %D%/libclock.la plugins/common/libplugincommon.la
%C%_clock_la_LDFLAGS = $(BUNDLED_LINKFLAGS)

check_PROGRAMS += %D%/test_clock
%C%_test_clock_SOURCES = %D%/test_clock.c
%C%_test_clock_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
%C%_test_clock_LDADD = %D%/libclock.la $(PLUGIN_TEST_LIBS)

dist_man_MANS += %D%/toolhost-clock-plugin.1
dist_policy_DATA += %D%/clock.json
