# MCP over standard input and output.
libhost_la_SOURCES += \
  %D%/line_io.c %D%/line_io.h \
  %D%/stdio.c %D%/stdio.h
