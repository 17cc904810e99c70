/* build.h - which build this is: both sides of a control socket must be of the same one. */
#ifndef TOOLHOST_WORKER_BUILD_H
#define TOOLHOST_WORKER_BUILD_H

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#ifndef TOOLHOST_BUILD_ID
#define TOOLHOST_BUILD_ID "dev"
#endif

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "0.1.0"
#endif

#endif
