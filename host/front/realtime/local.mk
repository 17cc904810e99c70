# Conversations with OpenAI's Realtime service.
libhost_la_SOURCES += \
	%D%/attach.c %D%/attach.h \
	%D%/bridge.c %D%/bridge.h %D%/bridge_parts.h %D%/bridge_tell.c \
	%D%/function_calls.c %D%/function_calls.h \
	%D%/sequencer.c %D%/sequencer.h \
	%D%/sideband.c %D%/sideband.h
