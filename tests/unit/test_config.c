/* Configuration and policies: what is read, and the sentence for each fault. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_c.h"
#include "base/json_write.h"
#include "daemon/config.h"
#include "daemon/describe_cache.h"
#include "daemon/document.h"
#include "daemon/policies.h"
#include "daemon/policy_keys.h"
#include "daemon/profiles.h"
#include "schema/repair/repair.h"
#include "tap.h"

extern const char strict_json[], nonetwork_json[], trusted_json[];

#define HEX "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

/* A file in memory. */
static int
file_with (const char *text)
{
  int fd = memfd_create ("test", MFD_CLOEXEC);

  CU_ASSERT_EQUAL_FATAL (write (fd, text, strlen (text)), (ssize_t) strlen (text));
  (void) lseek (fd, 0, SEEK_SET);
  return fd;
}

static bool
config_of (const char *text, struct config *config, struct error *err)
{
  CLEANUP_FD int fd = file_with (text);

  config_init (config);
  return config_read (config, fd, err);
}

static void
values_over_defaults (void)
{
  struct config config;
  struct error err = { 0 };

  CU_ASSERT_TRUE_FATAL (config_of ("// comments are allowed\n"
                                   "{ \"body_max\": \"2M\", /* here too */ \"grace\": \"250ms\",\n"
                                   "  \"deadline\": 5, \"listen\": [], \"socket\": null,\n"
                                   "  /* a * / \"// b\" **/ \"log_file\": \"/a//b/*c*/\\\"//\",\n"
                                   "  \"sandbox\": { \"require\": [\"no-network\"] } } // end",
                                   &config, &err));
  CU_ASSERT_EQUAL (config.body_max, 2 << 20);
  CU_ASSERT_EQUAL (config.grace_ms, 250);
  CU_ASSERT_EQUAL (config.deadline_ms, 5);
  CU_ASSERT_PTR_NULL (config.listen[0]);
  CU_ASSERT_PTR_NULL (config.socket);
  CU_ASSERT_EQUAL (config.require, GUARANTEE_NO_NETWORK);
  CU_ASSERT_EQUAL (config.json_depth, 64);
  CU_ASSERT_EQUAL (config.repair, REPAIR_SAFE);
  CU_ASSERT_STRING_EQUAL (config.log_file, "/a//b/*c*/\"//");
  config_free (&config);
}

/* Does the error begin like this, and hold that? */
static bool
told (const char *text, const char *begin, const char *word)
{
  if (strncmp (text, begin, strlen (begin)) == 0 && strstr (text, word) != NULL)
    return true;
  printf ("# expected: %s … %s\n# got: %s\n", begin, word, text);
  return false;
}

