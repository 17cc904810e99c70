/* cgroup_find.h - where this process stands in a hierarchy of cgroups: from /proc/self/mountinfo
 * and /proc/self/cgroup.  Used by cgroup.c alone. */
#ifndef TOOLHOST_POOL_CGROUP_FIND_H
#define TOOLHOST_POOL_CGROUP_FIND_H

#include <stdbool.h>
#include <stddef.h>

/* The hierarchy of version 2, which is told by no controller's name. */
#define CGROUP_UNIFIED ""

enum { CGROUP_PATH = 1024 };

/* A descriptor of the folder of this process's group in the hierarchy of a controller; or of the
 * hierarchy's top as far as it is mounted here.  -1: there is none. */
int cgroup_find (const char *controller, bool top);

/* The same as a path, from the text of the two files: for the tests.  False: there is none. */
bool cgroup_path (const char *mountinfo, const char *cgroup, const char *controller, bool top,
                  char path[CGROUP_PATH]);

#endif
