/* libcases - functions of all kinds, for the tests of the plugin: what they do is plain, how they
 * are called is not. */
#include "cases.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define API CASES_API

/* ---- numbers ---- */

#define SAME(name, type)                                                                           \
  API type name (type);                                                                            \
  type name (type value)                                                                           \
  {                                                                                                \
    return value;                                                                                  \
  }

SAME (same_i8, int8_t)
SAME (same_u8, uint8_t)
SAME (same_i16, int16_t)
SAME (same_u16, uint16_t)
SAME (same_i32, int32_t)
SAME (same_u32, uint32_t)
SAME (same_i64, int64_t)
SAME (same_u64, uint64_t)
SAME (same_long, long)
SAME (same_size, size_t)
SAME (same_bool, bool)
SAME (same_char, char)
SAME (same_float, float)
SAME (same_double, double)
SAME (same_long_double, long double)

enum colour
next_colour (enum colour c)
{
  return c == RED ? GREEN : c == GREEN ? BLUE : (enum colour) 77;
}

API double quotient_of (double a, double b);
double
quotient_of (double a, double b)
{
  return a / b;
}

/* ---- strings and who frees them ---- */

static int live; /* what was allocated and not freed */

API int count_live (void);
int
count_live (void)
{
  return live;
}

API void give_back (void *pointer);
void
give_back (void *pointer)
{
  live--;
  free (pointer);
}

char *
web_search (const char *query, int num_results)
{
  char *found = NULL;

  if (asprintf (&found, "%d results for %s", num_results, query) < 0)
    return NULL;
  live++;
  return found;
}

API const char *version (void);
const char *
version (void)
{
  return "1.2.3";
}

API const char *no_text (void);
const char *
no_text (void)
{
  return "\xff\xfe";
}

API const char *maybe (const char *text);
const char *
maybe (const char *text)
{
  return text == NULL ? "nothing" : *text == '\0' ? NULL : text;
}

API int describe (int number, char **text);
int
describe (int number, char **text)
{
  if (number < 0)
    return -1;
  live++;
  return asprintf (text, "number %d", number) < 0 ? -1 : 0;
}

/* ---- structs ---- */

point
middle (point a, point b)
{
  return (point){ (a.x + b.x) / 2, (a.y + b.y) / 2 };
}

void
grow (struct rect *r, double by)
{
  r->to.x += by;
  r->to.y += by;
  for (int i = 0; i < 3; i++)
    r->tags[i] = (int16_t) (r->tags[i] + 1);
  r->label[0] = '*';
}

API struct rect turned (struct rect r);
struct rect
turned (struct rect r)
{
  const point from = r.from;

  r.from = r.to;
  r.to = from;
  return r;
}

/* Nested, with holes in it. */
struct inner {
  int32_t number;
  char letter;
};
struct outer {
  char first;
  struct inner inner[2];
  char last;
  const char *text;
};

API struct outer pass_outer (struct outer o);
struct outer
pass_outer (struct outer o)
{
  o.inner[1].number += o.inner[0].number;
  o.last++;
  return o;
}

API bool parse_point (const char *text, point *out);
bool
parse_point (const char *text, point *out)
{
  return sscanf (text, "%lf,%lf", &out->x, &out->y) == 2;
}

API const point *origin (void);
const point *
origin (void)
{
  static const point zero;

  return &zero;
}

/* ---- arrays and buffers ---- */

double
sum (const double *values, size_t count)
{
  double total = 0;

  for (size_t i = 0; i < count; i++)
    total += values[i];
  return total;
}

API void scale (const double *from, double *to, size_t count, double by);
void
scale (const double *from, double *to, size_t count, double by)
{
  for (size_t i = 0; i < count; i++)
    to[i] = from[i] * by;
}

API void cross (const double a[3], const double b[3], double out[3]);
void
cross (const double a[3], const double b[3], double out[3])
{
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    out[i] = a[j] * b[k] - a[k] * b[j];
  }
}

API double dot (const float *a, const float *b, int count);
double
dot (const float *a, const float *b, int count)
{
  double total = 0;

  for (int i = 0; i < count; i++)
    total += (double) a[i] * (double) b[i];
  return total;
}

API void upper (char *text, size_t len);
void
upper (char *text, size_t len)
{
  for (size_t i = 0; i < len; i++)
    if (text[i] >= 'a' && text[i] <= 'z')
      text[i] = (char) (text[i] - 32);
}

/* As long as it is. */
API void append_bang (char *text);
void
append_bang (char *text)
{
  (void) strcat (text, "!");
}

