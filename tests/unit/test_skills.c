/* Skills: what of a plugin's folder is one, what is offered of it, what stands
 * in its folders, and the read of a file through the pipeline. */
#include <ev.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/offload.h"
#include "base/tar.h"
#include "call/calls.h"
#include "catalog/definition.h"
#include "catalog/directory.h"
#include "catalog/skill.h"
#include "catalog/skill_index.h"
#include "tap.h"

/* ---- from an archive to an index ---- */

struct file {
  const char *path, *text;
};

static void
add_file (int fd, const char *path, const char *text, size_t len)
{
  static const char zeros[TAR_BLOCK];
  char header[TAR_BLOCK];

  tar_header (header, path, len);
  CU_ASSERT_EQUAL (write (fd, header, sizeof header), (ssize_t) sizeof header);
  CU_ASSERT_EQUAL (write (fd, text, len), (ssize_t) len);
  CU_ASSERT_EQUAL (write (fd, zeros, tar_padding (len)), (ssize_t) tar_padding (len));
}

static void
end_archive (int fd)
{
  static const char zeros[2 * TAR_BLOCK];
  CU_ASSERT_EQUAL (write (fd, zeros, sizeof zeros), (ssize_t) sizeof zeros);
}

/* The files in the order of their paths, as the store writes them; the last one's path is NULL. */
static int
archive_of (const struct file *files)
{
  int fd = memfd_create ("archive", MFD_CLOEXEC);

  for (; files->path != NULL; files++)
    add_file (fd, files->path, files->text, strlen (files->text));
  end_archive (fd);
  return fd;
}

static bool
never (const void *ctx)
{
  (void) ctx;
  return false;
}

static bool
always (const void *ctx)
{
  (void) ctx;
  return true;
}

static const struct copies_stop go_on = { .stopped = never }, stop = { .stopped = always };

#define SKILL(name) "---\nname: " name "\ndescription: About " name ".\n---\n# " name "\n"

static const struct file good_files[] = {
  { "lib/libx.so", "library" },
  { "p.so", "plugin" },
  { "skills/.hidden/SKILL.md", "an editor's" },
  { "skills/README.txt", "for people" },
  { "skills/group/refunds/.SKILL.md.swp", "an editor's" },
  { "skills/group/refunds/SKILL.md", SKILL ("refunds") },
  { "skills/review/SKILL.md", SKILL ("review") },
  { "skills/review/deep/nested/SKILL.md", SKILL ("nested") },
  { "skills/review/deep/nested/notes.txt", "notes" },
  { "skills/review/logo.png", "\x89PNG" },
  { "skills/review/references/RULES.md", "# Rules\n" },
  { "skills/review-more/SKILL.md", SKILL ("review-more") },
  { NULL, NULL },
};

static void
skills_are_found_in_a_folder (void)
{
  CLEANUP_FD int fd = archive_of (good_files);
  CLEANUP_BUF struct buf index = { 0 };

  CU_ASSERT_TRUE (skill_index (fd, &go_on, &index));
  (void) buf_cstr (&index);
  CU_ASSERT_PTR_NOT_NULL (strstr (index.data,
                                  "{\"path\":\"group/refunds\",\"frontmatter\":{\"name\""
                                  ":\"refunds\",\"description\":\"About refunds.\"},"
                                  "\"files\":[[\"SKILL.md\","));
  CU_ASSERT_PTR_NOT_NULL (strstr (index.data, "\"path\":\"review/deep/nested\""));
  CU_ASSERT_PTR_NOT_NULL (strstr (index.data, "[\"deep/nested/notes.txt\","));
  CU_ASSERT_PTR_NULL (strstr (index.data, "hidden"));
  CU_ASSERT_PTR_NULL (strstr (index.data, "swp"));
  CU_ASSERT_PTR_NULL (strstr (index.data, "README"));
  CU_ASSERT_PTR_NOT_NULL (strstr (index.data, "\"problems\":[]}"));
}

static void
a_plugin_without_skills_has_no_index (void)
{
  const struct file files[] = { { "p.so", "plugin" }, { "skill/a/SKILL.md", "" }, { NULL, NULL } };
  CLEANUP_FD int fd = archive_of (files);
  CLEANUP_BUF struct buf index = { 0 };

  CU_ASSERT_TRUE (skill_index (fd, &go_on, &index));
  CU_ASSERT_EQUAL (index.len, 0);
}

