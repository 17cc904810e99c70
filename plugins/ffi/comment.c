/* Comments above prototypes. */
#include <ctype.h>
#include <string.h>

#include "header.h"

enum { DESCRIPTION_MAX = 4000 };

/* A line without the marks of comments. */
static void
bare (const char **at, const char **end)
{
  while (*at < *end && isspace ((unsigned char) **at))
    (*at)++;
  if (*end - *at >= 2 && ((*at)[0] == '/' && ((*at)[1] == '*' || (*at)[1] == '/'))) {
    *at += 2;
    while (*at < *end && strchr ("*/!<", **at) != NULL)
      (*at)++;
  }
  else if (*at < *end && **at == '*' && (*end - *at < 2 || (*at)[1] != '/'))
    (*at)++;
  while (*end > *at && isspace ((unsigned char) (*end)[-1]))
    (*end)--;
  if (*end - *at >= 2 && (*end)[-1] == '/' && (*end)[-2] == '*')
    *end -= 2;
  while (*end > *at && (isspace ((unsigned char) (*end)[-1]) || (*end)[-1] == '*'))
    (*end)--;
  while (*at < *end && isspace ((unsigned char) **at))
    (*at)++;
}

/* The word that stands here, and over it. */
static const char *
take_word (struct values *pool, const char **at, const char *end)
{
  const char *from = *at;

  while (*at < end && !isspace ((unsigned char) **at) && **at != ',')
    (*at)++;
  return values_text (pool, from, (size_t) (*at - from));
}

static void
skip (const char **at, const char *end)
{
  while (*at < end && isspace ((unsigned char) **at))
    (*at)++;
}

struct reading_comment {
  struct values *pool;
  struct c_comment *said;
  struct text description, returns;
  struct text params[C_PARAMS_MAX];
  struct text *to; /* where the text goes on; NULL: nowhere */
};

static const char *
take_direction (const char **at, const char *end)
{
  const char *close = memchr (*at, ']', (size_t) (end - *at)), *direction = NULL;

  if (*at == end || **at != '[' || close == NULL)
    return NULL;
  if (memmem (*at, (size_t) (close - *at), "in", 2) != NULL)
    direction = "in";
  if (memmem (*at, (size_t) (close - *at), "out", 3) != NULL)
    direction = direction != NULL ? "inout" : "out";
  *at = close + 1;
  return direction;
}

static void
take_param (struct reading_comment *r, const char **at, const char *end)
{
  const char *direction = take_direction (at, end);

  skip (at, end);
  if (r->said->count == C_PARAMS_MAX) {
    r->to = NULL;
    return;
  }
  r->said->params[r->said->count].name = take_word (r->pool, at, end);
  r->said->params[r->said->count].direction = direction;
  r->to = &r->params[r->said->count++];
  skip (at, end);
  if (end - *at >= 2 && **at == '-' && (*at)[1] == ' ')
    *at += 2;
}

/* @param, \return and their kin: the text after them goes elsewhere. */
static void
take_tag (struct reading_comment *r, const char **at, const char *end)
{
  const char *from = ++*at;
  size_t len;

  while (*at < end && isalpha ((unsigned char) **at))
    (*at)++;
  len = (size_t) (*at - from);
  if (len == 5 && memcmp (from, "param", 5) == 0)
    take_param (r, at, end);
  else if (len >= 6 && memcmp (from, "return", 6) == 0)
    r->to = &r->returns;
  else if ((len == 5 && memcmp (from, "brief", 5) == 0)
           || (len == 7 && memcmp (from, "details", 7) == 0)
           || (len == 4 && memcmp (from, "note", 4) == 0))
    r->to = &r->description;
  else
    r->to = NULL; /* @see, @since … are for people */
  skip (at, end);
}

static void
take_line (struct reading_comment *r, const char *at, const char *end)
{
  bare (&at, &end);
  if (at == end) { /* an empty line ends what a tag began */
    if (r->to != &r->description)
      r->to = &r->description;
    return;
  }
  if ((*at == '@' || *at == '\\') && at + 1 < end && isalpha ((unsigned char) at[1]))
    take_tag (r, &at, end);
  if (r->to == NULL || at == end || r->to->len > DESCRIPTION_MAX)
    return;
  if (r->to->len != 0)
    text_add (r->to, " ");
  text_add_line (r->to, at, (size_t) (end - at));
}

static const char *
keep (struct values *pool, struct text *text)
{
  const char *kept = values_text (pool, text_get (text), text->len);

  text_free (text);
  return kept;
}

void
c_comment_read (struct values *pool, const char *comment, size_t len, struct c_comment *said)
{
  struct reading_comment r = { .pool = pool, .said = said };
  const char *at = comment != NULL ? comment : "", *end = at + (comment != NULL ? len : 0);

  *said = (struct c_comment){ .description = "" };
  r.to = &r.description;
  while (at < end) {
    const char *line_end = memchr (at, '\n', (size_t) (end - at));
    take_line (&r, at, line_end != NULL ? line_end : end);
    at = line_end != NULL ? line_end + 1 : end;
  }
  said->description = keep (pool, &r.description);
  if (r.returns.len != 0)
    said->returns = keep (pool, &r.returns);
  text_free (&r.returns);
  for (size_t i = 0; i < said->count; i++)
    said->params[i].text = keep (pool, &r.params[i]);
}
