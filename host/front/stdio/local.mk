# MCP over standard input and output.
libhost_la_SOURCES += %D%/stdio.c %D%/stdio.h
