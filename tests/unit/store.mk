# The durable store, its engines.
check_PROGRAMS += %D%/test_store_contract
store_rig = %D%/store_rig.c %D%/store_rig.h %D%/store_faults.c %D%/store_faults.h %D%/place.c %D%/place.h %D%/tap.h
%C%_test_store_contract_SOURCES = %D%/test_store_contract.c %D%/store_contract.h %D%/store_contract_calls.c \
	%D%/store_contract_definitions.c %D%/store_contract_front.c %D%/store_contract_others.c \
	%D%/store_contract_records.c $(store_rig)
%C%_test_store_contract_LDADD = $(UNIT_LIBS)

check_PROGRAMS += %D%/test_store_sqlite
%C%_test_store_sqlite_SOURCES = %D%/test_store_sqlite.c %D%/store_file.h %D%/store_file_files.c \
	%D%/store_file_kills.c %D%/store_file_restarts.c %D%/store_file_room.c %D%/store_file_size.c $(store_rig)
%C%_test_store_sqlite_LDADD = $(UNIT_LIBS)

check_PROGRAMS += %D%/test_rest_store
%C%_test_rest_store_SOURCES = %D%/test_rest_store.c %D%/place.c %D%/place.h $(front_fakes)
%C%_test_rest_store_LDADD = $(UNIT_LIBS)

check_PROGRAMS += %D%/test_rest_logs
%C%_test_rest_logs_SOURCES = %D%/test_rest_logs.c $(front_fakes)
%C%_test_rest_logs_LDADD = $(UNIT_LIBS)
