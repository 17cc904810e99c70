# Unit tests of base and schema.
json_data = %D%/data.c %D%/data.h

check_PROGRAMS += \
  %D%/test_bounds \
  %D%/test_buf \
  %D%/test_explain \
  %D%/test_format \
  %D%/test_json_c \
  %D%/test_json_mend \
  %D%/test_json_tape \
  %D%/test_json_write \
  %D%/test_regex \
  %D%/test_repair \
  %D%/test_schema \
  %D%/test_schema_suite

%C%_test_bounds_SOURCES = %D%/test_bounds.c %D%/bounds.c %D%/bounds.h
%C%_test_bounds_LDADD = $(UNIT_LIBS)
%C%_test_buf_SOURCES = %D%/test_buf.c
%C%_test_buf_LDADD = $(UNIT_LIBS)
%C%_test_explain_SOURCES = %D%/test_explain.c %D%/schema_rig.h
%C%_test_explain_LDADD = $(UNIT_LIBS)
%C%_test_format_SOURCES = %D%/test_format.c
%C%_test_format_LDADD = $(UNIT_LIBS)
%C%_test_json_c_SOURCES = %D%/test_json_c.c $(json_data)
%C%_test_json_c_LDADD = $(UNIT_LIBS)
%C%_test_json_mend_SOURCES = %D%/test_json_mend.c
%C%_test_json_mend_LDADD = $(UNIT_LIBS)
%C%_test_json_tape_SOURCES = %D%/test_json_tape.c $(json_data)
%C%_test_json_tape_LDADD = $(UNIT_LIBS)
%C%_test_json_write_SOURCES = %D%/test_json_write.c
%C%_test_json_write_LDADD = $(UNIT_LIBS)
%C%_test_regex_SOURCES = %D%/test_regex.c
%C%_test_regex_LDADD = $(UNIT_LIBS)
%C%_test_repair_SOURCES = %D%/test_repair.c %D%/schema_rig.h
%C%_test_repair_LDADD = $(UNIT_LIBS)
%C%_test_schema_SOURCES = %D%/test_schema.c %D%/schema_rig.h
%C%_test_schema_LDADD = $(UNIT_LIBS)
%C%_test_schema_suite_SOURCES = %D%/test_schema_suite.c $(json_data)
%C%_test_schema_suite_LDADD = $(UNIT_LIBS)

check_PROGRAMS += %D%/test_uri_template
%C%_test_uri_template_SOURCES = %D%/test_uri_template.c
%C%_test_uri_template_LDADD = $(UNIT_LIBS)
