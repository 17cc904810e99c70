noinst_LTLIBRARIES += %D%/libcalculator.la
%C%_libcalculator_la_SOURCES = \
  %D%/calculator.c \
  %D%/eval.c %D%/eval.h \
  %D%/functions.c %D%/functions.h \
  %D%/lexer.c %D%/lexer.h \
  %D%/number.c %D%/number.h
%C%_libcalculator_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
%C%_libcalculator_la_CFLAGS = $(PLUGIN_CFLAGS)

plugin_LTLIBRARIES += %D%/calculator.la
%C%_calculator_la_SOURCES =
%C%_calculator_la_LIBADD = %D%/libcalculator.la plugins/common/libplugincommon.la $(GMP_LIBS) -lm
%C%_calculator_la_LDFLAGS = $(BUNDLED_LINKFLAGS)

check_PROGRAMS += %D%/test_calculator
%C%_test_calculator_SOURCES = %D%/test_calculator.c
%C%_test_calculator_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
%C%_test_calculator_LDADD = %D%/libcalculator.la $(PLUGIN_TEST_LIBS) -lpthread $(GMP_LIBS) -lm

dist_man_MANS += %D%/toolhost-calculator-plugin.1
