# What tenants make over the management API.
libhost_la_SOURCES += \
  %D%/check.c \
  %D%/compose.c %D%/compose.h \
  %D%/definitions.c %D%/definitions.h \
  %D%/manage.c %D%/manage.h %D%/manage_parts.h \
  %D%/merge_patch.c %D%/merge_patch.h \
  %D%/sandboxed.c %D%/sandboxed.h \
  %D%/write.c
