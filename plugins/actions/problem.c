#include "problem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../common/near.h"
#include "../common/utf8.h"

enum { SAID_MAX = 400 /* bytes of a sentence */, NAMED_MAX = 80 };

static void
write_token (struct text *out, const char *name)
{
  const size_t len = strlen (name), cut = utf8_cut (name, len, NAMED_MAX);

  for (size_t i = 0; i < cut; i++)
    if (name[i] == '~')
      text_add (out, "~0");
    else if (name[i] == '/')
      text_add (out, "~1");
    else
      text_add_len (out, name + i, 1);
}

void
place_write (struct text *out, const struct place *place)
{
  if (place == NULL)
    return;
  place_write (out, place->in);
  if (place->name == NULL && place->in == NULL) /* the root of a document */
    return;
  text_add (out, "/");
  if (place->name != NULL)
    write_token (out, place->name);
  else
    text_addf (out, "%zu", place->index);
}

static const char *
copy (struct values *pool, const struct text *text)
{
  return values_text (pool, text_get (text), text->len);
}

static struct problem
make (struct problems *problems, const struct place *at, const char *code, const char *hint,
      const char *fmt, va_list args)
{
  CLEANUP_TEXT struct text pointer = { 0 }, line = { 0 };
  char said[SAID_MAX];

  place_write (&pointer, at);
  (void) vsnprintf (said, sizeof said, fmt, args);
  text_add_line (&line, said, utf8_cut (said, strlen (said), SAID_MAX - 4));
  return (struct problem){ .pointer = copy (problems->pool, &pointer),
                           .code = code,
                           .message = copy (problems->pool, &line),
                           .hint = hint != NULL ? values_text (problems->pool, hint, strlen (hint))
                                                : "" };
}

bool
problem (struct problems *problems, const struct place *at, const char *code, const char *hint,
         const char *fmt, ...)
{
  va_list args;

  va_start (args, fmt);
  if (problems->count < PROBLEMS_MAX)
    problems->list[problems->count] = make (problems, at, code, hint, fmt, args);
  va_end (args);
  problems->count++;
  return false;
}

void
problem_warn (struct problems *problems, const struct place *at, const char *code, const char *hint,
              const char *fmt, ...)
{
  va_list args;

  va_start (args, fmt);
  if (problems->warned < PROBLEMS_MAX)
    problems->warnings[problems->warned++] = make (problems, at, code, hint, fmt, args);
  va_end (args);
}

bool
problem_unknown (struct problems *problems, const struct place *at, const char *code,
                 const char *word, const char *const *known, const char *fmt, ...)
{
  CLEANUP_TEXT struct text hint = { 0 };
  struct near near = { .word = word };
  va_list args;

  for (; *known != NULL; known++)
    near_offer (&near, *known);
  near_say (&near, &hint);
  va_start (args, fmt);
  if (problems->count < PROBLEMS_MAX) /* the hint begins with "; " */
    problems->list[problems->count] =
      make (problems, at, code, hint.len > 2 ? hint.data + 2 : NULL, fmt, args);
  va_end (args);
  problems->count++;
  return false;
}

void
problems_write (struct text *out, const struct problem *list, size_t count)
{
  json_open (out, '[');
  for (size_t i = 0; i < count && i < PROBLEMS_MAX; i++) {
    json_open (out, '{');
    json_name_string (out, "pointer", list[i].pointer);
    json_name_string (out, "code", list[i].code);
    json_name_string (out, "message", list[i].message);
    if (list[i].hint[0] != '\0')
      json_name_string (out, "hint", list[i].hint);
    json_close (out, '}');
  }
  json_close (out, ']');
}
