/* top_view.h - what `toolhost top` shows: two looks at GET /v1/top compared.  Pure. */
#ifndef TOOLHOST_CLI_TOP_VIEW_H
#define TOOLHOST_CLI_TOP_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json_tape.h"

/* An answer of the daemon.  Zero-initialise, free with top_look_free. */
struct top_look {
  struct buf body;
  struct arena arena;
  struct json_tape tape;
};

/* Take over `body`.  False: it is not what a daemon says. */
bool top_look_read (struct top_look *look, struct buf *body, struct error *err);
void top_look_free (struct top_look *look);

enum top_sort {
  TOP_BY_RATE,
  TOP_BY_P99,
  TOP_BY_RUNNING,
  TOP_BY_FAILED,
  TOP_BY_REFUSED,
  TOP_BY_NAME,
  TOP_SORTS
};
extern const char *const top_sort_names[TOP_SORTS + 1]; /* NULL at the end */

struct top_tool {
  const char *plugin, *tool;
  int64_t running, ended;
  /* since the look before; below 0: there is none, or no call ended */
  double rate, failed, refused; /* a second */
  double p50_us, p99_us;
  /* counters, for the next look */
  int64_t failures, refusals;
  const struct json_node *buckets;
};

struct top_plugin {
  const char *name, *state;
  int64_t workers, running, queued, rss, cpu_ms, crashes;
  double cpu; /* of one processor, since the look before; below 0: there is none */
};

struct top_view {
  const struct top_look *look;
  struct top_tool *tools; /* sorted */
  size_t tools_count;
  struct top_plugin *plugins;
  size_t plugins_count;
  double seconds; /* between the looks; 0: there was none before */
  double rate, failed, refused;
};

/* Compare with the look before (NULL: there is none).  A daemon that was started in between has
 * none.  The view borrows from `now`; free it with top_view_free. */
void top_view_make (struct top_view *view, const struct top_look *before,
                    const struct top_look *now, enum top_sort sort);
void top_view_free (struct top_view *view);

enum top_line { TOP_HEAD, TOP_TITLES, TOP_ROW };

/* Line by line, without newlines.  `width`: columns of the terminal, 0: no limit.  `height`: lines
 * there are, 0: no limit; what does not fit is left out, of tools first the last ones. */
void top_view_lines (const struct top_view *view, unsigned width, unsigned height,
                     void (*line) (void *ctx, enum top_line kind, const char *text, size_t len),
                     void *ctx);
/* One JSON object. */
void top_view_json (const struct top_view *view, struct buf *out);

#endif