static void
what_is_wrong_is_told_and_the_others_serve (void)
{
  static const struct {
    struct file file;
    const char *problem;
  } wrong[] = {
    { { "skills/SKILL.md", SKILL ("a") },
      "skill skills/SKILL.md: a skill is a folder in skills/, named like the skill, with its "
      "SKILL.md" },
    { { "skills/Bad_Name/SKILL.md", SKILL ("a") },
      "skill skills/Bad_Name/SKILL.md: the name of its folder, Bad_Name, is not 1 to 64 of a-z 0-9 "
      "and single hyphens inside" },
    { { "skills/b/SKILL.md", SKILL ("other") },
      "skill skills/b/SKILL.md: /name: other: expected the name of its folder, b" },
    { { "skills/b/skill.md", SKILL ("b") },
      "skill skills/b: there is no SKILL.md in it; the file's name is in capitals" },
    { { "skills/b/SKILL.md", "---\nname: b\ndescription: \"\xff\"\n---\n" },
      "skill skills/b/SKILL.md: it is no text in UTF-8" },
    { { "skills/b/SKILL.md", "---\nname: b\ndescription: \"a\\u202eb\"\n---\n" },
      "skill skills/b/SKILL.md: /description: holds the invisible" },
    { { "skills/b c/SKILL.md", SKILL ("b c") },
      "skill skills/b c/SKILL.md: the name of its folder" },
  };

  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    const struct file files[] = { wrong[i].file,
                                  { "skills/z/SKILL.md", SKILL ("z") },
                                  { NULL, NULL } };
    CLEANUP_FD int fd = archive_of (files);
    CLEANUP_BUF struct buf index = { 0 };
    CU_ASSERT_TRUE (skill_index (fd, &go_on, &index));
    if (strstr (buf_cstr (&index), wrong[i].problem) == NULL)
      printf ("# %s\n", index.data);
    CU_ASSERT_PTR_NOT_NULL (strstr (index.data, wrong[i].problem));
    CU_ASSERT_PTR_NOT_NULL (strstr (index.data, "\"path\":\"z\""));
  }
}

static void
files_of_a_skill_have_plain_names (void)
{
  static const char *const names[] = {
    "a b.md", "caf\xc3\xa9.md", "a%2e.md", "a#b", "a?b", "a\\b"
  };

  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    CLEANUP_BUF struct buf path = { 0 }, index = { 0 };
    buf_printf (&path, "skills/x/%s", names[i]);
    const struct file files[] = { { "skills/x/SKILL.md", SKILL ("x") },
                                  { buf_cstr (&path), "text" },
                                  { NULL, NULL } };
    CLEANUP_FD int fd = archive_of (files);
    CU_ASSERT_TRUE (skill_index (fd, &go_on, &index));
    CU_ASSERT_PTR_NOT_NULL (
      strstr (buf_cstr (&index), "a name of other characters than A-Z a-z 0-9 _ . ~ -"));
    CU_ASSERT_PTR_NOT_NULL (strstr (index.data, "{\"skills\":[],"));
  }
}

static void
archives_that_lead_elsewhere_are_none (void)
{
  static const char *const paths[] = { "skills/../../etc/passwd", "/etc/passwd", "skills/x/../y",
                                       "skills//SKILL.md" };

  for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
    const struct file files[] = { { paths[i], "text" }, { NULL, NULL } };
    CLEANUP_FD int fd = archive_of (files);
    CLEANUP_BUF struct buf index = { 0 };
    CU_ASSERT_FALSE (skill_index (fd, &go_on, &index));
  }
}

/* Add a skill of this name with so many files of so many bytes beside its SKILL.md. */
static void
add_skill (int fd, const char *name, const char *body, size_t body_len, unsigned files, size_t each)
{
  CLEANUP_BUF struct buf text = { 0 }, path = { 0 };
  CLEANUP_FREE char *zeros = xcalloc (1, each + 1);

  buf_printf (&path, "skills/%s/SKILL.md", name);
  buf_printf (&text, SKILL ("%s"), name, name, name);
  for (size_t i = 0; i < body_len; i++)
    buf_putc (&text, *body);
  add_file (fd, buf_cstr (&path), text.data, text.len);
  for (unsigned i = 0; i < files; i++) {
    path.len = 0;
    buf_printf (&path, "skills/%s/f%04u.bin", name, i);
    add_file (fd, buf_cstr (&path), zeros, each);
  }
}

