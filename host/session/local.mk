# Conversations.
libhost_la_SOURCES += \
	%D%/approval.c \
	%D%/answer.c %D%/answer.h \
	%D%/asking.c \
	%D%/cause.c \
	%D%/context.c %D%/context.h \
	%D%/draft.c %D%/draft.h \
	%D%/ending.c \
	%D%/feed.c %D%/feed.h \
	%D%/hear.c \
	%D%/ledger.c %D%/ledger.h \
	%D%/parts.h \
	%D%/phone.c \
	%D%/route.c \
	%D%/say.c \
	%D%/session.h %D%/sessions.c \
	%D%/show.c \
	%D%/state.c \
	%D%/turns.c \
	%D%/work.c
