/* The audit: its chain, its files, and what is found out of who touched them. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/audit.h"
#include "audit/reader.h"
#include "audit/segment.h"
#include "base/memory.h"
#include "tap.h"

static char folder[40];
static const struct audit_key no_key = { .len = 0 };

static int
open_folder (void)
{
  return open (folder, O_RDONLY | O_DIRECTORY);
}

static void
empty_folder (void)
{
  const int fd = open_folder ();
  DIR *all = fdopendir (fd);
  struct dirent *entry;

  while ((entry = readdir (all)) != NULL)
    if (entry->d_name[0] != '.')
      (void) unlinkat (dirfd (all), entry->d_name, 0);
  (void) closedir (all);
}

static struct audit *
open_audit (const struct audit_key *key, size_t segment_max, int64_t keep_ms, struct error *err)
{
  const int fd = open_folder ();
  struct audit *audit = audit_open (&(struct audit_settings){ .folder = fd,
                                                              .segment_max = segment_max,
                                                              .keep_ms = keep_ms,
                                                              .waiting_max = 1 << 20,
                                                              .key = *key },
                                    err);
  (void) close (fd);
  return audit;
}

/* Add that many records, in a life of the audit. */
static void
add (const struct audit_key *key, size_t segment_max, int count)
{
  struct error err = { 0 };
  struct audit *audit = open_audit (key, segment_max, 0, &err);

  CU_ASSERT_STRING_EQUAL (err.text, "");
  if (audit == NULL)
    return;
  for (int i = 0; i < count; i++) {
    char object[64];
    const int len = snprintf (object, sizeof object, "{\"tool\":\"echo\",\"n\":%d}", i);
    audit_add (audit, "tool_call", object, (size_t) len);
  }
  audit_close (audit);
}

static void
read_file (const char *name, struct buf *out)
{
  const int dir = open_folder ();
  const int fd = openat (dir, name, O_RDONLY);
  ssize_t n;

  while ((n = read (fd, buf_reserve (out, 4096), 4096)) > 0)
    out->len += (size_t) n;
  (void) close (fd);
  (void) close (dir);
}

static void
write_file (const char *name, const char *data, size_t len)
{
  const int dir = open_folder ();
  const int fd = openat (dir, name, O_WRONLY | O_TRUNC | O_CREAT, 0600);

  CU_ASSERT_EQUAL (write (fd, data, len), (ssize_t) len);
  (void) close (fd);
  (void) close (dir);
}

/* Check all files as one chain; the number of records, or -1 and why. */
static long
verify (const struct audit_key *key, struct error *err)
{
  char **names;
  const int dir = open_folder ();
  const int count = segments_list (dir, &names);
  struct audit_link link;
  long records = 0;

  audit_link_begin (&link);
  for (int i = 0; i < count && records >= 0; i++) {
    CLEANUP_BUF struct buf text = { 0 };
    const char *at, *end;

    read_file (names[i], &text);
    for (at = text.data; at != NULL && at < text.data + text.len; at = end + 1) {
      end = memchr (at, '\n', (size_t) (text.data + text.len - at));
      if (end == NULL) /* torn */
        break;
      if (!audit_link_check (&link, key, at, (size_t) (end - at), err)) {
        records = -1;
        break;
      }
      records++;
    }
  }
  segments_list_free (names, count);
  (void) close (dir);
  return records;
}

static int
count_segments (void)
{
  char **names;
  const int dir = open_folder ();
  const int count = segments_list (dir, &names);

  segments_list_free (names, count);
  (void) close (dir);
  return count;
}

static const char FIRST[] = "audit-00000000000000000001.jsonl";

/* ---- the chain ---- */

static void
test_chain (void)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct audit_link link;
  static const char expected[] =
    "{\"seq\":1,\"ts\":\"1970-01-01T00:00:00.007Z\",\"event\":\"begun\",\"a\":1,\"prev\":"
    "\"0000000000000000000000000000000000000000000000000000000000000000\",\"hash\":\"";

  audit_link_begin (&link);
  audit_link_add (&link, &no_key, 7, "begun", "\"a\":1", 5, &out);
  CU_ASSERT_EQUAL (link.seq, 1);
  CU_ASSERT_NSTRING_EQUAL (out.data, expected, sizeof expected - 1);
  audit_link_add (&link, &no_key, 8, "ended", "", 0, &out);
  CU_ASSERT_EQUAL (link.seq, 2);
  CU_ASSERT_EQUAL (out.data[out.len - 1], '\n');
}

