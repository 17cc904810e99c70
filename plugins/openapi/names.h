/* names.h - names of tools and arguments, made of what documents call things.  Pure. */
#ifndef TOOLHOST_PLUGINS_OPENAPI_NAMES_H
#define TOOLHOST_PLUGINS_OPENAPI_NAMES_H

#include "../common/text.h"

/* A tool's: other characters than A-Z, a-z, 0-9, '_' and '-' become '_'; what is longer than 64 is
 * cut, with a mark of what was cut off. */
void names_tool (struct text *out, const char *prefix, const char *text);
/* "get_pets_petId", of method and path. */
void names_derive (struct text *out, const char *method, const char *path);
/* An argument's: as a tool's, with '.', and no '_' at its end that stands for brackets. */
void names_argument (struct text *out, const char *name);

#endif
