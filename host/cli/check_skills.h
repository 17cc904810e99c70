/* check_skills.h - what `toolhost check` says of a skill: whether its SKILL.md is read, is short
 * enough to be read by a model, and leads only to files that are there. */
#ifndef TOOLHOST_CLI_CHECK_SKILLS_H
#define TOOLHOST_CLI_CHECK_SKILLS_H

#include "cli/report.h"
#include "daemon/oneshot.h"

void check_skill (struct oneshot *host, const struct tool *tool, struct report *report);

#endif