static void
test_goes_on (void)
{
  struct error err = { 0 };

  empty_folder ();
  for (int i = 0; i < 5; i++)
    add (&no_key, 1 << 20, 3);
  CU_ASSERT_EQUAL (verify (&no_key, &err), 15);
  CU_ASSERT_EQUAL (count_segments (), 1);
}

static void
test_segments (void)
{
  struct error err = { 0 };

  empty_folder ();
  for (int i = 0; i < 5; i++)
    add (&no_key, 200, 3);
  CU_ASSERT_EQUAL (count_segments (), 5);
  CU_ASSERT_EQUAL (verify (&no_key, &err), 15);
}

/* ---- who touches it is found out ---- */

struct harm {
  const char *what, *from, *to; /* in the text of the file */
  const char *why;
};

static void
replace (struct buf *text, const char *from, const char *to)
{
  char *at = strstr (buf_cstr (text), from);
  CLEANUP_BUF struct buf now = { 0 };

  CU_ASSERT_PTR_NOT_NULL_FATAL (at);
  buf_append (&now, text->data, (size_t) (at - text->data));
  buf_puts (&now, to);
  buf_puts (&now, at + strlen (from));
  buf_swap (text, &now);
}

static void
test_harm (void)
{
  static const struct harm harms[] = {
    { "a value", "\"n\":1", "\"n\":7", "record 2 is not what its hash says" },
    { "an event", "\"event\":\"tool_call\"", "\"event\":\"tool_fall\"",
      "record 1 is not what its hash says" },
    { "a number", "\"seq\":3", "\"seq\":4", "record 4 is not what its hash says" },
    { "garbage", "{\"seq\":2", "garbage", "the line is no JSON" },
    { "no record", "{\"seq\":2", "{\"sek\":2", "the line is no record of the audit" },
  };

  for (size_t i = 0; i < sizeof harms / sizeof *harms; i++) {
    CLEANUP_BUF struct buf text = { 0 };
    struct error err = { 0 };

    empty_folder ();
    add (&no_key, 1 << 20, 4);
    read_file (FIRST, &text);
    replace (&text, harms[i].from, harms[i].to);
    write_file (FIRST, text.data, text.len);
    CU_ASSERT_EQUAL (verify (&no_key, &err), -1);
    if (strncmp (err.text, harms[i].why, strlen (harms[i].why)) != 0)
      CU_FAIL (harms[i].what);
  }
}

/* The record in the middle is taken out. */
static void
test_removed (void)
{
  CLEANUP_BUF struct buf text = { 0 };
  struct error err = { 0 };
  char *second, *third;

  empty_folder ();
  add (&no_key, 1 << 20, 4);
  read_file (FIRST, &text);
  second = strchr (buf_cstr (&text), '\n') + 1;
  third = strchr (second, '\n') + 1;
  memmove (second, third, (size_t) (text.data + text.len - third));
  write_file (FIRST, text.data, text.len - (size_t) (third - second));
  CU_ASSERT_EQUAL (verify (&no_key, &err), -1);
  CU_ASSERT_STRING_EQUAL (err.text, "record 3 stands where record 2 should");
}

static void
test_key (void)
{
  struct audit_key key = { 0 }, other = { 0 };
  struct error err = { 0 };

  CU_ASSERT_FALSE (audit_key_read (&key, "  short \n", 9, &err));
  CU_ASSERT_STRING_EQUAL (err.text, "expected a key of 16 to 4096 bytes, got 5");
  CU_ASSERT_TRUE (audit_key_read (&key, "0123456789abcdef\n", 17, &err));
  CU_ASSERT_EQUAL (key.len, 16);
  CU_ASSERT_TRUE (audit_key_read (&other, "0123456789abcdeF", 16, &err));
  empty_folder ();
  add (&key, 1 << 20, 3);
  CU_ASSERT_EQUAL (verify (&key, &err), 3);
  CU_ASSERT_EQUAL (verify (&other, &err), -1);
  CU_ASSERT_EQUAL (verify (&no_key, &err), -1);
  CU_ASSERT_STRING_EQUAL (err.text, "record 1 is not what its hash says: it was changed");
  CU_ASSERT_PTR_NULL (open_audit (&other, 1 << 20, 0, &err));
  CU_ASSERT_PTR_NOT_NULL (strstr (err.text, "or the key is another one"));
}