static void
faults_of_the_configuration (void)
{
  static const struct {
    const char *text, *sentence, *word;
  } rows[] = {
    { "", "line 1", "" },
    { "{\n  \"grace\": }", "line 2, column 12", "" },
    { "[]", "expected a JSON object", "" },
    { "{'grace': 1}", "line 1, column 2: expected a member name", "" },
    { "{\"grace\": 1,}", "line 1, column 13: expected a member name", "" },
    { "{\"grace\": 1, // \"\n\"grace\": 2}", "line 2, column 1: duplicate member name", "" },
    { "{\"socket\": \"/a\\u0000b\"}", "line 1, column 12: U+0000 in a text", "" },
    { "{\"gra\\u0000ce\": 1}", "line 1, column 2: U+0000 in a member name", "" },
    { "{} /* x", "line 1, column 4: expected nothing after the value", "" },
    { "{ / \"grace\": 1}", "line 1, column 3: expected a member name", "" },
    { "{\"grace\": 9223372036854775808}", "/grace: expected", "60000" },
    { "{\"grace\": 1e400}", "/grace: expected", "60000" },
    { "{\"grac\xD0\xB5\": 1}", "/grac\xD0\xB5: unknown property", "" },
    { "{\"grce\": 1}", "/grce: unknown property", "did you mean \"grace\"?" },
    { "{\"grace\": \"soon\"}", "/grace: expected", "\"500ms\" or \"30s\"" },
    { "{\"grace\": \"2m\"}", "/grace: expected at most 60000", "120000" }, /* the code's */
    { "{\"body_max\": \"lots\"}", "/body_max: expected", "\"256M\"" },
    { "{\"body_max\": 1}", "/body_max: expected", "1024" },
    { "{\"json_depth\": 100000}", "/json_depth: expected integer", "512" },
    { "{\"threads\": 0}", "/threads: expected integer 1..64", "0" },
    { "{\"threads\": 65}", "/threads: expected integer 1..64", "65" },
    { "{\"threads\": \"2\"}", "/threads: expected integer", "\"2\"" },
    { "{\"json_depth\": 64.5}", "/json_depth: expected integer", "64.5" },
    { "{\"listen\": \"x\"}", "/listen: expected array", "\"x\"" },
    { "{\"user\": null}", "/user: expected string", "null" },
    { "{\"plugin_dirs\": [\"/a\", \"b\"]}", "/plugin_dirs/1: expected", "absolute path" },
    { "{\"plugin_dirs\": [\"/a/../b\"]}", "/plugin_dirs/0: expected", "absolute path" },
    { "{\"plugin_dirs\": [\"/a/.\"]}", "/plugin_dirs/0: expected", "absolute path" },
    { "{\"log_level\": \"loud\"}", "/log_level: expected one of \"debug\", \"info\"", "\"loud\"" },
    { "{\"approvals\": {\"mode\": \"sometimes\"}}", "/approvals/mode: expected one of", "rules" },
    { "{\"approvals\": {\"ttl\": \"200h\"}}", "/approvals/ttl: ", "604800000" },
    { "{\"approvals\": {\"unasked_max\": 0}}", "/approvals/unasked_max: expected integer", "0" },
    { "{\"approvals\": {\"unasked_max\": \"40\"}}", "/approvals/unasked_max: expected integer",
      "\"40\"" },
    { "{\"approvals\": {\"rules\": {}}}", "/approvals/rules: ", "array" },
    { "{\"approvals\": {\"rules\": [{\"approval\": \"maybe\"}]}}",
      "/approvals/rules/0/approval: ", "always" },
    { "{\"approvals\": {\"rules\": [{\"approval\": \"never\", \"arguments\": {\"minimum\": "
      "\"1\"}}]}}",
      "/approvals/rules/0/arguments/minimum: ", "number" },
    { "{\"repair\": \"save\"}", "/repair: expected one of \"off\", \"safe\"", "mean \"safe\"" },
    { "{\"sandbox\": {\"require\": [\"no-network\", \"no-bugs\"]}}",
      "/sandbox/require/1: expected one of \"no-network\"", "\"no-bugs\"" },
    { "{\"sandbox\": {\"requires\": []}}", "/sandbox/requires: unknown property", "require" },
    { "{\"grce\": 1, \"page_size\": 0}", "/grce: unknown property", "(and 1 more: /page_size)" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct config config;
    struct error err = { 0 };
    CU_ASSERT_FALSE (config_of (rows[i].text, &config, &err));
    CU_ASSERT_TRUE (told (err.text, rows[i].sentence, rows[i].word));
    config_free (&config);
  }
}

/* ---- the published schemas and the code ---- */

/* A schema while it is compared with a table. */
struct compared {
  struct json_tape tape;
  struct arena arena;
  const char *file;
};

static bool
differ (const struct compared *c, const char *key, const char *what)
{
  printf ("# %s: %s: %s\n", c->file, key, what);
  return false;
}

/* What the schema says of a key, by itself or where it refers to. */
static const struct json_node *
said (struct compared *c, const struct json_node *property, const char *keyword)
{
  const struct json_node *own = json_member (&c->tape, property, keyword);
  const struct json_node *ref = json_member (&c->tape, property, "$ref");
  size_t len;
  const char *text = json_string (&c->tape, ref, &c->arena, &len);

  if (own != NULL || text == NULL)
    return own;
  return json_member (&c->tape, json_pointer (&c->tape, json_root (&c->tape), text + 1, len - 1),
                      keyword);
}

static bool
same_bound (struct compared *c, const struct setting *s, const struct json_node *property,
            const char *keyword, int64_t bound, bool bounded)
{
  const struct json_node *node = said (c, property, keyword);
  int64_t value = 0;

  if ((node != NULL) != bounded || (bounded && !json_int64 (&c->tape, node, &value))
      || (bounded && value != bound))
    return differ (c, s->name, keyword);
  return true;
}

static bool
is_number (const struct setting *s)
{
  return s->type == SETTING_COUNT || s->type == SETTING_SIZE || s->type == SETTING_DURATION
         || s->type == SETTING_SIZE_OR_NONE || s->type == SETTING_COUNT_OR_NONE
         || s->type == SETTING_DURATION_OR_NONE;
}

/* The default it publishes, read as a setting, is the one the code has. */
static bool
same_default (struct compared *c, const struct setting *s, const struct json_node *property,
              const void *defaults)
{
  const struct json_node *node = said (c, property, "default");
  const struct setting only[] = { { s->name, s->type, 0, 0, 0, NULL, NULL }, { .name = NULL } };
  struct json_object *object = json_object_new_object (), *value = NULL;
  int64_t number = 0;
  struct error err = { 0 };

  if (!is_number (s) || node == NULL) {
    json_object_put (object);
    return true;
  }
  CU_ASSERT_TRUE (json_c_from_tape (&c->tape, node, &value, &err));
  json_object_object_add (object, s->name, value);
  CU_ASSERT_TRUE (settings_fill (&number, only, object, &err));
  json_object_put (object);
  return number == *(const int64_t *) ((const char *) defaults + s->offset)
         || differ (c, s->name, "default");
}

static bool tables_agree (struct compared *c, const struct setting *table,
                          const struct json_node *schema, const void *defaults);

static bool
key_agrees (struct compared *c, const struct setting *s, const struct json_node *properties,
            const void *defaults)
{
  const struct json_node *property = json_member (&c->tape, properties, s->name);

  if (property == NULL)
    return differ (c, s->name, "the schema does not know it");
  if (s->type == SETTING_GROUP)
    return tables_agree (c, s->group, property, defaults);
  if (s->type == SETTING_TOOLS)
    return tables_agree (c, s->group, said (c, property, "additionalProperties"), NULL);
  if (is_number (s)
      && (!same_bound (c, s, property, "minimum", s->min, true)
          || !same_bound (c, s, property, "maximum", s->max, s->max != 0)))
    return false;
  return defaults == NULL || same_default (c, s, property, defaults);
}

static bool
is_in (const struct setting *table, const char *name)
{
  for (; table->name != NULL; table++)
    if (strcmp (table->name, name) == 0)
      return true;
  return false;
}

/* Do both know the same keys, with the same bounds and defaults? */
static bool
tables_agree (struct compared *c, const struct setting *table, const struct json_node *schema,
              const void *defaults)
{
  const struct json_node *properties = json_member (&c->tape, schema, "properties");
  bool agree = properties != NULL
               && json_is (json_member (&c->tape, schema, "additionalProperties"), JSON_FALSE);

  if (!agree)
    return differ (c, "additionalProperties", "expected false");
  for (const struct setting *s = table; s->name != NULL; s++)
    agree = key_agrees (c, s, properties, defaults) && agree;
  for (const struct json_node *n = json_first (properties); n != json_end (properties);
       n = json_next (json_next (n))) {
    const char *name = json_cstring (&c->tape, n, &c->arena);
    if (!is_in (table, name))
      agree = differ (c, name, "the code does not know it");
  }
  return agree;
}

static void
compare (const char *file, const char *text, const struct setting *table, const void *defaults)
{
  struct compared c = { .file = file };

  CU_ASSERT_TRUE_FATAL (json_read (&c.tape, text, strlen (text), &json_default_limits, &c.arena));
  CU_ASSERT_TRUE (tables_agree (&c, table, json_root (&c.tape), defaults));
  arena_free (&c.arena);
}

static void
schemas_and_code_agree (void)
{
  struct config config;
  struct policy policy;

  config_init (&config);
  policy_init (&policy);
  compare ("config.schema.json", config_schema_json, config_settings, &config);
  compare ("policy.schema.json", policy_schema_json, policy_settings, &policy);
  config_free (&config);
  policy_free (&policy);
}

static void
guarantees_agree (void)
{
  static const char *const texts[] = { config_schema_json, policy_schema_json };
  static const char where[] = "/$defs/guarantees/items/enum";

  for (size_t i = 0; i < 2; i++) {
    struct compared c = { .file = "guarantees" };
    const struct json_node *names;
    CU_ASSERT_TRUE_FATAL (
      json_read (&c.tape, texts[i], strlen (texts[i]), &json_default_limits, &c.arena));
    names = json_pointer (&c.tape, json_root (&c.tape), where, sizeof where - 1);
    CU_ASSERT_TRUE_FATAL (json_is (names, JSON_ARRAY));
    const struct json_node *n = json_first (names);
    for (const char *const *name = guarantee_names; *name != NULL; name++, n = json_next (n)) {
      CU_ASSERT_PTR_NOT_EQUAL_FATAL (n, json_end (names));
      CU_ASSERT_TRUE (json_equals (&c.tape, n, *name));
    }
    CU_ASSERT_PTR_EQUAL (n, json_end (names));
    arena_free (&c.arena);
  }
}

static bool
policy_of (const char *text, struct policy *policy, struct error *err)
{
  CLEANUP_FD int fd = file_with (text);

  struct profiles *profiles = profiles_read (-1, err);
  bool read;

  CU_ASSERT_PTR_NOT_NULL_FATAL (profiles);
  policy_init (policy);
  read = policy_read (policy, profiles, fd, err);
  profiles_free (profiles);
  return read;
}

static void
a_policy (void)
{
  struct policy policy, copy;
  struct error err = { 0 };

  CU_ASSERT_TRUE_FATAL (
    policy_of ("{\"permissions\":{\"read\":[\"/usr/share/zoneinfo\"],\"http\":[]},"
               "\"limits\":{\"memory\":\"64M\",\"max_time\":\"5s\",\"threads\":2},"
               "\"config\":{\"units\":\"metric\"},\"isolate\":\"plugin\","
               "\"tools\":{\"a\":{\"repair\":\"lenient\"},\"b\":{}}}",
               &policy, &err));
  CU_ASSERT_STRING_EQUAL (policy.read[0], "/usr/share/zoneinfo");
  CU_ASSERT_EQUAL (policy.memory, 64 << 20);
  CU_ASSERT_EQUAL (policy.max_time_ms, 5000);
  CU_ASSERT_STRING_EQUAL (policy.config, "{\"units\":\"metric\"}");
  CU_ASSERT_EQUAL (policy_tools_find (&policy.tools, "a")->repair, REPAIR_LENIENT);
  CU_ASSERT_EQUAL (policy_tools_find (&policy.tools, "b")->repair, -1);
  CU_ASSERT_PTR_NULL (policy_tools_find (&policy.tools, "c"));
  policy_copy (&copy, &policy);
  CU_ASSERT_TRUE (policy_same (&policy, &copy));
  copy.tools.list[0].repair = REPAIR_OFF;
  CU_ASSERT_FALSE (policy_same (&policy, &copy));
  copy.tools.list[0].repair = REPAIR_LENIENT;
  copy.read[0][1] = 'U';
  CU_ASSERT_FALSE (policy_same (&policy, &copy));
  policy_free (&policy);
  policy_free (&copy);
}

/* A key that is accepted is enforced; what is not enforced yet is refused. */
static void
faults_of_a_policy (void)
{
  static const struct {
    const char *text, *sentence, *word;
  } rows[] = {
    { "{\"permissions\":{\"http\":[\"https://example.com\"]}}",
      "/permissions/http/0: expected a URL like", "got string \"https://example.com\"" },
    { "{\"permissions\":{\"http\":[{\"url\":\"https://a/*\",\"metods\":[]}]}}",
      "/permissions/http/0/metods: unknown property", "did you mean \"methods\"?" },
    { "{\"permissions\":{\"http\":[{\"url\":\"https://a/*\",\"methods\":[\"get\"]}]}}",
      "/permissions/http/0/methods/0: expected one of", "did you mean \"GET\"?" },
    { "{\"permissions\":{\"http\":[{\"url\":\"http://*/*\",\"private\":true}]}}",
      "/permissions/http/0/private: name the host", "one by one" },
    { "{\"permissions\":{\"http\":[{\"url\":\"https://a/*\",\"headers\":{\"Host\":\"b\"}}]}}",
      "/permissions/http/0/headers/Host: ", "no header that may be added" },
    { "{\"permissions\":{\"http\":[{\"url\":\"https://a/*\",\"headers\":{\"X\":\"${k}\"}}]}}",
      "/permissions/http/0/headers/X: ", "there is no secret \"k\"" },
    { "{\"permissions\":{\"http\":[{\"methods\":[\"GET\"]}]}}", "/permissions/http/0/url: required",
      "is missing" },
    { "{\"permissions\":{\"http\":[\"https://a/v/*\"]},\"tools\":{\"t\":{\"http\":[\"https://a/"
      "*\"]}}}",
      "/tools/t/http: ", "not within what the plugin is granted" },
    { "{\"secrets\":{\"a b\":\"/x\"}}", "/secrets/a b: ", "expected text that matches" },
    { "{\"secrets\":{\"k\":\"x\"}}", "/secrets/k: ", "expected text that matches" },
    { "{\"secrets\":{\"k\":\"/nowhere/at/all\"}}", "/secrets/k: ", "can't be read" },
    { "{\"permissions\":{\"secrets\":[\"k\"]}}",
      "/permissions/secrets/0: ", "one of /secrets, got" },
    { "{\"permissions\":{\"secrets\":[1]}}", "/permissions/secrets/0: ", "expected string" },
    { "{\"permissions\":{\"invoke\":[\"a b\"]}}", "/permissions/invoke/0: ", "or a pattern like" },
    { "{\"permissions\":{\"invoke\":[\"\"]}}", "/permissions/invoke/0: ", "or a pattern like" },
    { "{\"permissions\":{\"invoke\":{}}}", "/permissions/invoke: ", "expected array" },
    { "{\"limits\":{\"http_open\":0}}", "/limits/http_open: expected integer 1..10000", "got 0" },
    { "{\"limits\":{\"http_request\":\"65M\"}}", "/limits/http_request: expected at most", "got" },
    { "{\"limits\":{\"http_response\":\"x\"}}", "/limits/http_response: expected a size", "" },
    { "{\"permissions\":{\"exec\":[\"jq\"]}}", "/permissions/exec/0: ", "absolute path" },
    { "{\"permissions\":{\"reed\":[]}}", "/permissions/reed: unknown", "did you mean \"read\"?" },
    { "{\"limits\":{\"cpu_per_call\":1}}", "/limits/cpu_per_call: expected", "10" },
    { "{\"limits\":{\"memory\":\"64M\",\"address_space\":\"32M\"}}",
      "/limits/address_space: expected at least /limits/memory, 67108864", "33554432" },
    { "{\"limits\":{\"max_time\":\"1s\"},\"tools\":{\"a\":{\"max_time\":\"2s\"}}}",
      "/tools/a/max_time: expected at most the plugin's 1000 ms (/limits/max_time), got 2000 ms",
      "narrower" },
    { "{\"tools\":{\"a\":{\"result\":\"1G\"}}}", "/tools/a/result: expected at most the plugin's",
      "33554432 bytes (/limits/result), got 1073741824 bytes" },
    { "{\"profile\":\"loose\"}", "/profile: expected one of \"strict\", \"nonetwork\", \"trusted\"",
      "\"loose\"" },
    { "{\"profile\":\"nonetwork\",\"sandbox\":{\"require\":[\"kill-tree\"]}}",
      "/sandbox: \"no-network\" can't be left out", "\"nonetwork\" always has it" },
    { "{\"profile\":\"nonetwork\",\"sandbox\":{\"always\":[]}}",
      "/sandbox: \"no-network\" can't be left out", "always" },
    { "{\"limits\":{\"memory\":\"1K\"}}", "/limits/memory: expected at least", "16777216" },
    { "{\"limits\":{\"memory\":1024}}", "/limits/memory: expected", "16777216" },
    { "{\"isolate\":\"caller\"}", "/isolate: expected one of \"plugin\", \"tenant\"", "caller" },
    { "{\"enabled\":\"yes\"}", "/enabled: expected boolean", "\"yes\"" },
    { "{\"config\":[]}", "/config: expected object", "array" },
    { "{\"tools\":{\"a\":{\"repare\":\"off\"}}}", "/tools/a/repare: unknown", "\"repair\"" },
    { "{\"tools\":{\"a\":{\"repair\":\"on\"}}}", "/tools/a/repair: expected one of", "\"on\"" },
    { "{\"tools\":{\"a b\":{}}}", "/tools", "a b" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct policy policy;
    struct error err = { 0 };
    CU_ASSERT_FALSE (policy_of (rows[i].text, &policy, &err));
    CU_ASSERT_TRUE (told (err.text, rows[i].sentence, rows[i].word));
    policy_free (&policy);
  }
}

/* ---- the folder of policies, and the cache: in a folder of their own ---- */

struct folder {
  char path[64];
  int fd;
};

static void
folder_open (struct folder *f)
{
  strcpy (f->path, "/tmp/toolhost-unit.XXXXXX");
  CU_ASSERT_PTR_NOT_NULL_FATAL (mkdtemp (f->path));
  f->fd = open (f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void
folder_put (const struct folder *f, const char *name, const char *text)
{
  CLEANUP_FD int fd = openat (f->fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  CU_ASSERT_EQUAL_FATAL (write (fd, text, strlen (text)), (ssize_t) strlen (text));
}

static void
folder_close (struct folder *f, const char *const *names)
{
  for (; *names != NULL; names++)
    (void) (unlinkat (f->fd, *names, 0) < 0 && unlinkat (f->fd, *names, AT_REMOVEDIR));
  (void) close (f->fd);
  CU_ASSERT_EQUAL (rmdir (f->path), 0);
}

static void
policies_of_a_folder (void)
{
  struct folder f;
  struct error err = { 0 };
  struct policies *policies;
  struct policy policy;

  folder_open (&f);
  CU_ASSERT_EQUAL (mkdirat (f.fd, "plugins.d", 0755), 0);
  folder_put (&f, "plugins.d/a.json",
              "{\"limits\":{\"files\":32},\"sandbox\":{\"require\":[\"kill-tree\"]}}");
  policies = policies_read (f.fd, &err);
  CU_ASSERT_PTR_NOT_NULL_FATAL (policies);
  policy_init (&policy);
  policies_get (policies, "a", GUARANTEES_ALL, &policy);
  CU_ASSERT_EQUAL (policy.files, 32);
  CU_ASSERT_EQUAL (policy.require, GUARANTEE_KILL_TREE);
  policy_free (&policy);
  policy_init (&policy);
  policies_get (policies, "b", GUARANTEES_ALL, &policy);
  CU_ASSERT_EQUAL (policy.files, 64);
  CU_ASSERT_EQUAL (policy.require, GUARANTEES_ALL);
  policy_free (&policy);
  policies_free (policies);
  folder_put (&f, "plugins.d/b.json", "{\"limits\":{\"memory\":\"lots\"}}");
  CU_ASSERT_PTR_NULL (policies_read (f.fd, &err));
  CU_ASSERT_TRUE (told (err.text, "plugins.d/b.json: /limits/memory: expected", "\"lots\""));
  folder_close (&f,
                (const char *const[]){ "plugins.d/a.json", "plugins.d/b.json", "plugins.d", NULL });
}

/* What is rendered says what is in force. */
static bool
renders (const struct policy *policy, const char *words)
{
  CLEANUP_BUF struct buf text = { 0 };
  struct json_writer w = { .out = &text };

  policy_render (policy, &w);
  return told (buf_cstr (&text), "{\"profile\":", words);
}

static void
the_defaults_are_strict (void)
{
  struct error err = { 0 };
  struct profiles *profiles = profiles_read (-1, &err);
  struct policy defaults, strict;

  CU_ASSERT_PTR_NOT_NULL_FATAL (profiles);
  policy_init (&defaults);
  policy_init (&strict);
  CU_ASSERT_TRUE (profiles_get (profiles, "strict", &strict, &err));
  CU_ASSERT_TRUE (policy_same (&defaults, &strict));
  policy_free (&defaults);
  policy_free (&strict);
  profiles_free (profiles);
}

static void
profiles_of_our_own_fit_the_schema (void)
{
  const char *const texts[] = { strict_json, nonetwork_json, trusted_json };

  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    struct error err = { 0 };
    struct json_object *object = document_of_text (texts[i], policy_schema_json, &err);
    CU_ASSERT_STRING_EQUAL (err.text, "");
    CU_ASSERT_PTR_NOT_NULL (object);
    json_object_put (object);
  }
}

static void
a_policy_builds_on_a_profile (void)
{
  struct policy policy;
  struct error err = { 0 };

  CU_ASSERT_TRUE_FATAL (
    policy_of ("{\"profile\":\"nonetwork\",\"limits\":{\"files\":32}}", &policy, &err));
  CU_ASSERT_EQUAL (policy.files, 32);
  CU_ASSERT_EQUAL (policy.memory, 1 << 30);
  CU_ASSERT_EQUAL (policy.always, GUARANTEE_NO_NETWORK);
  CU_ASSERT_EQUAL (policy.require, GUARANTEES_ALL);
  CU_ASSERT_TRUE (renders (&policy, "\"files\":32"));
  CU_ASSERT_TRUE (renders (&policy, "\"always\":[\"no-network\"]"));
  CU_ASSERT_TRUE (renders (&policy, "\"max_time\":null"));
  policy_free (&policy);
  CU_ASSERT_TRUE_FATAL (policy_of ("{\"profile\":\"trusted\"}", &policy, &err));
  CU_ASSERT_EQUAL (policy.require, GUARANTEE_KILL_TREE);
  CU_ASSERT_TRUE (renders (&policy, "\"profile\":\"trusted\""));
  policy_free (&policy);
}

static void
profiles_of_an_operator (void)
{
  static const struct {
    const char *text, *sentence, *word;
  } faults[] = {
    { "{\"profile\":\"own\"}", "profiles.d/own.json: /profile: expected", "got \"own\"" },
    { "{\"permissions\":{\"read\":[\"/etc\"]}}", "profiles.d/own.json: /permissions: belongs into",
      "plugins.d" },
    { "{\"limits\":{\"file\":1}}", "profiles.d/own.json: /limits/file: unknown", "\"files\"" },
  };
  struct folder f;
  struct error err = { 0 };
  struct policies *policies;
  struct policy policy;

  folder_open (&f);
  CU_ASSERT_EQUAL (mkdirat (f.fd, "plugins.d", 0755), 0);
  CU_ASSERT_EQUAL (mkdirat (f.fd, "profiles.d", 0755), 0);
  folder_put (&f, "profiles.d/own.json",
              "{\"profile\":\"nonetwork\",\"limits\":{\"queue\":7,\"tmp\":\"1M\"}}");
  folder_put (&f, "plugins.d/a.json", "{\"profile\":\"own\",\"limits\":{\"tmp\":\"2M\"}}");
  policies = policies_read (f.fd, &err);
  CU_ASSERT_PTR_NOT_NULL_FATAL (policies);
  policy_init (&policy);
  policies_get (policies, "a", GUARANTEE_KILL_TREE, &policy);
  CU_ASSERT_STRING_EQUAL (policy.profile, "own");
  CU_ASSERT_EQUAL (policy.queue, 7);
  CU_ASSERT_EQUAL (policy.tmp, 2 << 20);
  CU_ASSERT_EQUAL (policy.files, 1024);
  CU_ASSERT_EQUAL (policy.require, GUARANTEE_KILL_TREE | GUARANTEE_NO_NETWORK); /* always */
  policy_free (&policy);
  policies_free (policies);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    folder_put (&f, "profiles.d/own.json", faults[i].text);
    CU_ASSERT_PTR_NULL (policies_read (f.fd, &err));
    CU_ASSERT_TRUE (told (err.text, faults[i].sentence, faults[i].word));
  }
  folder_put (&f, "profiles.d/own.json", "{}");
  folder_put (&f, "profiles.d/strict.json", "{}");
  CU_ASSERT_PTR_NULL (policies_read (f.fd, &err));
  CU_ASSERT_TRUE (told (err.text, "profiles.d/strict.json: is compiled in", "name of its own"));
  folder_close (&f, (const char *const[]){ "plugins.d/a.json", "plugins.d", "profiles.d/own.json",
                                           "profiles.d/strict.json", "profiles.d", NULL });
}

static struct describe_cache *
open_cache (int dir, const char *build, struct offload *offload)
{
  return describe_cache_new (
    &(struct describe_cache_needs){ .dir = dir, .build = build, .offload = offload });
}

static void
the_cache_remembers (void)
{
  static const struct identity_text one = { "1:2:3" }, two = { "folder:x" };
  struct folder f;
  size_t len;

  folder_open (&f);
  struct describe_cache *cache = open_cache (f.fd, "b1", NULL);
  CU_ASSERT_PTR_NULL (describe_cache_known (cache, &one));
  describe_cache_know (cache, &one, &(struct known){ .hex = "abc" });
  describe_cache_know (cache, &one, &(struct known){ .hex = HEX });
  describe_cache_know (
    cache, &two,
    &(struct known){ .hex = HEX, .suggests = "{\"limits\":{}}", .skills = "{\"skills\":[]}" });
  CU_ASSERT_PTR_NULL (describe_cache_find (cache, HEX, 7, &len));
  describe_cache_put (cache, HEX, 7, "{\"x\":\"\\n\"}", 10);
  describe_cache_free (cache); /* writes it */

  cache = open_cache (f.fd, "b1", NULL);
  CU_ASSERT_PTR_NOT_NULL (describe_cache_find (cache, HEX, 7, &len));
  CU_ASSERT_EQUAL (len, 10);
  CU_ASSERT_PTR_NULL (describe_cache_find (cache, HEX, 8, &len)); /* another policy */
  CU_ASSERT_PTR_NOT_NULL_FATAL (describe_cache_known (cache, &one));
  CU_ASSERT_STRING_EQUAL (describe_cache_known (cache, &one)->hex, HEX);
  CU_ASSERT_PTR_NULL (describe_cache_known (cache, &one)->suggests);
  CU_ASSERT_PTR_NULL (describe_cache_known (cache, &one)->skills);
  CU_ASSERT_STRING_EQUAL (describe_cache_known (cache, &two)->suggests, "{\"limits\":{}}");
  CU_ASSERT_STRING_EQUAL (describe_cache_known (cache, &two)->skills, "{\"skills\":[]}");
  describe_cache_free (cache);

  cache = open_cache (f.fd, "b2", NULL);
  CU_ASSERT_PTR_NULL (describe_cache_find (cache, HEX, 7, &len)); /* another build */
  describe_cache_free (cache);
  folder_close (&f, (const char *const[]){ "describe-cache.jsonl", NULL });
}

static bool
holds_now (int dir, const char *hex)
{
  struct describe_cache *cache = open_cache (dir, "b", NULL);
  size_t len;
  bool found = describe_cache_find (cache, hex, 0, &len) != NULL;

  describe_cache_free (cache);
  return found;
}

static void
the_cache_is_written_off_the_loop (void)
{
  struct ev_loop *loop = ev_loop_new (EVFLAG_AUTO);
  struct offload *offload = offload_new (loop, 1);
  struct folder f;

  folder_open (&f);
  struct describe_cache *cache = open_cache (f.fd, "b", offload);
  describe_cache_put (cache, "first", 0, "{}", 2);
  describe_cache_save (cache);
  describe_cache_put (cache, "second", 0, "{}", 2); /* while the first is being written */
  describe_cache_save (cache);
  ev_run (loop, 0);
  CU_ASSERT_TRUE (holds_now (f.fd, "first"));
  CU_ASSERT_TRUE (holds_now (f.fd, "second"));
  describe_cache_put (cache, "third", 0, "{}", 2);
  describe_cache_save (cache);
  offload_free (offload); /* written, or given up: */
  describe_cache_free (cache);
  CU_ASSERT_TRUE (holds_now (f.fd, "third"));
  ev_loop_destroy (loop);
  folder_close (&f, (const char *const[]){ "describe-cache.jsonl", NULL });
}

static void
a_damaged_cache_is_no_error (void)
{
  struct folder f;
  size_t len;

  folder_open (&f);
  folder_put (&f, "describe-cache.jsonl",
              "{\"build\":\"b\"}\n{\"key\":\"k/0000000000000000\",\"descr");
  struct describe_cache *cache = open_cache (f.fd, "b", NULL);
  CU_ASSERT_PTR_NULL (describe_cache_find (cache, "k", 0, &len));
  describe_cache_free (cache);
  folder_close (&f, (const char *const[]){ "describe-cache.jsonl", NULL });
}

static CU_TestInfo tests[] = {
  { "values over defaults", values_over_defaults },
  { "faults of the configuration", faults_of_the_configuration },
  { "schemas and code agree", schemas_and_code_agree },
  { "guarantees agree", guarantees_agree },
  { "a policy", a_policy },
  { "faults of a policy", faults_of_a_policy },
  { "policies of a folder", policies_of_a_folder },
  { "the defaults are strict", the_defaults_are_strict },
  { "profiles of our own fit the schema", profiles_of_our_own_fit_the_schema },
  { "a policy builds on a profile", a_policy_builds_on_a_profile },
  { "profiles of an operator", profiles_of_an_operator },
  { "the cache remembers", the_cache_remembers },
  { "the cache is written off the loop", the_cache_is_written_off_the_loop },
  { "a damaged cache is no error", a_damaged_cache_is_no_error },
  CU_TEST_INFO_NULL
};
static CU_SuiteInfo suites[] = { { "config", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
