/* voice.h - what a tool says to the user of a conversation, and does to his call, as events. */
#ifndef TOOLHOST_PLUGINS_COMMON_VOICE_H
#define TOOLHOST_PLUGINS_COMMON_VOICE_H

#include <toolhost.h>

#include "text.h"

/* Each gives what execute may return: TOOLHOST_OK, or TOOLHOST_FAILED and the model is told that
 * the call is in no conversation.  [call], from execute */
toolhost_status voice_say (toolhost_call *call, const char *text, bool interruptible);
toolhost_status voice_end_call (toolhost_call *call, const char *reason, bool interruptible);
toolhost_status voice_transfer (toolhost_call *call, const char *number, bool interruptible);
toolhost_status voice_dtmf (toolhost_call *call, const char *button);
/* Any other event: an object that has been begun with its type, and is ended here. */
toolhost_status voice_emit (toolhost_call *call, struct text *event);

/* There is nobody: what the functions above say then. */
toolhost_status voice_nobody (toolhost_call *call);

#endif
