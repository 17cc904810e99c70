# The book of approvals: which calls wait for a person, what was said, and what was said for good.
libhost_la_SOURCES += \
  %D%/approvals.c %D%/approvals.h %D%/book.h \
  %D%/deciding.c \
  %D%/facts.c \
  %D%/looking.c \
  %D%/rules.c %D%/rules.h \
  %D%/standing.c %D%/standing.h \
  %D%/stands.c \
  %D%/unasked.c
