/* table.h - the rows that data_query answers from: invented restaurants.  Immutable. */
#ifndef TOOLHOST_PLUGINS_DATA_QUERY_TABLE_H
#define TOOLHOST_PLUGINS_DATA_QUERY_TABLE_H

#include <stdbool.h>
#include <stddef.h>

enum tag {
  TAG_TERRACE = 1,
  TAG_LIVE_MUSIC = 2,
  TAG_FAMILY = 4,
  TAG_LATE = 8,
  TAG_TAKEAWAY = 16,
};
extern const char *const tag_names[]; /* in the order of the bits, ends with NULL */

struct row {
  const char *name;
  const char *cuisine;
  const char *city;
  int rating; /* tenths */
  int price;  /* of a meal, euros */
  bool vegetarian;
  unsigned tags;
};

extern const struct row table[];
extern const size_t table_rows;

#endif