static bool
index_says (int fd, const char *text)
{
  CLEANUP_BUF struct buf index = { 0 };
  bool said;

  end_archive (fd);
  CU_ASSERT_TRUE (skill_index (fd, &go_on, &index));
  said = strstr (buf_cstr (&index), text) != NULL;
  if (!said)
    printf ("# %.300s\n", index.data);
  (void) close (fd);
  return said;
}

static void
skills_are_bounded (void)
{
  int fd = memfd_create ("archive", MFD_CLOEXEC);

  add_skill (fd, "x", "", 0, 511, 1);
  CU_ASSERT_TRUE (index_says (fd, "\"path\":\"x\""));
  fd = memfd_create ("archive", MFD_CLOEXEC);
  add_skill (fd, "x", "", 0, 512, 1);
  CU_ASSERT_TRUE (index_says (fd, "it has 513 files, 512 are the most"));
  fd = memfd_create ("archive", MFD_CLOEXEC);
  add_skill (fd, "x", "", 0, 1, (16 << 20) - 200);
  CU_ASSERT_TRUE (index_says (fd, "\"path\":\"x\""));
  fd = memfd_create ("archive", MFD_CLOEXEC);
  add_skill (fd, "x", "", 0, 1, 16 << 20);
  CU_ASSERT_TRUE (index_says (fd, "bytes, 16777216 are the most"));
  fd = memfd_create ("archive", MFD_CLOEXEC);
  add_skill (fd, "x", "a", 1 << 20, 0, 0);
  CU_ASSERT_TRUE (
    index_says (fd, "bytes, 1048576 are the most; put the rest into files beside it"));
  fd = memfd_create ("archive", MFD_CLOEXEC);
  for (unsigned i = 0; i < 65; i++) {
    char name[8];
    (void) snprintf (name, sizeof name, "x%02u", i);
    add_skill (fd, name, "", 0, 0, 0);
  }
  CU_ASSERT_TRUE (index_says (fd, "skill skills/x64/SKILL.md: 64 skills are the most of a plugin"));
}

static void
reading_can_be_stopped (void)
{
  CLEANUP_FD int fd = archive_of (good_files);
  CLEANUP_BUF struct buf index = { 0 };

  CU_ASSERT_FALSE (skill_index (fd, &stop, &index));
}

/* ---- what is offered ---- */

/* The set of a plugin p with the skills of these files; its fd goes to the skills. */
static struct toolset *
set_of (const struct file *files, struct skills **skills)
{
  CLEANUP_BUF struct buf index = { 0 };
  struct described d = { .name = NULL };
  struct toolset *set;
  int fd = archive_of (files);

  CU_ASSERT_TRUE_FATAL (skill_index (fd, &go_on, &index));
  *skills = skills_new ("p", index.data, index.len, fd);
  CU_ASSERT_PTR_NOT_NULL_FATAL (*skills);
  skills_offer (*skills, "p", &d);
  for (size_t i = 0; i < d.tools_count; i++)
    (void) tool_ref (d.tools[i]);
  set = toolset_new (d.tools, d.tools_count, 1);
  described_free (&d);
  return set;
}

static void
a_skill_is_an_entry_and_a_resource (void)
{
  static const char uri[] = "skill://p/review/SKILL.md";
  struct skills *skills;
  struct toolset *set = set_of (good_files, &skills);
  struct tool *entry = offers_find (&set->of[OFFER_SKILL], uri, strlen (uri));
  struct tool *resource = offers_find (&set->of[OFFER_RESOURCE], uri, strlen (uri));

  CU_ASSERT_EQUAL (set->of[OFFER_SKILL].count, 4);
  CU_ASSERT_EQUAL (set->of[OFFER_RESOURCE].count, 4);
  CU_ASSERT_PTR_NOT_NULL_FATAL (entry);
  CU_ASSERT_PTR_NOT_NULL_FATAL (resource);
  CU_ASSERT_PTR_NOT_NULL (strstr (
    buf_cstr (&entry->mcp), "{\"uri\":\"skill://p/review/logo.png\",\"digest\":\"sha256:"
                            "0f4636c78f65d3639ece5a064b5ae753e3408614a14fb18ab4d7540d2c248543\","
                            "\"size\":4}"));
  CU_ASSERT_PTR_NOT_NULL (
    strstr (entry->mcp.data, "skill://p/review/deep/nested/SKILL.md")); /* all that is below */
  CU_ASSERT_STRING_EQUAL (buf_cstr (&resource->mcp),
                          "{\"uri\":\"skill://p/review/SKILL.md\",\"name\":\"review\","
                          "\"description\":\"About review.\",\"mimeType\":\"text/markdown\","
                          "\"size\":57}");
  skills_unref (skills);
  toolset_unref (set);
}

