/* condition.h - what a conditional branches on (A2-10). */
#ifndef TOOLHOST_PLUGINS_ACTIONS_CONDITION_H
#define TOOLHOST_PLUGINS_ACTIONS_CONDITION_H

#include "program.h"

/* False: there were problems. */
bool condition_read (struct condition *condition, const struct scope *scope, const struct place *at,
                     const struct value *value);
bool condition_holds (const struct condition *condition, const struct lookup *lookup);
void condition_write (const struct condition *condition, struct text *out);

#endif
