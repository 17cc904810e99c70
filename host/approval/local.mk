# The book of approvals: which calls wait for a person, what was said, and what was said for good.
libhost_la_SOURCES += \
  %D%/approvals.h \
  %D%/rules.c %D%/rules.h \
  %D%/standing.c %D%/standing.h
