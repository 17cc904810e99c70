/* two.h - what the two files of one plugin share. */
#ifndef TWO_H
#define TWO_H

#include <toolhost.h>

extern const toolhost_tool upper;

#endif
