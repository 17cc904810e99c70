# Without knowledge of tools: memory, errors, frames, JSON.
libbase_la_SOURCES += \
  %D%/base64.c %D%/base64.h \
  %D%/buf.c %D%/buf.h \
  %D%/clock.h \
  %D%/context_path.h \
  %D%/decimal.c %D%/decimal.h \
  %D%/error.c %D%/error.h \
  %D%/fold.c %D%/fold.h \
  %D%/frame.c %D%/frame.h \
  %D%/glob.c %D%/glob.h \
  %D%/heap.c %D%/heap.h \
  %D%/invisible.c %D%/invisible.h \
  %D%/json_canonical.c %D%/json_canonical.h \
  %D%/json_mend.c %D%/json_mend.h %D%/json_mend_work.h \
  %D%/json_mend_text.c \
  %D%/json_names.c %D%/json_names.h \
  %D%/json_number.c %D%/json_number.h \
  %D%/json_read.c \
  %D%/json_tape.c %D%/json_tape.h \
  %D%/json_text.h \
  %D%/json_write.c %D%/json_write.h \
  %D%/large.c %D%/large.h \
  %D%/memory.c %D%/memory.h \
  %D%/resilience.c %D%/resilience.h \
  %D%/ring.c %D%/ring.h \
  %D%/tar.c %D%/tar.h \
  %D%/uri_template.c %D%/uri_template.h \
  %D%/utf8.h
# The only file that meets json-c, the only one that meets libev, and tables by name: not for the
# library that tests of plugins link.
libhost_la_SOURCES += \
  %D%/hash.c %D%/hash.h \
  %D%/json_c.c %D%/json_c.h \
  %D%/offload.c %D%/offload.h %D%/probe.h
