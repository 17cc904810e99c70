/* questions.h - what a call asks, for people: shown as text, and answered line by line. */
#ifndef TOOLHOST_CLI_QUESTIONS_H
#define TOOLHOST_CLI_QUESTIONS_H

#include <stdio.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json_tape.h"

/* Append what each of `requests` wants ({ key: { "method", "params" } }), a few lines each. */
void questions_show (const struct json_tape *tape, const struct json_node *requests,
                     struct buf *out);

/* Ask for each answer, on `out`, and read it, a line for each value, from `in`.  Appends the
 * answers as { key: result, … }.  False: the input ended before; err says where. */
bool questions_answer (const struct json_tape *tape, const struct json_node *requests, FILE *in,
                       FILE *out, struct buf *json, struct error *err);

/* The answer to the only question, a form, from pairs "name=value" (args.h). */
bool questions_from_pairs (const struct json_tape *tape, const struct json_node *requests,
                           const char *const *pairs, size_t count, struct buf *json,
                           struct error *err);

#endif
