/* lexicon.h - many words and phrases looked for in one walk over a text, whatever they are (Aho and
 * Corasick's automaton).  Without regard to case; any blanks between words are one, and characters
 * that are not seen are passed over.  For the files of this folder alone.
 *
 * Built once, then immutable. */
#ifndef TOOLHOST_GUARD_LEXICON_H
#define TOOLHOST_GUARD_LEXICON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  WORD_MOST = 200,                /* bytes of one */
  LEXICON_MOST = 4096,            /* how many */
  LEXICON_BYTES_MOST = 32 * 1024, /* of all */
};

struct lexicon;

struct lexicon *lexicon_new (void);
void lexicon_free (struct lexicon *words);

enum lexicon_added { LEXICON_GOOD, LEXICON_EMPTY, LEXICON_TOO_LONG, LEXICON_TOO_MANY };
/* A word of good UTF-8; `tag` is told when it is found. */
enum lexicon_added lexicon_add (struct lexicon *words, const char *word, size_t len, uint32_t tag);
/* After the last one, before the first walk. */
void lexicon_build (struct lexicon *words);

/* Of words that end at the same place the longest is told. */
typedef void lexicon_found_fn (void *ctx, uint32_t tag, size_t start, size_t end);
/* `whole`: only where letters and digits end there as well as the word does; in scripts without
 * blanks between words that is anywhere.  Steps are counted for what is out of the ordinary. */
void lexicon_find (const struct lexicon *words, const char *text, size_t len, bool whole,
                   int64_t *budget, lexicon_found_fn *found, void *ctx);

/* Is the whole text one of the words? */
bool lexicon_has (const struct lexicon *words, const char *text, size_t len);

/* Is this code point part of a word?  Not in scripts without blanks between words. */
bool lexicon_letter (uint32_t c);

#endif