/* ---- files that a fall has torn ---- */

static void
test_torn (void)
{
  CLEANUP_BUF struct buf text = { 0 };
  struct error err = { 0 };

  empty_folder ();
  add (&no_key, 1 << 20, 3);
  read_file (FIRST, &text);
  write_file (FIRST, text.data, text.len - 10);
  add (&no_key, 1 << 20, 2); /* the third was never whole: there is another one now */
  CU_ASSERT_EQUAL (count_segments (), 2);
  CU_ASSERT_EQUAL (verify (&no_key, &err), 4);
}

/* Nothing whole stands in the last file: it is as if it had not been begun. */
static void
test_torn_at_once (void)
{
  struct error err = { 0 };

  empty_folder ();
  add (&no_key, 1 << 20, 3);
  write_file ("audit-00000000000000000004.jsonl", "{\"seq\":4,", 9);
  add (&no_key, 1 << 20, 2);
  CU_ASSERT_EQUAL (verify (&no_key, &err), 5);
  empty_folder ();
  write_file (FIRST, "", 0);
  add (&no_key, 1 << 20, 2);
  CU_ASSERT_EQUAL (verify (&no_key, &err), 2);
}

/* What is not whole is not gone on with. */
static void
test_damaged (void)
{
  CLEANUP_BUF struct buf text = { 0 };
  struct error err = { 0 };

  empty_folder ();
  add (&no_key, 1 << 20, 3);
  read_file (FIRST, &text);
  replace (&text, "\"n\":2", "\"n\":3");
  write_file (FIRST, text.data, text.len);
  CU_ASSERT_PTR_NULL (open_audit (&no_key, 1 << 20, 0, &err));
  CU_ASSERT_STRING_EQUAL (
    err.text,
    "audit-00000000000000000001.jsonl: record 3 is not what its hash says: it was changed");
}

/* ---- a disk that takes nothing ---- */

/* An object of that many bytes. */
static void
fill_object (char *object, size_t len)
{
  static const char begin[] = "{\"text\":\"", end[] = "\"}";

  memset (object, 'x', len);
  memcpy (object, begin, sizeof begin - 1);
  memcpy (object + len - (sizeof end - 1), end, sizeof end - 1);
}

/* Files may not grow: what is written waits, and is there when they may again. */
static void
test_full (void)
{
  struct error err = { 0 };
  struct rlimit was, none;
  struct audit *audit;
  struct audit_figures figures;
  CLEANUP_FREE char *large = xmalloc (8000);

  empty_folder ();
  audit = open_audit (&no_key, 1 << 20, 0, &err);
  CU_ASSERT_PTR_NOT_NULL_FATAL (audit);
  getrlimit (RLIMIT_FSIZE, &was);
  none = (struct rlimit){ .rlim_cur = 0, .rlim_max = was.rlim_max };
  setrlimit (RLIMIT_FSIZE, &none);
  audit_add (audit, "first", "{}", 2);
  do
    figures = audit_figures (audit);
  while (figures.failures == 0);
  CU_ASSERT_FALSE (audit_is_well (audit));
  fill_object (large, 8000);
  for (int i = 0; i < 200; i++) /* more than may wait */
    audit_add (audit, "large", large, 8000);
  figures = audit_figures (audit);
  CU_ASSERT_TRUE (figures.lost > 0 && figures.lost < 200);
  setrlimit (RLIMIT_FSIZE, &was);
  do
    figures = audit_figures (audit);
  while (!figures.well || figures.written + figures.lost < figures.records);
  audit_close (audit);
  /* all that was not lost, and one that tells of what was */
  CU_ASSERT_EQUAL (verify (&no_key, &err), (long) (201 - figures.lost + 1));
}

/* A record that is too long is told of without what made it so. */
static void
test_long (void)
{
  struct error err = { 0 };
  struct audit *audit;
  CLEANUP_BUF struct buf text = { 0 };
  CLEANUP_FREE char *large = xmalloc (20000);

  empty_folder ();
  audit = open_audit (&no_key, 1 << 20, 0, &err);
  CU_ASSERT_PTR_NOT_NULL_FATAL (audit);
  fill_object (large, 20000);
  audit_add (audit, "large", large, 20000);
  audit_close (audit);
  read_file (FIRST, &text);
  CU_ASSERT_PTR_NOT_NULL (strstr (buf_cstr (&text), "\"event\":\"large\",\"cut\":true,"));
}

