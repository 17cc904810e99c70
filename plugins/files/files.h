/* files.h - the three tools of the plugin; each in a file of its own.  `self` is a struct roots. */
#ifndef TOOLHOST_FILES_FILES_H
#define TOOLHOST_FILES_FILES_H

#include <toolhost.h>

#include "../common/text.h"

extern const toolhost_tool files_list_tool;   /* list.c */
extern const toolhost_tool files_read_tool;   /* read.c */
extern const toolhost_tool files_search_tool; /* search.c */

/* Shared by them.  can_execute: is there a root? */
bool files_granted (void *self, toolhost_call *call);
/* Send both as the result, or fail when there was no memory for one of them. */
toolhost_status files_send (toolhost_call *call, const struct text *text, const struct text *json);
toolhost_status files_no_memory (toolhost_call *call);

#endif
