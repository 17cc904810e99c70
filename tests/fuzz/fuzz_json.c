/* Any bytes: what the reader takes, the writer writes so that it reads back as the same value, and
 * twice the same text. */
#include "fuzz.h"

#include "base/json_write.h"

static const struct json_limits limits = {
  .depth = 60, .nodes = 3000, .members = 200, .number_len = 64
};

static void write_value (struct json_writer *w, const struct json_tape *tape,
                         const struct json_node *node, struct arena *arena);

static void
write_container (struct json_writer *w, const struct json_tape *tape, const struct json_node *node,
                 struct arena *arena)
{
  bool object = node->type == JSON_OBJECT;
  uint32_t count = 0;

  if (object)
    jsonw_object (w);
  else
    jsonw_array (w);
  for (const struct json_node *n = json_first (node); n != json_end (node); n = json_next (n)) {
    if (object) {
      size_t len;
      const char *name = json_string (tape, n++, arena, &len);
      jsonw_name_len (w, name, len);
    }
    write_value (w, tape, n, arena);
    count++;
  }
  jsonw_end (w);
  HOLDS (count == node->count);
}

static void
write_value (struct json_writer *w, const struct json_tape *tape, const struct json_node *node,
             struct arena *arena)
{
  size_t len;
  const char *text;

  if (node->type == JSON_OBJECT || node->type == JSON_ARRAY) {
    write_container (w, tape, node, arena);
  }
  else if (node->type == JSON_STRING) {
    text = json_string (tape, node, arena, &len);
    HOLDS (utf8_valid (text, len));
    jsonw_string_len (w, text, len);
  }
  else {
    text = json_raw (tape, node, &len);
    jsonw_raw (w, text, len);
  }
}

static void
check_numbers (const struct json_tape *tape)
{
  for (uint32_t i = 0; i < tape->count; i++) {
    double number;
    int64_t integer;
    bool finite = json_double (tape, &tape->nodes[i], &number);
    if (json_int64 (tape, &tape->nodes[i], &integer))
      HOLDS (finite && number == (double) integer);
  }
}

static void
check_value (const struct json_tape *tape, struct arena *arena)
{
  CLEANUP_BUF struct buf once = { 0 };
  CLEANUP_BUF struct buf twice = { 0 };
  struct json_writer w = { .out = &once };
  struct json_writer again = { .out = &twice };
  struct json_tape back;

  HOLDS (json_root (tape)->skip == tape->count);
  write_value (&w, tape, json_root (tape), arena);
  HOLDS (json_read (&back, once.data, once.len, &limits, arena));
  HOLDS (back.count == tape->count);
  HOLDS (json_same (tape, json_root (tape), &back, json_root (&back)));
  write_value (&again, &back, json_root (&back), arena);
  HOLDS (twice.len == once.len && memcmp (twice.data, once.data, once.len) == 0);
  check_numbers (tape);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  CLEANUP_PIECE struct piece text = piece_of (data, size);
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  if (json_read (&tape, text.text, text.len, &limits, &arena)) {
    HOLDS (utf8_valid (text.text, text.len));
    check_value (&tape, &arena);
  }
  else {
    HOLDS (tape.fault != JSON_OK && tape.problem != NULL && tape.offset <= text.len);
  }
  return 0;
}
