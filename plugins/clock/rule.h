/* rule.h - the rule at the end of a TZif file, a POSIX TZ string with the extensions of RFC 8536:
 * how local time goes on after the last change that the file lists. */
#ifndef TOOLHOST_CLOCK_RULE_H
#define TOOLHOST_CLOCK_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ABBREVIATION_MAX = 15 };

/* What clocks show for a while: seconds east of UTC and what it is called. */
struct local_type {
  int32_t offset;
  bool dst;
  char abbreviation[ABBREVIATION_MAX + 1];
};

/* The day and time of the year at which clocks change. */
struct rule_day {
  enum { RULE_MONTH, RULE_JULIAN, RULE_DAY } kind; /* M3.5.0; J60: never counts Feb 29; 60 */
  int month, week, weekday;                        /* of RULE_MONTH: Sunday is 0, week 5 the last */
  int day;                                         /* of the others */
  int32_t time; /* local seconds after midnight, -167 to 167 hours */
};

struct rule {
  struct local_type standard;
  bool has_dst;
  struct local_type dst;
  struct rule_day start, end; /* of DST */
};

/* "CET-1CEST,M3.5.0,M10.5.0/3"; false: that is no rule. */
bool rule_read (struct rule *rule, const char *text, size_t len);

/* What holds at a moment, in Unix seconds. */
const struct local_type *rule_at (const struct rule *rule, int64_t seconds);
/* The first change after a moment; false: there is none. */
bool rule_next (const struct rule *rule, int64_t seconds, int64_t *next);

#endif
