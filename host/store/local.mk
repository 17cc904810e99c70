# The durable store: calls, definitions, contexts, what is to be sent; its front, then its engines.
libhost_la_SOURCES += \
  %D%/ask.c \
  %D%/copy.c \
  %D%/doubt.c %D%/doubt.h \
  %D%/mem.c %D%/mem.h \
  %D%/mem_calls.c \
  %D%/mem_contexts.c \
  %D%/mem_definitions.c \
  %D%/mem_letters.c \
  %D%/mem_records.c \
  %D%/sql.c %D%/sql.h %D%/sql_statements.def \
  %D%/sql_batch.c \
  %D%/sql_calls.c \
  %D%/sql_contexts.c \
  %D%/sql_definitions.c \
  %D%/sql_letters.c \
  %D%/sql_open.c \
  %D%/sql_records.c \
  %D%/sql_schema.c \
  %D%/sql_vacuum.c \
  %D%/sqlite.c %D%/sqlite.h \
  %D%/sqlite_copy.c \
  %D%/store.c %D%/store.h %D%/store_engine.h %D%/store_parts.h \
  %D%/tell.c