static void
uris_lead_to_files_of_skills_alone (void)
{
  static const struct {
    const char *uri, *skill;
  } uris[] = {
    { "skill://p/review/SKILL.md", "skill://p/review/SKILL.md" },
    { "skill://p/review/references/RULES.md", "skill://p/review/SKILL.md" },
    { "skill://p/review/deep/nested/notes.txt", "skill://p/review/deep/nested/SKILL.md" },
    { "skill://p/review-more/SKILL.md", "skill://p/review-more/SKILL.md" },
    { "skill://p/review", NULL },
    { "skill://p/review/", NULL },
    { "skill://p/review/references", NULL },
    { "skill://p/review/SKILL.md/", NULL },
    { "skill://p/review/SKILL.mdx", NULL },
    { "skill://p/review/../../p.so", NULL },
    { "skill://p/review/%2e%2e/README.txt", NULL },
    { "skill://p/review//SKILL.md", NULL },
    { "skill://p/README.txt", NULL },
    { "skill://p/group/refunds/.SKILL.md.swp", NULL },
    { "skill://q/review/SKILL.md", NULL },
    { "skill://", NULL },
    { "file:///etc/passwd", NULL },
  };
  CLEANUP_BUF struct buf variables = { 0 };
  struct skills *skills;
  struct toolset *set = set_of (good_files, &skills);

  for (size_t i = 0; i < sizeof uris / sizeof uris[0]; i++) {
    struct tool *tool = toolset_resource (set, uris[i].uri, strlen (uris[i].uri), &variables);
    CU_ASSERT_EQUAL (tool != NULL, uris[i].skill != NULL);
    if (tool != NULL && uris[i].skill != NULL)
      CU_ASSERT_STRING_EQUAL (tool->name, uris[i].skill);
  }
  CU_ASSERT_PTR_NULL (toolset_resource (set, "skill://p/review/SKILL.md\0x", 27, &variables));
  skills_unref (skills);
  toolset_unref (set);
}

/* The names of what is in a folder, with a slash after those that are folders. */
static void
assert_folder (const struct toolset *set, const char *uri, const char *names)
{
  struct directory directory = { .list = NULL };
  CLEANUP_BUF struct buf found = { 0 };
  bool there = directory_read (&directory, set, uri, strlen (uri));

  CU_ASSERT_EQUAL (there, names != NULL);
  for (size_t i = 0; i < directory.count; i++)
    buf_printf (&found, "%s%s ", directory.list[i].name,
                strstr (buf_cstr (&directory.list[i].resource), "inode/directory") != NULL ? "/"
                                                                                           : "");
  if (names != NULL)
    CU_ASSERT_STRING_EQUAL (buf_cstr (&found), names);
  directory_free (&directory);
}

static void
folders_show_what_is_in_them (void)
{
  struct skills *skills;
  struct toolset *set = set_of (good_files, &skills);

  assert_folder (set, "skill://p", "group/ review/ review-more/ ");
  assert_folder (set, "skill://p/group", "refunds/ ");
  assert_folder (set, "skill://p/review", "SKILL.md deep/ logo.png references/ ");
  assert_folder (set, "skill://p/review/deep", "nested/ ");
  assert_folder (set, "skill://p/review/deep/nested", "SKILL.md notes.txt ");
  assert_folder (set, "skill://p/review-more", "SKILL.md ");
  assert_folder (set, "skill://p/review/", NULL);
  assert_folder (set, "skill://p/rev", NULL);
  assert_folder (set, "skill://p/review/SKILL.md", NULL);
  assert_folder (set, "skill://p/review/nothing", NULL);
  assert_folder (set, "skill://p/review/..", NULL);
  assert_folder (set, "skill://q", NULL);
  assert_folder (set, "skill://", NULL);
  assert_folder (set, "skill:/", NULL);
  assert_folder (set, "", NULL);
  skills_unref (skills);
  toolset_unref (set);
}

