# Unit tests of base and schema.
json_data = %D%/data.c %D%/data.h

check_PROGRAMS += \
  %D%/test_buf \
  %D%/test_json_tape \
  %D%/test_json_write \
  %D%/test_regex \
  %D%/test_schema

%C%_test_buf_SOURCES = %D%/test_buf.c
%C%_test_buf_LDADD = $(UNIT_LIBS)
%C%_test_json_tape_SOURCES = %D%/test_json_tape.c $(json_data)
%C%_test_json_tape_LDADD = $(UNIT_LIBS)
%C%_test_json_write_SOURCES = %D%/test_json_write.c
%C%_test_json_write_LDADD = $(UNIT_LIBS)
%C%_test_regex_SOURCES = %D%/test_regex.c
%C%_test_regex_LDADD = $(UNIT_LIBS)
%C%_test_schema_SOURCES = %D%/test_schema.c $(json_data)
%C%_test_schema_LDADD = $(UNIT_LIBS)
