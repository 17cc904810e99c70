/* json_scan.h - walk through JSON text from left to right: the configuration in open, and objects
 * whose member names are not known.
 *
 *   struct json_scan scan = { config, config + len };
 *   if (json_scan_enter (&scan, '{'))
 *     while (json_scan_name (&scan, &name))
 *       if (strcmp (text_get (&name), "zone") != 0 || !json_scan_string (&scan, &zone)) …
 *
 * The text has been checked by the host; one that is broken all the same ends the walk early and
 * is never read beyond its end.  Each value must be read or skipped before the next name or item.
 */
#ifndef TOOLHOST_PLUGINS_COMMON_JSON_SCAN_H
#define TOOLHOST_PLUGINS_COMMON_JSON_SCAN_H

#include <stdbool.h>

#include "text.h"

struct json_scan {
  const char *at;
  const char *end;
};

/* Enter the object '{' or array '[' that stands here; false: something else does. */
bool json_scan_enter (struct json_scan *scan, char bracket);
/* The name of the next member, and over its colon; false: that was the last one, the walk is after
 * the object. */
bool json_scan_name (struct json_scan *scan, struct text *name);
/* To the next item of an array; false: that was the last one, the walk is after the array. */
bool json_scan_item (struct json_scan *scan);
/* The string that stands here, unescaped; false: something else does, and nothing was passed. */
bool json_scan_string (struct json_scan *scan, struct text *string);
/* What stands here: the first character of a value, a bracket or a comma; '\0': nothing more. */
char json_scan_peek (struct json_scan *scan);
/* Over whatever value stands here. */
bool json_scan_skip (struct json_scan *scan);

#endif