static void
note_changed (void *ctx, const char *uri, size_t len)
{
  struct buf *found = ctx;
  buf_printf (found, "%.*s ", (int) len, uri);
}

static void
what_has_changed_is_told (void)
{
  const struct file before[] = { { "skills/a/SKILL.md", SKILL ("a") },
                                 { "skills/a/x.txt", "one" },
                                 { "skills/a/y.txt", "y" },
                                 { "skills/b/SKILL.md", SKILL ("b") },
                                 { NULL, NULL } };
  const struct file after[] = { { "skills/a/SKILL.md", SKILL ("a") },
                                { "skills/a/new.txt", "n" },
                                { "skills/a/x.txt", "two" },
                                { NULL, NULL } };
  CLEANUP_BUF struct buf found = { 0 };
  struct skills *was, *now;
  struct toolset *old = set_of (before, &was), *new = set_of (after, &now);

  skills_each_changed (was, now, note_changed, &found);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&found), "skill://p/a/x.txt skill://p/a/y.txt "
                                             "skill://p/b/SKILL.md ");
  found.len = 0;
  skills_each_changed (now, NULL, note_changed, &found);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&found),
                          "skill://p/a/SKILL.md skill://p/a/new.txt skill://p/a/x.txt ");
  skills_unref (was);
  skills_unref (now);
  toolset_unref (old);
  toolset_unref (new);
}

static void
what_is_no_index_gives_no_skills (void)
{
  static const char *const texts[] = {
    "",
    "[]",
    "{}",
    "{\"skills\":[]}",
    "{\"skills\":[{}],\"problems\":[]}",
    "{\"skills\":[{\"path\":\"a\",\"frontmatter\":{\"name\":\"a\",\"description\":\"d\"},"
    "\"files\":[[\"SKILL.md\",-1,2,\"\"]]}],\"problems\":[]}",
  };

  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    CU_ASSERT_PTR_NULL (
      skills_new ("p", texts[i], strlen (texts[i]), memfd_create ("none", MFD_CLOEXEC)));
}

/* ---- reads, through the pipeline ---- */

static struct {
  struct ev_loop *loop;
  struct offload *offload;
  struct metrics *metrics;
  struct calls *calls;
  int done;
  enum call_error error;
  char content[512];
} f;

static void
on_done (void *ctx, const struct result *r)
{
  (void) ctx;
  f.done++;
  f.error = r->error;
  (void) snprintf (f.content, sizeof f.content, "%.*s", (int) r->content_len, r->content);
}

static int
setup (void)
{
  struct calls_settings settings = { .deadline_ms = 30000, .running_max = 4, .json_depth = 8 };

  memset (&f, 0, sizeof f);
  f.loop = ev_loop_new (EVFLAG_AUTO);
  f.offload = settings.readers = offload_new (f.loop, 1);
  f.metrics = metrics_new ();
  f.calls = calls_new (f.loop, NULL, f.metrics, &settings);
  return 0;
}

static int
teardown (void)
{
  offload_free (f.offload);
  calls_free (f.calls);
  metrics_free (f.metrics);
  ev_loop_destroy (f.loop);
  return 0;
}

static struct call *
start (struct toolset *set, const char *uri)
{
  static const struct call_events events = { .done = on_done };
  const struct call_request request = {
    .kind = CALL_READ, .toolset = set, .name = uri, .name_len = strlen (uri), .front = "test"
  };

  f.done = 0;
  return call_start (f.calls, &request, &events, NULL);
}

static void
read_to_the_end (struct toolset *set, const char *uri)
{
  (void) start (set, uri);
  while (f.done == 0)
    ev_run (f.loop, EVRUN_ONCE);
}