/* Each byte twice. */
API int twice (const uint8_t *from, size_t len, uint8_t *to, size_t *to_len);
int
twice (const uint8_t *from, size_t len, uint8_t *to, size_t *to_len)
{
  if (*to_len < 2 * len)
    return -5;
  for (size_t i = 0; i < len; i++)
    to[2 * i] = to[2 * i + 1] = from[i];
  *to_len = 2 * len;
  return 0;
}

API long fill (char *to, size_t len, int how_many);
long
fill (char *to, size_t len, int how_many)
{
  memset (to, 'x', len < (size_t) how_many ? len : (size_t) how_many);
  return how_many;
}

API void untouched (unsigned char *to, size_t len);
void
untouched (unsigned char *to, size_t len)
{
  (void) to;
  (void) len;
}

API int *squares (int count);
int *
squares (int count)
{
  int *list = calloc ((size_t) count + 1, sizeof *list);

  for (int i = 0; list != NULL && i < count; i++)
    list[i] = i * i;
  live++;
  return list;
}

/* ---- errors ---- */

int
divide (int a, int b, int *quotient, int *remainder)
{
  if (b == 0) {
    errno = EDOM;
    return -1;
  }
  *quotient = a / b;
  *remainder = a % b;
  return 0;
}

API int status (int code);
int
status (int code)
{
  return code;
}

API const char *status_text (int code);
const char *
status_text (int code)
{
  return code == 3 ? "the disk is on fire" : "unknown";
}

API const char *last_error (void);
const char *
last_error (void)
{
  return "the last thing that failed";
}

API bool allowed (int age);
bool
allowed (int age)
{
  return age >= 18;
}

API void *lookup (int key);
void *
lookup (int key)
{
  static int found = 7;

  return key == 7 ? &found : NULL;
}

/* ---- handles ---- */

struct counter {
  int value;
  char name[32];
};

counter *
counter_open (const char *name)
{
  counter *c = calloc (1, sizeof *c);

  if (c == NULL || *name == '\0') {
    free (c);
    return NULL;
  }
  live++;
  (void) snprintf (c->name, sizeof c->name, "%s", name);
  return c;
}

API int counter_open_into (const char *name, counter **to);
int
counter_open_into (const char *name, counter **to)
{
  *to = counter_open (*name != '\0' ? name : "bad");
  return *name != '\0' ? 0 : 1;
}

int
counter_add (counter *c, int by)
{
  c->value += by;
  return by > 100 ? -1 : c->value;
}

const char *
counter_error (counter *c)
{
  static _Thread_local char text[64];

  (void) snprintf (text, sizeof text, "%s is full at %d", c->name, c->value);
  return text;
}

void
counter_close (counter *c)
{
  live--;
  free (c);
}

/* ---- variable argument lists ---- */

int
sum_ints (int count, ...)
{
  int total = 0;
  va_list list;

  va_start (list, count);
  while (count-- > 0)
    total += va_arg (list, int);
  va_end (list);
  return total;
}

API double mix (const char *kinds, ...);
double
mix (const char *kinds, ...)
{
  double total = 0;
  va_list list;

  va_start (list, kinds);
  for (; *kinds != '\0'; kinds++)
    total += *kinds == 'd'   ? va_arg (list, double)
             : *kinds == 'l' ? (double) va_arg (list, long)
                             : (double) strlen (va_arg (list, const char *));
  va_end (list);
  return total;
}

/* ---- evil ---- */

API int crash (int how);
int
crash (int how)
{
  volatile int *nowhere = NULL;

  if (how == 0)
    *nowhere = 1;
  abort ();
}

API int loop (void);
int
loop (void)
{
  volatile unsigned turns = 0;

  while (turns != 1)
    turns = turns + 2;
  return 0;
}

API void overrun (char *to, size_t len);
void
overrun (char *to, size_t len)
{
  memset (to, 'x', len + 4);
}

/* Was it alone, all the time? */
API bool alone (void);
bool
alone (void)
{
  static int inside;
  bool is = __atomic_add_fetch (&inside, 1, __ATOMIC_SEQ_CST) == 1;

  (void) usleep (20000);
  is = __atomic_load_n (&inside, __ATOMIC_SEQ_CST) == 1 && is;
  (void) __atomic_sub_fetch (&inside, 1, __ATOMIC_SEQ_CST);
  return is;
}

void
each (void (*what) (int), int times)
{
  for (int i = 0; i < times; i++)
    what (i);
}
