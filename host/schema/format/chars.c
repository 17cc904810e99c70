#include "schema/format/kinds.h"

/* What letters and digits are, those of hex numbers apart; and the sub-delims. */
enum {
  ANY = CHAR_UNRESERVED | CHAR_SCHEME | CHAR_ATEXT | CHAR_LITERAL | CHAR_VARNAME,
  NUM = ANY | CHAR_DIGIT | CHAR_HEX,
  HEX = ANY | CHAR_ALPHA | CHAR_HEX,
  LET = ANY | CHAR_ALPHA,
  SUB = CHAR_SUB_DELIM | CHAR_LITERAL
};

/* The apostrophe is a literal by erratum 6937 of RFC 6570. */
/* clang-format off */
const uint16_t format_chars[256] = {
  ['0'] = NUM, ['1'] = NUM, ['2'] = NUM, ['3'] = NUM, ['4'] = NUM, ['5'] = NUM, ['6'] = NUM,
  ['7'] = NUM, ['8'] = NUM, ['9'] = NUM,

  ['A'] = HEX, ['B'] = HEX, ['C'] = HEX, ['D'] = HEX, ['E'] = HEX, ['F'] = HEX,
  ['G'] = LET, ['H'] = LET, ['I'] = LET, ['J'] = LET, ['K'] = LET, ['L'] = LET, ['M'] = LET,
  ['N'] = LET, ['O'] = LET, ['P'] = LET, ['Q'] = LET, ['R'] = LET, ['S'] = LET, ['T'] = LET,
  ['U'] = LET, ['V'] = LET, ['W'] = LET, ['X'] = LET, ['Y'] = LET, ['Z'] = LET,

  ['a'] = HEX, ['b'] = HEX, ['c'] = HEX, ['d'] = HEX, ['e'] = HEX, ['f'] = HEX,
  ['g'] = LET, ['h'] = LET, ['i'] = LET, ['j'] = LET, ['k'] = LET, ['l'] = LET, ['m'] = LET,
  ['n'] = LET, ['o'] = LET, ['p'] = LET, ['q'] = LET, ['r'] = LET, ['s'] = LET, ['t'] = LET,
  ['u'] = LET, ['v'] = LET, ['w'] = LET, ['x'] = LET, ['y'] = LET, ['z'] = LET,

  ['!'] = SUB | CHAR_ATEXT,
  ['#'] = CHAR_ATEXT | CHAR_LITERAL,
  ['$'] = SUB | CHAR_ATEXT,
  ['%'] = CHAR_ATEXT,
  ['&'] = SUB | CHAR_ATEXT,
  ['\''] = SUB | CHAR_ATEXT,
  ['('] = SUB,
  [')'] = SUB,
  ['*'] = SUB | CHAR_ATEXT,
  ['+'] = SUB | CHAR_ATEXT | CHAR_SCHEME,
  [','] = SUB,
  ['-'] = CHAR_UNRESERVED | CHAR_SCHEME | CHAR_ATEXT | CHAR_LITERAL,
  ['.'] = CHAR_UNRESERVED | CHAR_SCHEME | CHAR_LITERAL,
  ['/'] = CHAR_SLASH | CHAR_ATEXT | CHAR_LITERAL,
  [':'] = CHAR_COLON | CHAR_LITERAL,
  [';'] = SUB,
  ['='] = SUB | CHAR_ATEXT,
  ['?'] = CHAR_SLASH | CHAR_ATEXT | CHAR_LITERAL,
  ['@'] = CHAR_AT | CHAR_LITERAL,
  ['['] = CHAR_LITERAL,
  [']'] = CHAR_LITERAL,
  ['^'] = CHAR_ATEXT,
  ['_'] = CHAR_UNRESERVED | CHAR_ATEXT | CHAR_LITERAL | CHAR_VARNAME,
  ['`'] = CHAR_ATEXT,
  ['{'] = CHAR_ATEXT,
  ['|'] = CHAR_ATEXT,
  ['}'] = CHAR_ATEXT,
  ['~'] = CHAR_UNRESERVED | CHAR_ATEXT | CHAR_LITERAL,
};
/* clang-format on */
