/* A byte that tells the format, then the text: the answer is the same twice, and the same for the
 * text with something behind it that is not part of it. */
#include "fuzz.h"

#include "schema/format/format.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  CLEANUP_PIECE struct piece text = { 0 };
  CLEANUP_PIECE struct piece longer = { 0 };
  enum format format;
  bool good;

  if (size == 0 || !utf8_valid ((const char *) data + 1, size - 1))
    return 0;
  format = (enum format) (data[0] % (FORMAT_REGEX + 1));
  text = piece_of (data + 1, size - 1);
  longer = piece_of (data, size);
  memmove (longer.text, longer.text + 1, size - 1);
  good = format_check (format, text.text, text.len);
  for (int c = '0'; c <= 'z'; c += 'a' - '0') {
    longer.text[size - 1] = (char) c;
    HOLDS (format_check (format, longer.text, size - 1) == good);
  }
  if (format == FORMAT_NONE)
    HOLDS (good);
  return 0;
}
