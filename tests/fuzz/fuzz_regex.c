/* A pattern, NUL, a text: it compiles or is refused with a sentence, a match ends within its budget
 * and gives the same answer twice.  (What format "regex" takes is stricter than what compiles.) */
#include "fuzz.h"

#include "schema/regex/regex.h"

enum { BUDGET = 200 * 1000 };

static void
check_match (const struct regex *regex, const struct piece *text)
{
  int64_t budget = BUDGET;
  int64_t again = BUDGET;
  int64_t plenty = 2 * BUDGET;
  enum regex_verdict verdict = regex_match (regex, text->text, text->len, &budget);

  HOLDS (budget <= BUDGET);
  HOLDS ((verdict == REGEX_TOO_COSTLY) == (budget < 0));
  HOLDS (regex_match (regex, text->text, text->len, &again) == verdict && again == budget);
  if (verdict != REGEX_TOO_COSTLY)
    HOLDS (regex_match (regex, text->text, text->len, &plenty) == verdict);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  CLEANUP_PIECE struct piece pattern = { 0 };
  CLEANUP_PIECE struct piece text = { 0 };
  struct error err = { "" };
  struct regex *regex;

  split (data, size, &pattern, &text);
  if (!utf8_valid (pattern.text, pattern.len) || !utf8_valid (text.text, text.len))
    return 0;
  (void) regex_is_valid (pattern.text, pattern.len);
  regex = regex_compile (pattern.text, pattern.len, &err);
  if (regex == NULL) {
    HOLDS (is_harmless (err.text, sizeof err.text) && err.text[0] != '\0');
    return 0;
  }
  check_match (regex, &text);
  regex_free (regex);
  return 0;
}
