libhost_la_SOURCES += %D%/audit.c %D%/audit.h %D%/chain.c %D%/chain.h %D%/reader.c %D%/reader.h %D%/segment.c %D%/segment.h
