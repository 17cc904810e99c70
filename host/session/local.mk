# Conversations.
libhost_la_SOURCES += \
	%D%/answer.c %D%/answer.h \
	%D%/context.c %D%/context.h \
	%D%/feed.c %D%/feed.h \
	%D%/hear.c \
	%D%/ledger.c %D%/ledger.h \
	%D%/parts.h \
	%D%/phone.c \
	%D%/say.c \
	%D%/session.h %D%/sessions.c \
	%D%/show.c \
	%D%/work.c
