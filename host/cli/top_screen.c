#include "cli/top_screen.h"

#include <locale.h>
#include <ncurses.h>

#include "base/clock.h"
#include "cli/out.h"

enum { INTERVAL_MIN_MS = 250, INTERVAL_MAX_MS = 60000 };

enum cli_exit
top_fetch (struct client *client, struct top_look *look, struct error *err)
{
  const struct request request = { .method = "GET", .path = "/v1/top" };
  struct reply reply = { 0 };
  enum cli_exit status = CLI_UNREACHABLE;

  if (client_ask (client, &request, &reply, err)) {
    if (reply.status / 100 != 2)
      status = client_refused_because (&reply, err);
    else if (top_look_read (look, &reply.body, err))
      status = CLI_OK;
  }
  reply_free (&reply);
  return status;
}

struct screen {
  struct client *client;
  int64_t interval_ms;
  enum top_sort sort;
  struct top_look looks[2];
  unsigned now; /* which of them is the newest */
  bool has_now, has_before;
  struct error trouble; /* why there is no newer one; "": there is */
};

static void
look (struct screen *s)
{
  struct top_look fresh = { .body = { 0 } };

  s->trouble.text[0] = '\0';
  if (top_fetch (s->client, &fresh, &s->trouble) != CLI_OK) {
    top_look_free (&fresh);
    return;
  }
  s->has_before = s->has_now;
  s->has_now = true;
  s->now ^= 1;
  top_look_free (&s->looks[s->now]);
  s->looks[s->now] = fresh;
}

/* ---- drawing ---- */

static void
draw_line (void *ctx, enum top_line kind, const char *text, size_t len)
{
  int *row = ctx;

  if (*row >= LINES - 1)
    return;
  if (kind == TOP_TITLES)
    (void) attron (A_REVERSE);
  if (kind == TOP_HEAD && *row == 0)
    (void) attron (A_BOLD);
  (void) mvaddnstr ((*row)++, 0, text, (int) len);
  (void) attrset (A_NORMAL);
}

static void
draw_foot (const struct screen *s)
{
  (void) move (LINES - 1, 0);
  if (s->trouble.text[0] != '\0') {
    (void) attron (A_BOLD);
    (void) addnstr (s->trouble.text, COLS - 1);
  }
  else
    (void) printw ("every %.3g s, by %s   q quit, s sort, + and - interval, space now",
                   (double) s->interval_ms / 1000, top_sort_names[s->sort]);
  (void) attrset (A_NORMAL);
}

static void
draw (const struct screen *s)
{
  struct top_view view;
  int row = 0;

  (void) erase ();
  top_view_make (&view, s->has_before ? &s->looks[s->now ^ 1] : NULL, &s->looks[s->now], s->sort);
  top_view_lines (&view, (unsigned) COLS, LINES > 1 ? (unsigned) (LINES - 1) : 1, draw_line, &row);
  top_view_free (&view);
  draw_foot (s);
  (void) refresh ();
}

/* ---- keys ---- */

/* False: it is the end.  *now: look at once. */
static bool
act (struct screen *s, int key, bool *now)
{
  static const char letters[TOP_SORTS + 1] = "rlifxn";

  switch (key) {
  case 'q':
  case 'Q':
    return false;
  case 's':
    s->sort = (enum top_sort) ((s->sort + 1) % TOP_SORTS);
    return true;
  case '+':
    s->interval_ms = s->interval_ms > INTERVAL_MAX_MS / 2 ? INTERVAL_MAX_MS : 2 * s->interval_ms;
    return true;
  case '-':
    s->interval_ms = s->interval_ms < 2 * INTERVAL_MIN_MS ? INTERVAL_MIN_MS : s->interval_ms / 2;
    return true;
  case ' ':
    *now = true;
    return true;
  default:
    for (unsigned i = 0; i < TOP_SORTS; i++)
      if (key == letters[i])
        s->sort = (enum top_sort) i;
    return true;
  }
}

static void
serve_keys (struct screen *s)
{
  int64_t next = clock_ns () / 1000000 + s->interval_ms;
  bool now = false;

  for (;;) {
    const int64_t left = next - clock_ns () / 1000000;
    draw (s);
    timeout (left > 0 ? (int) left : 0);
    const int key = getch ();
    if (key != ERR && !act (s, key, &now))
      return;
    if (!now && key != ERR)
      continue;
    now = false;
    look (s);
    next = clock_ns () / 1000000 + s->interval_ms;
  }
}

enum cli_exit
top_screen_run (struct client *client, int64_t interval_ms, enum top_sort sort)
{
  struct screen s = { .client = client, .interval_ms = interval_ms, .sort = sort };
  SCREEN *terminal;

  look (&s);
  if (!s.has_now)
    return out_error (CLI_UNREACHABLE, "%s", s.trouble.text);
  terminal = newterm (NULL, stdout, stdin);
  if (terminal == NULL) {
    top_look_free (&s.looks[s.now]);
    return out_error (CLI_FAILED, "this type of terminal is not known (TERM); --once needs none");
  }
  (void) cbreak ();
  (void) noecho ();
  (void) keypad (stdscr, TRUE);
  (void) curs_set (0);
  serve_keys (&s);
  (void) endwin ();
  delscreen (terminal);
  top_look_free (&s.looks[0]);
  top_look_free (&s.looks[1]);
  return CLI_OK;
}