static void
files_are_read_as_they_are (void)
{
  struct skills *skills;
  struct toolset *set = set_of (good_files, &skills);

  read_to_the_end (set, "skill://p/review/references/RULES.md");
  CU_ASSERT_EQUAL (f.error, CALL_OK);
  CU_ASSERT_STRING_EQUAL (f.content, "[{\"uri\":\"skill://p/review/references/RULES.md\","
                                     "\"mimeType\":\"text/markdown\",\"text\":\"# Rules\\n\"}]");
  read_to_the_end (set, "skill://p/review/logo.png");
  CU_ASSERT_STRING_EQUAL (f.content, "[{\"uri\":\"skill://p/review/logo.png\",\"mimeType\":"
                                     "\"image/png\",\"blob\":\"iVBORw==\"}]");
  read_to_the_end (set, "skill://p/review/nothing");
  CU_ASSERT_EQUAL (f.error, CALL_resource_not_found);
  CU_ASSERT_EQUAL (calls_running (f.calls), 0);
  skills_unref (skills);
  toolset_unref (set);
}

static void
a_read_can_be_given_up (void)
{
  struct skills *skills;
  struct toolset *set = set_of (good_files, &skills);
  struct call *call = start (set, "skill://p/review/logo.png");

  CU_ASSERT_PTR_NOT_NULL_FATAL (call);
  call_cancel (call);
  CU_ASSERT_EQUAL (f.done, 1);
  CU_ASSERT_EQUAL (f.error, CALL_tool_cancelled);
  skills_unref (skills);
  toolset_unref (set); /* what is being read holds what it needs */
  ev_run (f.loop, 0);
  CU_ASSERT_EQUAL (f.done, 1);
  CU_ASSERT_EQUAL (calls_running (f.calls), 0);
}

static void
what_is_not_what_was_hashed_is_not_given (void)
{
  const struct file files[] = { { "skills/a/SKILL.md", SKILL ("a") }, { NULL, NULL } };
  CLEANUP_BUF struct buf index = { 0 };
  struct described d = { .name = NULL };
  struct skills *skills;
  struct toolset *set;
  int fd = archive_of (files);

  CU_ASSERT_TRUE_FATAL (skill_index (fd, &go_on, &index));
  CU_ASSERT_EQUAL (pwrite (fd, "!", 1, TAR_BLOCK + 5), 1);
  skills = skills_new ("p", index.data, index.len, fd);
  skills_offer (skills, "p", &d);
  for (size_t i = 0; i < d.tools_count; i++)
    (void) tool_ref (d.tools[i]);
  set = toolset_new (d.tools, d.tools_count, 1);
  described_free (&d);
  read_to_the_end (set, "skill://p/a/SKILL.md");
  CU_ASSERT_EQUAL (f.error, CALL_internal_error);
  skills_unref (skills);
  toolset_unref (set);
}

static CU_TestInfo index_tests[] = {
  { "skills are found in a folder", skills_are_found_in_a_folder },
  { "a plugin without skills has no index", a_plugin_without_skills_has_no_index },
  { "what is wrong is told and the others serve", what_is_wrong_is_told_and_the_others_serve },
  { "files have plain names", files_of_a_skill_have_plain_names },
  { "archives that lead elsewhere are none", archives_that_lead_elsewhere_are_none },
  { "skills are bounded", skills_are_bounded },
  { "reading can be stopped", reading_can_be_stopped },
  CU_TEST_INFO_NULL
};

static CU_TestInfo offer_tests[] = {
  { "a skill is an entry and a resource", a_skill_is_an_entry_and_a_resource },
  { "URIs lead to files of skills alone", uris_lead_to_files_of_skills_alone },
  { "folders show what is in them", folders_show_what_is_in_them },
  { "what has changed is told", what_has_changed_is_told },
  { "what is no index gives no skills", what_is_no_index_gives_no_skills },
  CU_TEST_INFO_NULL
};

static CU_TestInfo read_tests[] = { { "files are read as they are", files_are_read_as_they_are },
                                    { "a read can be given up", a_read_can_be_given_up },
                                    { "what is not what was hashed is not given",
                                      what_is_not_what_was_hashed_is_not_given },
                                    CU_TEST_INFO_NULL };

static CU_SuiteInfo suites[] = { { "index", NULL, NULL, NULL, NULL, index_tests },
                                 { "offers", NULL, NULL, NULL, NULL, offer_tests },
                                 { "reads", setup, teardown, NULL, NULL, read_tests },
                                 CU_SUITE_INFO_NULL };

TAP_MAIN (suites)