/* Old segments go, never the last, and the chain tells of it. */
static void
test_kept (void)
{
  CLEANUP_BUF struct buf text = { 0 };
  struct error err = { 0 };
  struct audit *audit;
  struct timespec old[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
  const int dir = open_folder ();

  empty_folder ();
  for (int i = 0; i < 3; i++)
    add (&no_key, 100, 1);
  CU_ASSERT_EQUAL (count_segments (), 3);
  CU_ASSERT_EQUAL (utimensat (dir, FIRST, old, 0), 0);
  (void) close (dir);
  audit = open_audit (&no_key, 1 << 20, 60000, &err);
  CU_ASSERT_PTR_NOT_NULL_FATAL (audit);
  while (audit_figures (audit).written == 0)
    ;
  audit_close (audit);
  CU_ASSERT_EQUAL (count_segments (), 2);
  read_file ("audit-00000000000000000003.jsonl", &text);
  CU_ASSERT_PTR_NOT_NULL (strstr (buf_cstr (&text),
                                  "\"event\":\"audit_segment_removed\",\"segment\":"
                                  "\"audit-00000000000000000001.jsonl\""));
}

static struct audit *
open_bounded (size_t segment_max, uint64_t disk_max)
{
  const int fd = open_folder ();
  struct error err = { 0 };
  struct audit *audit = audit_open (
    &(struct audit_settings){
      .folder = fd, .segment_max = segment_max, .disk_max = disk_max, .waiting_max = 1 << 20 },
    &err);

  (void) close (fd);
  CU_ASSERT_PTR_NOT_NULL_FATAL (audit);
  return audit;
}

static struct audit_read
read_chain (void)
{
  const struct audit_reading reading = { .key = &no_key };
  struct audit_read found;
  struct error err = { 0 };

  CU_ASSERT_TRUE (audit_read (folder, &reading, &found, &err));
  CU_ASSERT_STRING_EQUAL (err.text, "");
  return found;
}

/* The oldest go until all fit, and what is left hangs on the record of the last that went. */
static void
test_bounded (void)
{
  struct audit *audit;
  struct audit_read found;

  empty_folder ();
  for (int i = 0; i < 8; i++)
    add (&no_key, 100, 1);
  CU_ASSERT_EQUAL (count_segments (), 8);
  audit = open_bounded (1 << 20, 1600);
  while (audit_figures (audit).removed < 4)
    ;
  audit_close (audit);
  found = read_chain ();
  CU_ASSERT (found.first > 4);
  CU_ASSERT_TRUE (found.anchored);
  CU_ASSERT_EQUAL (found.segments, (uint64_t) count_segments ());
}

/* What somebody else cuts off has no such record. */
static void
test_cut_off (void)
{
  const int dir = open_folder ();
  struct audit_read found;

  empty_folder ();
  for (int i = 0; i < 3; i++)
    add (&no_key, 100, 1);
  CU_ASSERT_TRUE (read_chain ().anchored);
  CU_ASSERT_EQUAL (unlinkat (dir, FIRST, 0), 0);
  (void) close (dir);
  found = read_chain ();
  CU_ASSERT_EQUAL (found.first, 2);
  CU_ASSERT_FALSE (found.anchored);
}

static CU_TestInfo tests[] = {
  { "a record", test_chain },
  { "a chain over several lives", test_goes_on },
  { "a chain over several files", test_segments },
  { "as many files as fit", test_bounded },
  { "a begin that was cut off is found", test_cut_off },
  { "what is changed is found", test_harm },
  { "what is removed is found", test_removed },
  { "with a key nobody else makes records", test_key },
  { "a torn record", test_torn },
  { "a file with nothing but a torn record", test_torn_at_once },
  { "a damaged chain is not gone on with", test_damaged },
  { "a full disk", test_full },
  { "a record that is too long", test_long },
  { "old files go", test_kept },
  CU_TEST_INFO_NULL,
};

static int
make_folder (void)
{
  (void) signal (SIGXFSZ, SIG_IGN);
  (void) strcpy (folder, "/tmp/audit-test-XXXXXX");
  return mkdtemp (folder) == NULL;
}

static int
remove_folder (void)
{
  empty_folder ();
  return rmdir (folder);
}

static CU_SuiteInfo suites[] = {
  { "audit", make_folder, remove_folder, NULL, NULL, tests },
  CU_SUITE_INFO_NULL,
};

TAP_MAIN (suites)
