# Conversations with OpenAI's Realtime service.
libhost_la_SOURCES += \
	%D%/attach.c %D%/attach.h \
	%D%/bridge.c %D%/bridge.h %D%/bridge_parts.h %D%/bridge_tell.c %D%/bridge_wait.c \
	%D%/function_calls.c %D%/function_calls.h \
	%D%/sequencer.c %D%/sequencer.h \
	%D%/sideband.c %D%/sideband.h

# Telephone calls that come in: the webhook, and what becomes of them.
libhost_la_SOURCES += \
	%D%/acceptance.c \
	%D%/incoming.c %D%/incoming.h \
	%D%/number.c %D%/number.h \
	%D%/reception.c %D%/reception.h \
	%D%/seen.c %D%/seen.h
