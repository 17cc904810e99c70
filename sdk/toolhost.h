/* toolhost.h - what a tool author includes: the plugin ABI of toolhost, version 1.
 *
 * A plugin is a shared object that exports one symbol, toolhost_plugin_entry, made by the macro
 * TOOLHOST_PLUGIN.  It offers tools: a definition in JSON and up to four callbacks each.  The host
 * loads it in a sandboxed worker process; every callback of a plugin, and its constructors, run
 * after the sandbox has closed.
 *
 * This header needs C99 or later (C++20 for the macros) and only the C library.  Link nothing of
 * toolhost's: what a plugin asks of the host goes through a table of functions the host hands over.
 *
 * Threads.  The tags at the callbacks and functions:
 *   [once]    on one thread, before any call, or after the last one
 *   [tool]    on a tool thread; which ones at the same time, `threads` of the plugin says
 *   [call]    on the thread of the call's callback until that callback returns; a retained call may
 *             then be used from any one thread at a time
 *   [any]     from any thread at any time
 *
 * Memory.  Neither side frees the other's memory.  Everything passed to the host is copied before
 * the function returns.  Everything the host hands out lives until the callback returns (of a
 * retained call: until toolhost_complete).
 *
 * Text is UTF-8 and travels with its length; it may hold U+0000.  The getters that return a C
 * string fail on one.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOLHOST_H
#define TOOLHOST_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The ABI this header describes.  It changes only when an old plugin could no longer run. */
#define TOOLHOST_ABI 1

#if defined(__GNUC__)
#define TOOLHOST_EXPORT __attribute__ ((visibility ("default"), used))
#define TOOLHOST_PRINTF(fmt, args) __attribute__ ((format (printf, fmt, args)))
#define TOOLHOST_UNUSED __attribute__ ((unused))
#else
#define TOOLHOST_EXPORT
#define TOOLHOST_PRINTF(fmt, args)
#define TOOLHOST_UNUSED
#endif

/* JSON as it is, without quoting: TOOLHOST_JSON ({ "name": "echo" }).  Not for texts that hold an
 * unpaired quote or "//"; over 4,095 bytes it warns under -Wpedantic (generate a header instead).
 */
#define TOOLHOST_JSON(...) #__VA_ARGS__

/* ---- statuses --------------------------------------------------------------------------- */

/* What a callback returns, and what most functions of the host answer.  The gaps are for later
 * values; treat an unknown one as TOOLHOST_FAILED. */
typedef int32_t toolhost_status;

enum {
  TOOLHOST_OK = 0,             /* it worked */
  TOOLHOST_FAILED = 1000,      /* it failed; from a callback: see toolhost_fail */
  TOOLHOST_ASKED = 2000,       /* from execute: a person was asked, call again with the answers */
  TOOLHOST_LATER = 3000,       /* from execute: the call was retained, toolhost_complete ends it */
  TOOLHOST_NOT_GRANTED = 4000, /* the operator did not grant this, or this host does not offer it */
  TOOLHOST_NOT_FOUND = 5000,   /* no such argument, path, secret, tool; from read: no resource */
  TOOLHOST_WRONG_TYPE = 6000,  /* the value is of another type, or out of the C type's range */
  TOOLHOST_BAD_VALUE = 7000,   /* a parameter of the call to the host was not usable */
  TOOLHOST_CANCELLED = 8000,   /* the call was cancelled, or its deadline has passed */
  TOOLHOST_TOO_OLD = 9000      /* the host is older than this function */
};

/* How many calls a plugin takes at the same time.  Spaced for what comes later. */
enum {
  TOOLHOST_SERIAL = 1000,   /* one call at a time in a process, retained ones counted (default) */
  TOOLHOST_PARALLEL = 2000, /* callbacks of different calls run on several threads at once */
  TOOLHOST_EVENTED = 3000   /* one callback at a time on one thread; any number of retained calls */
};

/* Levels of toolhost_log, as syslog orders them. */
enum {
  TOOLHOST_DEBUG = 1000,
  TOOLHOST_INFO = 2000,
  TOOLHOST_NOTICE = 3000,
  TOOLHOST_WARNING = 4000,
  TOOLHOST_ERROR = 5000
};

/* From max_time: no limit of the tool's own; the operator's policy may still set one. */
#define TOOLHOST_NO_LIMIT INT64_MAX

/* ---- what a plugin offers --------------------------------------------------------------- */

typedef struct toolhost_host toolhost_host;

/* One call of a tool, or of what else a plugin offers.  Only `host` is public; it stays the first
 * member for ever. */
typedef struct toolhost_call {
  const toolhost_host *host;
} toolhost_call;

/* One opening of a plugin, or one building of tools.  Only `host` is public. */
typedef struct toolhost_build {
  const toolhost_host *host;
} toolhost_build;

/* A tool: exactly five callbacks.  `self` is what the plugin's open gave, or what the tool was
 * added with by a builder; NULL when there is neither. */
typedef struct toolhost_tool {
  uint32_t struct_size; /* set by TOOLHOST_TOOL */
  uint32_t reserved;    /* 0 */

  /* The definition, JSON text that lives as long as the tool: "name" (1 to 64 of A-Za-z0-9_-),
   * "description", "inputSchema" (an object schema); optional "title", "outputSchema",
   * "annotations", "icons", "_meta", and toolhost's own under "toolhost" (kind, background,
   * idempotent, strict, approval, activeTurns, text, permissions).  Required.  [once] */
  const char *(*definition) (void *self);

  /* What a schema can't say: report every problem with toolhost_invalid.  The call is refused if
   * any was reported or the status is not TOOLHOST_OK.  NULL: valid.  [tool] */
  toolhost_status (*validate) (void *self, toolhost_call *call);

  /* Is the tool ready, and may this caller call it?  toolhost_why says why not.  NULL: yes.
   * [tool], before validate */
  bool (*can_execute) (void *self, toolhost_call *call);

  /* The work.  TOOLHOST_OK, TOOLHOST_FAILED, TOOLHOST_ASKED, TOOLHOST_LATER; of a call that is over
   * TOOLHOST_CANCELLED will do.  What it has given when its conversation is interrupted the model
   * is told, if it returns within 250 ms.  Required.  [tool] */
  toolhost_status (*execute) (void *self, toolhost_call *call);

  /* How long a call may take, in milliseconds, all three callbacks together; more than 0 or
   * TOOLHOST_NO_LIMIT.  The operator's policy may lower it.  NULL: the host's default.  [once] */
  int64_t (*max_time) (void *self);
} toolhost_tool;

#define TOOLHOST_TOOL .struct_size = (uint32_t) sizeof (toolhost_tool)

/* A builder turns configuration into tools. */
typedef struct toolhost_builder {
  uint32_t struct_size; /* set by TOOLHOST_BUILDER */
  uint32_t reserved;    /* 0 */
  const char *feature;  /* the member of a tenant's "features" it reads, and its name in logs */

  /* Call toolhost_add_tool for each tool, or not at all, or toolhost_build_error.  `config` is JSON
   * text of `len` bytes.  [once] per configuration */
  toolhost_status (*build) (toolhost_build *build, const char *config, size_t len);

  /* The last call of a tool it added has ended and the tool is gone.  NULL: nothing to do. */
  void (*release) (void *self);
} toolhost_builder;

#define TOOLHOST_BUILDER .struct_size = (uint32_t) sizeof (toolhost_builder)

/* ---- beyond tools: resources and prompts ------------------------------------------------- */

/* What is read at a URI: a resource, or a template of resources.  Its calls are calls as those of
 * tools are: can_read and read run on a tool thread inside one deadline, may be retained, are
 * cancelled and counted. */
typedef struct toolhost_readable {
  uint32_t struct_size; /* set by TOOLHOST_READABLE */
  uint32_t reserved;    /* 0 */

  /* The definition, JSON text that lives as long as the plugin: "uri" of a resource, or
   * "uriTemplate" of a template (RFC 6570, to level 3 and with explosion); "name"; optional
   * "title", "description", "mimeType", "size" (of a resource), "annotations", "icons", "_meta".
   * Required.  [once] */
  const char *(*definition) (void *self);

  /* May this caller read it now?  toolhost_why says why not.  NULL: yes.  [tool] */
  bool (*can_read) (void *self, toolhost_call *call);

  /* Give what stands at toolhost_uri (call), with toolhost_contents, toolhost_contents_blob, or
   * toolhost_resource and toolhost_blob where parts have URIs of their own; at least one.  The
   * variables of a template are arguments: toolhost_arg_string (call, "id").  TOOLHOST_OK;
   * TOOLHOST_NOT_FOUND: there is no such resource; TOOLHOST_FAILED, TOOLHOST_ASKED,
   * TOOLHOST_LATER.  Required.  [tool] */
  toolhost_status (*read) (void *self, toolhost_call *call);

  /* Of a template: suggest values for the variable toolhost_completing (call), of which
   * toolhost_partial (call) is there, with toolhost_suggest; the arguments are the variables that
   * are known.  NULL: none.  [tool] */
  toolhost_status (*complete) (void *self, toolhost_call *call);

  /* As of a tool: milliseconds, NULL: the host's default.  [once] */
  int64_t (*max_time) (void *self);

  /* Of a template: say with toolhost_list which resources it matches are there now.  The host asks
   * when the plugin has been loaded and after TOOLHOST_RESOURCES_CHANGED, and keeps the answer.
   * NULL: none is listed, though they can be read.  [tool] */
  toolhost_status (*list) (void *self, toolhost_call *call);
} toolhost_readable;

#define TOOLHOST_READABLE .struct_size = (uint32_t) sizeof (toolhost_readable)

/* A prompt: messages that a person picks for a model. */
typedef struct toolhost_prompt {
  uint32_t struct_size; /* set by TOOLHOST_PROMPT */
  uint32_t reserved;    /* 0 */

  /* The definition, JSON text that lives as long as the plugin: "name" (1 to 64 of A-Za-z0-9_-),
   * "description"; optional "title", "arguments" ([{ "name", "title", "description", "required" }];
   * their values are strings), "icons", "_meta".  Required.  [once] */
  const char *(*definition) (void *self);

  /* May this caller have it now?  toolhost_why says why not.  NULL: yes.  [tool] */
  bool (*can_get) (void *self, toolhost_call *call);

  /* Give the messages: every part (toolhost_text, toolhost_image, …) is a message of its own, of
   * the role that toolhost_role set last; the user's at first.  TOOLHOST_OK, TOOLHOST_FAILED,
   * TOOLHOST_ASKED, TOOLHOST_LATER.  Required.  [tool] */
  toolhost_status (*get) (void *self, toolhost_call *call);

  /* Suggest values for the argument toolhost_completing (call), as of a template.  [tool] */
  toolhost_status (*complete) (void *self, toolhost_call *call);

  /* As of a tool: milliseconds, NULL: the host's default.  [once] */
  int64_t (*max_time) (void *self);
} toolhost_prompt;

#define TOOLHOST_PROMPT .struct_size = (uint32_t) sizeof (toolhost_prompt)

/* ---- beyond tools: guards ---------------------------------------------------------------- */

/* What checks the calls of tools, where the operator's "guards" name it as "plugin:PLUGIN/GUARD":
 * before a tool is run, what it has given, and in the place of what a failed call would say.  A
 * check is a call as those of tools are, with a short deadline of its own (250 ms unless the
 * operator says otherwise), in the sandbox of the guard's plugin.  A guard that does not answer in
 * time, crashes, or answers what can't be used, refuses: the call is rejected.
 *
 * What is checked is in the arguments, so that toolhost_arg_string (call, "/arguments/to") and its
 * like reach it:
 *   "stage"      "input", "output" or "error": toolhost_guard_stage
 *   "tool"       the name of the tool: toolhost_guard_tool
 *   "arguments"  an object, as earlier guards have left it
 *   "result"     at "output": "content", an array of MCP's content blocks, and, if there is one,
 *                "structured"; as earlier guards have left them
 *   "error"      at "error": "code" and "message"
 *   "config"     an object: the guard's "config" in the operator's file
 * Who calls, toolhost_tenant and its like say as they do to the tool. */
typedef struct toolhost_guard {
  uint32_t struct_size; /* set by TOOLHOST_GUARD */
  uint32_t reserved;    /* 0 */

  /* The definition, JSON text that lives as long as the plugin: "name" (1 to 64 of A-Za-z0-9_-),
   * "description"; optional "title", "stages" (what `check` is for: "input", "output"; without it
   * both), "configSchema" (a schema that "config" has to fit), "_meta".  Required.  [once] */
  const char *(*definition) (void *self);

  /* The verdict, at "input" and "output".
   *   return TOOLHOST_OK                    nothing is wrong: it goes on as it is …
   *   … after toolhost_guard_arguments      with other arguments (input)
   *   … after toolhost_text, _json, …       with what was given here in the place of all of the
   *                                         result (output)
   *   return toolhost_guard_reject (…)      no: the model is told this text instead
   *   return toolhost_fail (…)              the check itself failed: the call fails, and goes to
   *                                         the operator's "on_error"
   * TOOLHOST_LATER as of a tool; TOOLHOST_ASKED is no verdict.  NULL: it checks nothing.  [tool] */
  toolhost_status (*check) (void *self, toolhost_call *call);

  /* At "error": what the caller gets in the place of the error, given as a tool gives its result;
   * TOOLHOST_OK, or TOOLHOST_FAILED, and it is as if there were no such function.  NULL: there is
   * none.  [tool] */
  toolhost_status (*on_error) (void *self, toolhost_call *call);
} toolhost_guard;

#define TOOLHOST_GUARD .struct_size = (uint32_t) sizeof (toolhost_guard)

/* The code of toolhost_guard_reject. */
#define TOOLHOST_REJECTED "guardrail_rejected"

/* What toolhost_guard_stage answers. */
enum { TOOLHOST_STAGE_INPUT = 1000, TOOLHOST_STAGE_OUTPUT = 2000, TOOLHOST_STAGE_ERROR = 3000 };

/* What `extension` of a plugin answers for these ids; TOOLHOST_EXTENSIONS makes all of it. */
#define TOOLHOST_RESOURCES_ID "toolhost.resources/1"
#define TOOLHOST_PROMPTS_ID "toolhost.prompts/1"
#define TOOLHOST_GUARDS_ID "toolhost.guard/1"

typedef struct toolhost_resources {
  uint32_t struct_size;
  uint32_t reserved;                         /* 0 */
  const toolhost_readable *const *readables; /* NULL-terminated */
} toolhost_resources;

typedef struct toolhost_prompts {
  uint32_t struct_size;
  uint32_t reserved;                     /* 0 */
  const toolhost_prompt *const *prompts; /* NULL-terminated */
} toolhost_prompts;

typedef struct toolhost_guards {
  uint32_t struct_size;
  uint32_t reserved;                   /* 0 */
  const toolhost_guard *const *guards; /* NULL-terminated */
} toolhost_guards;

/* For TOOLHOST_EXTENSIONS.  What came later may be left out of it without a warning in C++, too. */
typedef struct toolhost_beyond {
  const toolhost_resources *resources;
  const toolhost_prompts *prompts;
#ifdef __cplusplus
  const toolhost_guards *guards = nullptr;
#else
  const toolhost_guards *guards;
#endif
} toolhost_beyond;

/* What toolhost_changed says has changed. */
enum {
  TOOLHOST_TOOLS_CHANGED = 1000,     /* what the tools are or do: clients are to list them again */
  TOOLHOST_RESOURCES_CHANGED = 2000, /* which resources there are */
  TOOLHOST_RESOURCE_UPDATED = 3000,  /* what stands at one URI */
  TOOLHOST_PROMPTS_CHANGED = 4000    /* which prompts there are */
};

/* What toolhost_extension answers for this id where the operator lets the tool act on the telephone
 * call that its session is; else NULL. */
#define TOOLHOST_CALL_SERVICE_ID "toolhost.call_service/1"

typedef struct toolhost_call_service {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */

  /* Transfer the call to a SIP URI or a number in E.164.  Asked again with the same key, it is done
   * once.  Not TOOLHOST_OK: *why has a sentence for the log, good until the callback returns.
   * TOOLHOST_NOT_GRANTED: this session is no telephone call, or the operator has not granted it to
   * this tool.  [call] */
  toolhost_status (*refer) (toolhost_call *call, const char *target_uri,
                            const char *idempotency_key, const char **why);
  /* What follows came later: TOOLHOST_CALL_SERVICE_REACHES.  Each works as refer does; a key may be
   * NULL.  End the call; `reason` is for the log.  [call] */
  toolhost_status (*hangup) (toolhost_call *call, const char *reason, const char *idempotency_key,
                             const char **why);
  /* Send tones: 0 to 9, A to D, * and #.  [call] */
  toolhost_status (*dtmf) (toolhost_call *call, const char *digits, const char *idempotency_key,
                           const char **why);
  /* Have the caller hear this text.  [call] */
  toolhost_status (*say) (toolhost_call *call, const char *text, const char *idempotency_key,
                          const char **why);
  /* The telephone's id of the call; NULL: this call is in no session that is a telephone call.
   * [call] */
  const char *(*call_id) (toolhost_call *call);
} toolhost_call_service;

/* Does a call service reach this member? */
#define TOOLHOST_CALL_SERVICE_REACHES(service, member)                                             \
  ((service)->struct_size >= offsetof (toolhost_call_service, member) + sizeof ((service)->member) \
   && (service)->member != NULL)

typedef struct toolhost_plugin {
  uint32_t struct_size; /* set by TOOLHOST_PLUGIN */
  uint32_t abi;         /* set by TOOLHOST_PLUGIN */
  const char *min_host; /* oldest host it can live with, "1.2"; NULL: any */
  const char *name;     /* 1 to 64 of a-z0-9_-; what policy files and logs call it.  Required */
  const char *version;  /* Required */
  const char *description;
  int32_t threads;  /* TOOLHOST_SERIAL, TOOLHOST_PARALLEL or TOOLHOST_EVENTED; 0: serial */
  int32_t reserved; /* 0 */

  const toolhost_tool *const *tools;       /* NULL-terminated; NULL: none */
  const toolhost_builder *const *builders; /* NULL-terminated; NULL: none */

  /* Once in each process, before any call and before the definitions are read.  `config` is the
   * "config" of the operator's policy as JSON text of `len` bytes ("{}" without one).  May store
   * the `self` of the static tools in *self.  Not TOOLHOST_OK: the plugin is not loaded, with the
   * sentence of toolhost_build_error.  NULL: nothing to do.  [once] */
  toolhost_status (*open) (toolhost_build *build, const char *config, size_t len, void **self);

  /* Once, after the last call has ended; a process that is killed does not get it.  [once] */
  void (*close) (void *self);

  /* What the plugin offers beyond tools, by string id ("toolhost.resources/1"); each a struct that
   * begins with its own struct_size; NULL for an unknown id.  See TOOLHOST_EXTENSIONS.  [any] */
  const void *(*extension) (const char *id);
} toolhost_plugin;

/* The one exported symbol.  `host` lives as long as the process.  [once] */
typedef const toolhost_plugin *(*toolhost_plugin_entry_fn) (const toolhost_host *host);
TOOLHOST_EXPORT const toolhost_plugin *toolhost_plugin_entry (const toolhost_host *host);

/* ---- what a plugin can ask of the host: the table --------------------------------------- */

/* A JSON value of the arguments. */
enum {
  TOOLHOST_NULL = 1000,
  TOOLHOST_BOOL = 2000,
  TOOLHOST_INT = 3000,    /* a number without fraction that fits int64_t (1.0 and 1e3 count) */
  TOOLHOST_DOUBLE = 4000, /* any other number */
  TOOLHOST_STRING = 5000,
  TOOLHOST_ARRAY = 6000,
  TOOLHOST_OBJECT = 7000
};

typedef struct toolhost_value {
  uint32_t struct_size;
  int32_t type;       /* TOOLHOST_NULL … TOOLHOST_OBJECT */
  int64_t integer;    /* TOOLHOST_INT; TOOLHOST_BOOL: 0 or 1 */
  double number;      /* TOOLHOST_INT and TOOLHOST_DOUBLE */
  const char *string; /* TOOLHOST_STRING: unescaped, `string_len` bytes, followed by a NUL */
  size_t string_len;
  const char *json; /* the value as it stood in the arguments, `json_len` bytes, no NUL */
  size_t json_len;
} toolhost_value;

/* Which text toolhost_info answers. */
enum {
  TOOLHOST_CALL_ID = 1000,
  TOOLHOST_SESSION_ID = 2000,
  TOOLHOST_THREAD_ID = 3000,
  TOOLHOST_RUN_ID = 4000,
  TOOLHOST_TENANT = 5000,
  TOOLHOST_METADATA = 6000,   /* JSON object */
  TOOLHOST_URI = 7000,        /* of a read: what is read */
  TOOLHOST_COMPLETING = 8000, /* of a completion: the name of the variable or argument */
  TOOLHOST_PARTIAL = 9000     /* of a completion: what of its value is there */
};

/* Whose words the messages of a prompt are. */
enum { TOOLHOST_USER = 1000, TOOLHOST_ASSISTANT = 2000 };

/* Kinds of result part. */
enum {
  TOOLHOST_PART_TEXT = 1000,
  TOOLHOST_PART_JSON = 2000,     /* the structured result; one per call, the last one counts */
  TOOLHOST_PART_IMAGE = 3000,    /* data: the bytes, not base64 */
  TOOLHOST_PART_AUDIO = 4000,    /* data: the bytes, not base64 */
  TOOLHOST_PART_RESOURCE = 5000, /* data: text that stands at uri */
  TOOLHOST_PART_LINK = 6000,     /* no data: uri, name, and what else is known */
  TOOLHOST_PART_BLOB = 7000      /* data: bytes that stand at uri */
};

typedef struct toolhost_part {
  uint32_t struct_size;
  int32_t kind;
  const void *data;
  size_t len;
  const char *mime_type;   /* "image/png"; NULL where the kind needs none */
  const char *uri;         /* resource, link, blob */
  const char *name;        /* link */
  const char *title;       /* link; may be NULL */
  const char *description; /* link; may be NULL */
  const char *annotations; /* JSON object of MCP annotations; NULL: none */
  const char *meta;        /* JSON object, "_meta" of MCP; NULL: none */
} toolhost_part;

/* The table.  It grows at the end only; `struct_size` says how far this host's reaches.  Use the
 * wrappers below: they are easier to read, and they check what must be checked. */
struct toolhost_host {
  uint32_t struct_size;
  uint32_t abi;
  const char *version; /* of the host, "0.1.0" */

  /* What this host offers beyond the table, by string id; NULL: absent. */
  const void *(*extension) (const toolhost_host *host, const char *id);
  /* A line in the host's log that belongs to no call. */
  void (*host_log) (const toolhost_host *host, int32_t level, const char *text, size_t len);
  toolhost_status (*rebuild) (const toolhost_host *host, const char *feature);

  /* while opening or building */
  toolhost_status (*add_tool) (toolhost_build *build, const toolhost_tool *tool, void *self);
  void (*build_error) (toolhost_build *build, const char *pointer, const char *text, size_t len);
  toolhost_status (*build_secret) (toolhost_build *build, const char *name, const char **value,
                                   size_t *len);

  /* arguments and who */
  const char *(*args) (toolhost_call *call, size_t *len);
  toolhost_status (*arg) (toolhost_call *call, const char *where, toolhost_value *value);
  const char *(*info) (toolhost_call *call, int32_t what, size_t *len);

  /* result */
  toolhost_status (*part) (toolhost_call *call, const toolhost_part *part);
  void (*fail) (toolhost_call *call, const char *code, const char *text, size_t len);
  void (*invalid) (toolhost_call *call, const char *pointer, const char *text, size_t len);
  void (*why) (toolhost_call *call, const char *text, size_t len);

  /* while running */
  toolhost_status (*retain) (toolhost_call *call);
  toolhost_status (*complete) (toolhost_call *call, toolhost_status status);
  void (*progress) (toolhost_call *call, double done, double total, const char *text, size_t len);
  void (*log) (toolhost_call *call, int32_t level, const char *text, size_t len);
  bool (*cancelled) (toolhost_call *call);
  int64_t (*time_left) (toolhost_call *call);
  toolhost_status (*sleep) (toolhost_call *call, int64_t ms);

  /* to the user, not the model */
  toolhost_status (*emit) (toolhost_call *call, const char *event_json, size_t len);
  toolhost_status (*handoff) (toolhost_call *call, const char *target_json, size_t len);

  /* state of the session */
  toolhost_status (*context_get) (toolhost_call *call, const char *path, const char **json,
                                  size_t *len);
  toolhost_status (*context_set) (toolhost_call *call, const char *path, const char *json,
                                  size_t len);
  toolhost_status (*context_append) (toolhost_call *call, const char *path, const char *json,
                                     size_t len);
  toolhost_status (*flag_set) (toolhost_call *call, const char *name);
  toolhost_status (*flag_clear) (toolhost_call *call, const char *name);
  toolhost_status (*flag_get) (toolhost_call *call, const char *name, bool *set);

  /* services and people */
  toolhost_status (*secret) (toolhost_call *call, const char *name, const char **value,
                             size_t *len);
  toolhost_status (*invoke) (toolhost_call *call, const char *tool, const char *args_json,
                             size_t len, const char **result_json, size_t *result_len);
  int32_t (*ask) (toolhost_call *call, const char *key, const char *kind, const char *params_json,
                  size_t len, const char **answer_json, size_t *answer_len);

  /* prompts, completions, changes */
  toolhost_status (*role) (toolhost_call *call, int32_t role);
  toolhost_status (*suggest) (toolhost_call *call, const char *value, size_t len);
  toolhost_status (*changed) (const toolhost_host *host, int32_t what, const char *uri);
  /* asking with a form, answers, what is kept between the rounds */
  int32_t (*ask_form) (toolhost_call *call, const char *key, const char *message,
                       size_t message_len, const char *schema_json, size_t schema_len);
  toolhost_status (*answer) (toolhost_call *call, const char *key, const char *where,
                             toolhost_value *value);
  toolhost_status (*keep) (toolhost_call *call, const void *data, size_t len);
  const void *(*kept) (toolhost_call *call, size_t *len);
  /* resources that come and go */
  toolhost_status (*list) (toolhost_call *call, const char *definition_json, size_t len);
  /* events in the log; `call` NULL: it belongs to none */
  toolhost_status (*event) (const toolhost_host *host, toolhost_call *call, int32_t level,
                            const char *name, const char *members, size_t len);
  /* several writes into the session's context, at once */
  toolhost_status (*context_change) (toolhost_call *call, const char *change_json, size_t len);
  /* a builder's own call */
  toolhost_call *(*build_call) (toolhost_build *build);
};

/* Does the host's table reach this member?  Wrappers of what came after the first release ask. */
#define TOOLHOST_REACHES(host_, member)                                                            \
  ((host_)->struct_size >= offsetof (toolhost_host, member) + sizeof ((host_)->member))

/* The bounds of what a call says to the user. */
enum {
  TOOLHOST_EMIT_MAX = 32768,  /* bytes of an event */
  TOOLHOST_EMITS_MAX = 524288 /* bytes of all events of a call */
};

/* What toolhost_ask answers. */
enum {
  TOOLHOST_ANSWERED = 1000,
  TOOLHOST_OPEN = 2000,      /* return TOOLHOST_ASKED; the callbacks run again with the answer */
  TOOLHOST_DECLINED = 3000,  /* the person said no */
  TOOLHOST_DISMISSED = 4000, /* the person closed it without an answer */
  TOOLHOST_EXPIRED = 5000,   /* nobody answered in time */
  TOOLHOST_UNASKABLE = 6000  /* nobody is there who could be asked this */
};

/* The bounds of what a call asks. */
enum {
  TOOLHOST_ASKS_MAX = 16,         /* questions that are open at the same time */
  TOOLHOST_ASK_KEY_MAX = 64,      /* bytes of a key, of A-Za-z0-9_.- */
  TOOLHOST_ASK_BYTES_MAX = 49152, /* of all questions of a round together, as JSON */
  TOOLHOST_KEEP_MAX = 8192        /* bytes that toolhost_keep takes */
};

/* ---- HTTP, which the host does for tools: they have no network ---------------------------- */

/* What `extension` of the host answers for this id; toolhost_http uses it. */
#define TOOLHOST_HTTP_ID "toolhost.http/1"

typedef struct toolhost_http_request {
  uint32_t struct_size; /* set by TOOLHOST_HTTP_REQUEST */
  uint32_t redirects;   /* to be followed at most, each granted as the first URL has to be; 0: five;
                         * TOOLHOST_HTTP_NO_REDIRECTS: none */
  const char *method;   /* "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"; NULL: GET,
                         * with a body POST */
  const char *url;      /* http:// or https://, percent-encoded.  Required */
  const char *const *headers; /* name, value, name, value, …, NULL; NULL: none */
  const char *json;           /* a body as JSON text, sent as application/json; NULL: see body */
  const void *body;           /* a body of any kind, with a Content-Type among the headers */
  size_t body_len;
  const char *idempotency_key; /* sent as Idempotency-Key: it may go out more than once */
  int64_t timeout_ms;          /* 0: as long as the call has */
  size_t response_max;         /* bytes of the answer's body; 0: what the operator allows */
  /* The answer's body, piece by piece as it comes; what is returned other than TOOLHOST_OK ends the
   * request and is what toolhost_http returns.  NULL: it is collected into the answer. */
  toolhost_status (*on_body) (void *ctx, const void *data, size_t len);
  void *ctx;
} toolhost_http_request;

#define TOOLHOST_HTTP_REQUEST .struct_size = (uint32_t) sizeof (toolhost_http_request)
#define TOOLHOST_HTTP_NO_REDIRECTS UINT32_MAX

typedef struct toolhost_http_response {
  uint32_t struct_size;       /* set by toolhost_http */
  int32_t status;             /* 200 …; 0: there was no answer */
  const char *const *headers; /* name in lower case, value, …, NULL */
  const void *body;           /* what on_body did not get; a NUL follows it */
  size_t body_len;
  const char *url;  /* where it came from, after redirects */
  const char *code; /* of a failure: "http_not_granted", "ssrf_blocked", "http_timeout" …; "" */
  const char *message; /* of a failure, a sentence for people; "" */
} toolhost_http_response;

typedef struct toolhost_http_service {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */
  toolhost_status (*request) (toolhost_call *call, const toolhost_http_request *request,
                              toolhost_http_response *response);
} toolhost_http_service;

/* ---- extension: processes ---------------------------------------------------------------- */

/* Programs that the operator has granted by name run beside the plugin's worker, each in a sandbox
 * of its own: see toolhost_process_start. */
#define TOOLHOST_PROCESS_ID "toolhost.process/1"

typedef struct toolhost_process {
  uint32_t struct_size; /* set by toolhost_process_start */
  uint32_t id;          /* 0: there is none */
  int32_t in;           /* write end of its standard input; a full pipe blocks, O_NONBLOCK helps */
  int32_t out;          /* read end of its standard output */
  char code[32];        /* of a start that failed: "program_not_granted", "program_limit",
                           "program_failed"; "" */
  char message[480];    /* likewise, a sentence for people; "" */
} toolhost_process;

enum { TOOLHOST_PROCESS_EXITED = 1000, TOOLHOST_PROCESS_KILLED = 2000 };

typedef struct toolhost_process_end {
  uint32_t struct_size; /* set by toolhost_process_wait */
  int32_t how;          /* TOOLHOST_PROCESS_EXITED, _KILLED */
  int32_t status;       /* exit status; signal, or 0 where it is not known */
  char message[124];    /* "it exited with status 1" */
} toolhost_process_end;

enum { TOOLHOST_PROCESS_START_MS = 30000 }; /* a start takes no longer */

typedef struct toolhost_process_service {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */
  toolhost_status (*start) (const toolhost_host *host, const char *name, toolhost_process *process);
  toolhost_status (*kill) (const toolhost_host *host, const toolhost_process *process);
  toolhost_status (*wait) (const toolhost_host *host, const toolhost_process *process, int64_t ms,
                           toolhost_process_end *end);
  void (*release) (const toolhost_host *host, toolhost_process *process);
} toolhost_process_service;

/* ---- other tools -------------------------------------------------------------------------- */

/* What `extension` of the host answers for this id; toolhost_tools and toolhost_invoke_all use it.
 */
#define TOOLHOST_TOOLSET_ID "toolhost.toolset/1"

/* A tool that is called by another. */
typedef struct toolhost_invocation {
  uint32_t struct_size;   /* set by TOOLHOST_INVOCATION */
  toolhost_status status; /* set by the host: as toolhost_invoke returns it */
  const char *tool;       /* its name.  Required */
  const char *args;       /* `args_len` bytes: JSON text as a model writes it, an object */
  size_t args_len;
  /* To what it asked when it was invoked before: { key: result as MCP has it, … }; NULL: none. */
  const char *answers;
  const char *result; /* set by the host: JSON, `result_len` bytes and a NUL after them */
  size_t result_len;
} toolhost_invocation;

#define TOOLHOST_INVOCATION .struct_size = (uint32_t) sizeof (toolhost_invocation)

enum {
  TOOLHOST_INVOKES_MAX = 16,           /* tools invoked at once */
  TOOLHOST_INVOKE_BYTES_MAX = 4 << 20, /* their arguments and answers together; their results */
  TOOLHOST_INVOKE_DEPTH_MAX = 8        /* tools that wait for one another */
};

typedef struct toolhost_toolset {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */
  toolhost_status (*tools) (toolhost_call *call, const char *const *names, const char **json,
                            size_t *len);
  toolhost_status (*invoke) (toolhost_call *call, toolhost_invocation *const *list, size_t count);
} toolhost_toolset;

/* ---- registration ----------------------------------------------------------------------- */

#ifdef __cplusplus
} /* extern "C" */
template <const toolhost_tool *...Items> struct toolhost_tools_of {
  static constexpr const toolhost_tool *list[] = { Items..., nullptr };
};
template <const toolhost_builder *...Items> struct toolhost_builders_of {
  static constexpr const toolhost_builder *list[] = { Items..., nullptr };
};
template <const toolhost_readable *...Items> struct toolhost_readables_of {
  static constexpr const toolhost_readable *list[] = { Items..., nullptr };
  static constexpr toolhost_resources all = { sizeof (toolhost_resources), 0, list };
};
template <const toolhost_prompt *...Items> struct toolhost_prompts_of {
  static constexpr const toolhost_prompt *list[] = { Items..., nullptr };
  static constexpr toolhost_prompts all = { sizeof (toolhost_prompts), 0, list };
};
template <const toolhost_guard *...Items> struct toolhost_guards_of {
  static constexpr const toolhost_guard *list[] = { Items..., nullptr };
  static constexpr toolhost_guards all = { sizeof (toolhost_guards), 0, list };
};
#define TOOLHOST_GUARDS(...) .guards = &toolhost_guards_of<__VA_ARGS__>::all
#define TOOLHOST_RESOURCES(...) .resources = &toolhost_readables_of<__VA_ARGS__>::all
#define TOOLHOST_PROMPTS(...) .prompts = &toolhost_prompts_of<__VA_ARGS__>::all
#define TOOLHOST_TOOLS(...) .tools = toolhost_tools_of<__VA_ARGS__>::list
#define TOOLHOST_BUILDERS(...) .builders = toolhost_builders_of<__VA_ARGS__>::list
#define TOOLHOST_ENTRY_LINKAGE extern "C"
extern "C" {
#else
#define TOOLHOST_TOOLS(...)                                                                        \
  .tools = (const toolhost_tool *const[])                                                          \
  {                                                                                                \
    __VA_ARGS__, NULL                                                                              \
  }
#define TOOLHOST_BUILDERS(...)                                                                     \
  .builders = (const toolhost_builder *const[])                                                    \
  {                                                                                                \
    __VA_ARGS__, NULL                                                                              \
  }
#define TOOLHOST_RESOURCES(...)                                                                    \
  .resources = &(const toolhost_resources)                                                         \
  {                                                                                                \
    (uint32_t) sizeof (toolhost_resources), 0, (const toolhost_readable *const[])                  \
    {                                                                                              \
      __VA_ARGS__, NULL                                                                            \
    }                                                                                              \
  }
#define TOOLHOST_PROMPTS(...)                                                                      \
  .prompts = &(const toolhost_prompts)                                                             \
  {                                                                                                \
    (uint32_t) sizeof (toolhost_prompts), 0, (const toolhost_prompt *const[])                      \
    {                                                                                              \
      __VA_ARGS__, NULL                                                                            \
    }                                                                                              \
  }
#define TOOLHOST_GUARDS(...)                                                                       \
  .guards = &(const toolhost_guards)                                                               \
  {                                                                                                \
    (uint32_t) sizeof (toolhost_guards), 0, (const toolhost_guard *const[])                        \
    {                                                                                              \
      __VA_ARGS__, NULL                                                                            \
    }                                                                                              \
  }
#define TOOLHOST_ENTRY_LINKAGE
#endif

/* Defines toolhost_extensions, for `.extension`: what the plugin offers beyond tools.  Once per
 * plugin, at file scope before TOOLHOST_PLUGIN, no semicolon after it:
 *   TOOLHOST_EXTENSIONS (TOOLHOST_RESOURCES (&readme, &notes), TOOLHOST_PROMPTS (&review))
 *   TOOLHOST_PLUGIN (.name = "notes", .version = "1.0", .extension = toolhost_extensions) */
#define TOOLHOST_EXTENSIONS(...)                                                                   \
  static const toolhost_beyond toolhost_the_beyond = { __VA_ARGS__ };                              \
  static const void *toolhost_extensions (const char *id)                                          \
  {                                                                                                \
    if (strcmp (id, TOOLHOST_RESOURCES_ID) == 0)                                                   \
      return toolhost_the_beyond.resources;                                                        \
    if (strcmp (id, TOOLHOST_PROMPTS_ID) == 0)                                                     \
      return toolhost_the_beyond.prompts;                                                          \
    return strcmp (id, TOOLHOST_GUARDS_ID) == 0 ? toolhost_the_beyond.guards : NULL;               \
  }

/* Defines the exported symbol.  Once per plugin, at file scope, no semicolon after it:
 *   TOOLHOST_PLUGIN (.name = "echo", .version = "1.0", TOOLHOST_TOOLS (&echo))
 * In C++ the members come in the order of struct toolhost_plugin. */
#define TOOLHOST_PLUGIN(...)                                                                       \
  static const toolhost_plugin toolhost_the_plugin = {                                             \
    .struct_size = (uint32_t) sizeof (toolhost_plugin), .abi = TOOLHOST_ABI, __VA_ARGS__           \
  };                                                                                               \
  TOOLHOST_ENTRY_LINKAGE TOOLHOST_EXPORT const toolhost_plugin *toolhost_plugin_entry (            \
    const toolhost_host *toolhost_given)                                                           \
  {                                                                                                \
    (void) toolhost_given;                                                                         \
    return &toolhost_the_plugin;                                                                   \
  }

/* ---- wrappers: arguments ---------------------------------------------------------------- */

/* Where: the name of a member of the arguments ("text"), or a JSON pointer ("/points/0/x").  A name
 * that begins with '/' is reached by its pointer ("/~1odd"). */

/* The arguments as JSON text of *len bytes, as they came; an object always.  [call] */
TOOLHOST_UNUSED static inline const char *
toolhost_args (toolhost_call *call, size_t *len)
{
  return call->host->args (call, len);
}

/* Any value.  TOOLHOST_OK, or TOOLHOST_NOT_FOUND and *value is zeroed.  [call] */
TOOLHOST_UNUSED static inline toolhost_status
toolhost_arg (toolhost_call *call, const char *where, toolhost_value *value)
{
  memset (value, 0, sizeof *value);
  value->struct_size = (uint32_t) sizeof *value;
  return call->host->arg (call, where, value);
}

/* Is there such an argument (null counts)?  [call] */
TOOLHOST_UNUSED static inline bool
toolhost_has_arg (toolhost_call *call, const char *where)
{
  toolhost_value value;
  return toolhost_arg (call, where, &value) == TOOLHOST_OK;
}

/* A string with its length; NULL when absent or no string.  [call] */
TOOLHOST_UNUSED static inline const char *
toolhost_arg_string_len (toolhost_call *call, const char *where, size_t *len)
{
  toolhost_value value;
  if (toolhost_arg (call, where, &value) != TOOLHOST_OK || value.type != TOOLHOST_STRING) {
    *len = 0;
    return NULL;
  }
  *len = value.string_len;
  return value.string;
}

/* A C string, or `otherwise` when absent, no string, or holding U+0000.  [call] */
TOOLHOST_UNUSED static inline const char *
toolhost_arg_string_or (toolhost_call *call, const char *where, const char *otherwise)
{
  size_t len;
  const char *string = toolhost_arg_string_len (call, where, &len);
  return string != NULL && memchr (string, 0, len) == NULL ? string : otherwise;
}

/* A C string, or NULL. */
TOOLHOST_UNUSED static inline const char *
toolhost_arg_string (toolhost_call *call, const char *where)
{
  return toolhost_arg_string_or (call, where, NULL);
}

/* A whole number, or `otherwise` when absent, no number, or not exactly an int64_t.  [call] */
TOOLHOST_UNUSED static inline int64_t
toolhost_arg_int (toolhost_call *call, const char *where, int64_t otherwise)
{
  toolhost_value value;
  if (toolhost_arg (call, where, &value) != TOOLHOST_OK || value.type != TOOLHOST_INT)
    return otherwise;
  return value.integer;
}

/* A number, or `otherwise` when absent or no number.  [call] */
TOOLHOST_UNUSED static inline double
toolhost_arg_double (toolhost_call *call, const char *where, double otherwise)
{
  toolhost_value value;
  if (toolhost_arg (call, where, &value) != TOOLHOST_OK
      || (value.type != TOOLHOST_INT && value.type != TOOLHOST_DOUBLE))
    return otherwise;
  return value.number;
}

/* A boolean, or `otherwise` when absent or no boolean.  [call] */
TOOLHOST_UNUSED static inline bool
toolhost_arg_bool (toolhost_call *call, const char *where, bool otherwise)
{
  toolhost_value value;
  if (toolhost_arg (call, where, &value) != TOOLHOST_OK || value.type != TOOLHOST_BOOL)
    return otherwise;
  return value.integer != 0;
}

/* Any value as JSON text of *len bytes (no NUL after it); NULL when absent.  [call] */
TOOLHOST_UNUSED static inline const char *
toolhost_arg_json (toolhost_call *call, const char *where, size_t *len)
{
  toolhost_value value;
  if (toolhost_arg (call, where, &value) != TOOLHOST_OK) {
    *len = 0;
    return NULL;
  }
  *len = value.json_len;
  return value.json;
}

/* ---- wrappers: who ---------------------------------------------------------------------- */

/* The call's id (the model's tool-call id, or one the host made), its session, AG-UI thread and
 * run, its tenant, and what the caller sent along as metadata (a JSON object).  Never NULL; "" when
 * there is none ("{}" for metadata).  [call] */
TOOLHOST_UNUSED static inline const char *
toolhost_info (toolhost_call *call, int32_t what)
{
  size_t len;
  const char *text = call->host->info (call, what, &len);
  return text != NULL ? text : "";
}
#define toolhost_call_id(call) toolhost_info ((call), TOOLHOST_CALL_ID)
#define toolhost_session_id(call) toolhost_info ((call), TOOLHOST_SESSION_ID)
#define toolhost_thread_id(call) toolhost_info ((call), TOOLHOST_THREAD_ID)
#define toolhost_run_id(call) toolhost_info ((call), TOOLHOST_RUN_ID)
#define toolhost_tenant(call) toolhost_info ((call), TOOLHOST_TENANT)
#define toolhost_metadata(call) toolhost_info ((call), TOOLHOST_METADATA)

/* Of a read, the URI; of a completion, the name of what is completed, and what of it is there.
 * [call] */
#define toolhost_uri(call) toolhost_info ((call), TOOLHOST_URI)
#define toolhost_completing(call) toolhost_info ((call), TOOLHOST_COMPLETING)
#define toolhost_partial(call) toolhost_info ((call), TOOLHOST_PARTIAL)

/* Of a guard's call: the tool that is checked, and at which stage: TOOLHOST_STAGE_INPUT, _OUTPUT or
 * _ERROR; 0 in a call of any other kind.  [call] */
#define toolhost_guard_tool(call) toolhost_arg_string_or ((call), "tool", "")

TOOLHOST_UNUSED static inline int32_t
toolhost_guard_stage (toolhost_call *call)
{
  const char *stage = toolhost_arg_string_or (call, "stage", "");

  if (strcmp (stage, "input") == 0)
    return TOOLHOST_STAGE_INPUT;
  if (strcmp (stage, "output") == 0)
    return TOOLHOST_STAGE_OUTPUT;
  return strcmp (stage, "error") == 0 ? TOOLHOST_STAGE_ERROR : 0;
}

/* ---- wrappers: texts with a format ------------------------------------------------------ */

/* A formatted text: `small` when it fits there, else from malloc.  For the wrappers below. */
TOOLHOST_UNUSED TOOLHOST_PRINTF (4, 0) static inline char *toolhost_vformat (
  char *small, size_t size, size_t *len, const char *fmt, va_list args)
{
  va_list again;
  char *text = small;
  int n;

  va_copy (again, args);
  n = vsnprintf (small, size, fmt, args);
  if (n < 0)
    n = 0;
  if ((size_t) n >= size) {
    text = (char *) malloc ((size_t) n + 1);
    if (text == NULL) {
      text = small;
      n = (int) size - 1;
    }
    else
      (void) vsnprintf (text, (size_t) n + 1, fmt, again);
  }
  va_end (again);
  *len = (size_t) n;
  return text;
}

#define TOOLHOST_FORMATTED(fmt, use)                                                               \
  do {                                                                                             \
    char small[512];                                                                               \
    size_t len;                                                                                    \
    va_list list;                                                                                  \
    char *text;                                                                                    \
    va_start (list, fmt);                                                                          \
    text = toolhost_vformat (small, sizeof small, &len, fmt, list);                                \
    va_end (list);                                                                                 \
    use;                                                                                           \
    if (text != small)                                                                             \
      free (text);                                                                                 \
  } while (0)

/* ---- wrappers: result ------------------------------------------------------------------- */

/* Append a part.  Parts keep their order.  TOOLHOST_BAD_VALUE: something the kind needs is missing,
 * the text is not UTF-8, or the JSON is not JSON; TOOLHOST_CANCELLED: over the result's limit or
 * after the end.  [call] */
TOOLHOST_UNUSED static inline toolhost_status
toolhost_part_add (toolhost_call *call, const toolhost_part *part)
{
  return call->host->part (call, part);
}

TOOLHOST_UNUSED static inline toolhost_status
toolhost_part_simple (toolhost_call *call, int32_t kind, const void *data, size_t len,
                      const char *mime_type, const char *uri)
{
  toolhost_part part;
  memset (&part, 0, sizeof part);
  part.struct_size = (uint32_t) sizeof part;
  part.kind = kind;
  part.data = data;
  part.len = len;
  part.mime_type = mime_type;
  part.uri = uri;
  return call->host->part (call, &part);
}

/* A text for the model; NULL counts as "". */
TOOLHOST_UNUSED static inline toolhost_status
toolhost_text (toolhost_call *call, const char *text)
{
  return toolhost_part_simple (call, TOOLHOST_PART_TEXT, text, text != NULL ? strlen (text) : 0,
                               NULL, NULL);
}

TOOLHOST_UNUSED static inline toolhost_status
toolhost_text_len (toolhost_call *call, const char *text, size_t len)
{
  return toolhost_part_simple (call, TOOLHOST_PART_TEXT, text, len, NULL, NULL);
}

TOOLHOST_UNUSED TOOLHOST_PRINTF (2, 3) static inline toolhost_status
  toolhost_textf (toolhost_call *call, const char *fmt, ...)
{
  toolhost_status status;
  TOOLHOST_FORMATTED (fmt, status = toolhost_text_len (call, text, len));
  return status;
}

/* The structured result: any JSON value.  A tool with an outputSchema gives one that fits it. */
TOOLHOST_UNUSED static inline toolhost_status
toolhost_json (toolhost_call *call, const char *json)
{
  return toolhost_part_simple (call, TOOLHOST_PART_JSON, json, json != NULL ? strlen (json) : 0,
                               NULL, NULL);
}

TOOLHOST_UNUSED static inline toolhost_status
toolhost_json_len (toolhost_call *call, const char *json, size_t len)
{
  return toolhost_part_simple (call, TOOLHOST_PART_JSON, json, len, NULL, NULL);
}

/* From the check of a guard at "input": the tool gets these arguments, a JSON object that fits its
 * inputSchema, instead of those it was called with.  [call] */
TOOLHOST_UNUSED static inline toolhost_status
toolhost_guard_arguments (toolhost_call *call, const char *json)
{
  return toolhost_json (call, json);
}

/* Bytes of an image or of audio; the host encodes them. */
TOOLHOST_UNUSED static inline toolhost_status
toolhost_image (toolhost_call *call, const void *data, size_t len, const char *mime_type)
{
  return toolhost_part_simple (call, TOOLHOST_PART_IMAGE, data, len, mime_type, NULL);
}

TOOLHOST_UNUSED static inline toolhost_status
toolhost_audio (toolhost_call *call, const void *data, size_t len, const char *mime_type)
{
  return toolhost_part_simple (call, TOOLHOST_PART_AUDIO, data, len, mime_type, NULL);
}

/* Text that stands at a URI, embedded.  mime_type may be NULL. */
TOOLHOST_UNUSED static inline toolhost_status
toolhost_resource (toolhost_call *call, const char *uri, const char *mime_type, const char *text,
                   size_t len)
{
  return toolhost_part_simple (call, TOOLHOST_PART_RESOURCE, text, len, mime_type, uri);
}

/* Bytes that stand at a URI, embedded.  mime_type may be NULL. */
TOOLHOST_UNUSED static inline toolhost_status
toolhost_blob (toolhost_call *call, const char *uri, const char *mime_type, const void *data,
               size_t len)
{
  return toolhost_part_simple (call, TOOLHOST_PART_BLOB, data, len, mime_type, uri);
}

/* A link to a resource, not embedded.  mime_type may be NULL. */
TOOLHOST_UNUSED static inline toolhost_status
toolhost_resource_link (toolhost_call *call, const char *uri, const char *name,
                        const char *mime_type)
{
  toolhost_part part;
  memset (&part, 0, sizeof part);
  part.struct_size = (uint32_t) sizeof part;
  part.kind = TOOLHOST_PART_LINK;
  part.uri = uri;
  part.name = name;
  part.mime_type = mime_type;
  return call->host->part (call, &part);
}

/* From read: text, or bytes, that stand at the URI that is read.  mime_type may be NULL. */
TOOLHOST_UNUSED static inline toolhost_status
toolhost_contents (toolhost_call *call, const char *mime_type, const char *text, size_t len)
{
  return toolhost_part_simple (call, TOOLHOST_PART_RESOURCE, text, len, mime_type, NULL);
}

TOOLHOST_UNUSED static inline toolhost_status
toolhost_contents_blob (toolhost_call *call, const char *mime_type, const void *data, size_t len)
{
  return toolhost_part_simple (call, TOOLHOST_PART_BLOB, data, len, mime_type, NULL);
}

/* From a prompt's get: whose words the parts that follow are, TOOLHOST_USER or TOOLHOST_ASSISTANT.
 * [call] */
TOOLHOST_UNUSED static inline toolhost_status
toolhost_role (toolhost_call *call, int32_t role)
{
  return TOOLHOST_REACHES (call->host, role) ? call->host->role (call, role) : TOOLHOST_TOO_OLD;
}

/* From complete: one value, the best first.  The first 100 are told, the others counted.  [call] */
TOOLHOST_UNUSED static inline toolhost_status
toolhost_suggest (toolhost_call *call, const char *value)
{
  return TOOLHOST_REACHES (call->host, suggest) ? call->host->suggest (call, value, strlen (value))
                                                : TOOLHOST_TOO_OLD;
}

/* From list: a resource that is there now, by its definition as of a toolhost_readable with "uri".
 * TOOLHOST_BAD_VALUE: it is no JSON object.  [call] */
TOOLHOST_UNUSED static inline toolhost_status
toolhost_list (toolhost_call *call, const char *definition_json)
{
  return TOOLHOST_REACHES (call->host, list)
           ? call->host->list (call, definition_json, strlen (definition_json))
           : TOOLHOST_TOO_OLD;
}

/* Why the call failed, for the model: a code of the tool's own (lower case, digits, '_'; NULL:
 * tool_execution_failed) and a sentence.  The last one counts.  Returns TOOLHOST_FAILED, so that
 * execute can end with `return toolhost_fail (…)`.  [call] */
TOOLHOST_UNUSED TOOLHOST_PRINTF (3, 4) static inline toolhost_status
  toolhost_fail (toolhost_call *call, const char *code, const char *fmt, ...)
{
  TOOLHOST_FORMATTED (fmt, call->host->fail (call, code, text, len));
  return TOOLHOST_FAILED;
}

/* From the check of a guard: no, and this is what the model is told instead.  Returns
 * TOOLHOST_FAILED, so that check can end with `return toolhost_guard_reject (…)`.  [call] */
TOOLHOST_UNUSED TOOLHOST_PRINTF (2, 3) static inline toolhost_status
  toolhost_guard_reject (toolhost_call *call, const char *fmt, ...)
{
  TOOLHOST_FORMATTED (fmt, call->host->fail (call, TOOLHOST_REJECTED, text, len));
  return TOOLHOST_FAILED;
}

/* One problem of the arguments, at a JSON pointer ("" is the whole).  From validate; call it for
 * every problem.  Returns TOOLHOST_FAILED.  [call] */
TOOLHOST_UNUSED TOOLHOST_PRINTF (3, 4) static inline toolhost_status
  toolhost_invalid (toolhost_call *call, const char *pointer, const char *fmt, ...)
{
  TOOLHOST_FORMATTED (fmt, call->host->invalid (call, pointer, text, len));
  return TOOLHOST_FAILED;
}

/* Why the tool can't be called now.  From can_execute; returns false.  [call] */
TOOLHOST_UNUSED TOOLHOST_PRINTF (2, 3) static inline bool toolhost_why (toolhost_call *call,
                                                                        const char *fmt, ...)
{
  TOOLHOST_FORMATTED (fmt, call->host->why (call, text, len));
  return false;
}

/* ---- wrappers: while running ------------------------------------------------------------ */

/* Keep the call after execute returns TOOLHOST_LATER.  End it with toolhost_complete, exactly once,
 * by its deadline.  [call], from execute only */
TOOLHOST_UNUSED static inline toolhost_status
toolhost_retain (toolhost_call *call)
{
  return call->host->retain (call);
}

/* End a retained call: TOOLHOST_OK, TOOLHOST_FAILED or TOOLHOST_ASKED.  The call is gone when this
 * returns.  [any] */
TOOLHOST_UNUSED static inline toolhost_status
toolhost_complete (toolhost_call *call, toolhost_status status)
{
  return call->host->complete (call, status);
}

/* How far the work is: done of total (0: unknown).  `done` must grow.  Callers that did not ask for
 * progress get none; the host thins it out.  fmt may be NULL.  [call] */
TOOLHOST_UNUSED TOOLHOST_PRINTF (4, 5) static inline void toolhost_progress (toolhost_call *call,
                                                                             double done,
                                                                             double total,
                                                                             const char *fmt, ...)
{
  if (fmt == NULL) {
    call->host->progress (call, done, total, NULL, 0);
    return;
  }
  TOOLHOST_FORMATTED (fmt, call->host->progress (call, done, total, text, len));
}

/* A line in the host's log that carries the call's ids.  [call] */
TOOLHOST_UNUSED TOOLHOST_PRINTF (3, 4) static inline void toolhost_log (toolhost_call *call,
                                                                        int32_t level,
                                                                        const char *fmt, ...)
{
  TOOLHOST_FORMATTED (fmt, call->host->log (call, level, text, len));
}

/* A line in the host's log that belongs to no call.  [any] */
TOOLHOST_UNUSED TOOLHOST_PRINTF (3,
                                 4) static inline void toolhost_host_log (const toolhost_host *host,
                                                                          int32_t level,
                                                                          const char *fmt, ...)
{
  TOOLHOST_FORMATTED (fmt, host->host_log (host, level, text, len));
}

/* An event in the host's log, which programs find by its name (1 to 64 of a-z, 0-9 and '_') and its
 * members (the text of a JSON object of at most 32 KiB; NULL: none).  Host, plugin, tenant, call
 * and tool are added by the host, whatever the members say of them.  TOOLHOST_BAD_VALUE;
 * TOOLHOST_TOO_OLD.  [call] */
TOOLHOST_UNUSED static inline toolhost_status
toolhost_event (toolhost_call *call, int32_t level, const char *name, const char *members)
{
  return TOOLHOST_REACHES (call->host, event)
           ? call->host->event (call->host, call, level, name, members != NULL ? members : "{}",
                                members != NULL ? strlen (members) : 2)
           : TOOLHOST_TOO_OLD;
}

/* The same of an event that belongs to no call, as while building.  [any] */
TOOLHOST_UNUSED static inline toolhost_status
toolhost_host_event (const toolhost_host *host, int32_t level, const char *name,
                     const char *members)
{
  return TOOLHOST_REACHES (host, event)
           ? host->event (host, NULL, level, name, members != NULL ? members : "{}",
                          members != NULL ? strlen (members) : 2)
           : TOOLHOST_TOO_OLD;
}

/* Has the caller lost interest, or the deadline passed?  Look often in long work and return soon:
 * after a grace period the process is killed.  Cheap.  [any] */
TOOLHOST_UNUSED static inline bool
toolhost_cancelled (toolhost_call *call)
{
  return call->host->cancelled (call);
}

/* Milliseconds until the deadline; 0 when it has passed.  [any] */
TOOLHOST_UNUSED static inline int64_t
toolhost_time_left (toolhost_call *call)
{
  return call->host->time_left (call);
}

/* Sleep; TOOLHOST_CANCELLED as soon as the call is cancelled.  [call] */
TOOLHOST_UNUSED static inline toolhost_status
toolhost_sleep (toolhost_call *call, int64_t ms)
{
  return call->host->sleep (call, ms);
}

/* ---- wrappers: the user, the session, services, people ---------------------------------- */

/* An event for the user and not for the model: a JSON object whose "type" says what it is (say,
 * end_call, …), of at most TOOLHOST_EMIT_MAX bytes.  It goes out at once, before the call's result,
 * and nothing takes it back: a tool that asks (toolhost_ask) asks first.  Of a call that succeeds
 * without a result of its own the model hears "success", and does not go on.  In execute only.
 * TOOLHOST_NOT_GRANTED: the call is in no session.  TOOLHOST_BAD_VALUE: it is no such event.
 * TOOLHOST_CANCELLED: the call is over, or has said TOOLHOST_EMITS_MAX bytes.  [call] */
TOOLHOST_UNUSED static inline toolhost_status
toolhost_emit (toolhost_call *call, const char *event_json)
{
  return call->host->emit (call, event_json, strlen (event_json));
}

/* Who goes on with the conversation when this call succeeds: from then on it gets all events, until
 * it hands off itself.  `target_json` is an object: {} is this tool with the arguments it has,
 * "args" others; { "tool": NAME, "args": {…} } is another, which first hears that it has taken
 * over; { "tool": null } gives the conversation back to the application.  With "anyway": true it
 * holds also when this call fails by itself (toolhost_fail).  The last one of a call
 * counts. TOOLHOST_NOT_GRANTED: the call is in no session.  TOOLHOST_NOT_FOUND: there is no such
 * tool. TOOLHOST_BAD_VALUE: it is no such object.  [call] */
TOOLHOST_UNUSED static inline toolhost_status
toolhost_handoff (toolhost_call *call, const char *target_json)
{
  return call->host->handoff (call, target_json, strlen (target_json));
}

/* The session's context at a path ("workflow.step"): read, write, append to an array.  What is
 * written is JSON of at most 48 KiB; only workflow and agents with what is below them are, and
 * history is appended to.  The call reads what it has written; for others all of it applies
 * together when the call succeeds, and nothing when it does not, or asks.  If others have written
 * meanwhile what it does not go together with, the call fails (context_write_denied).
 * TOOLHOST_NOT_GRANTED: the call is in no session, or that can't be written.  TOOLHOST_NOT_FOUND:
 * nothing stands there.  TOOLHOST_BAD_VALUE: it is no path, no JSON, or leads through what is no
 * object.  TOOLHOST_FAILED: the call has written too much (1,000 times, or 64 KiB).
 * TOOLHOST_CANCELLED: it is over.  [call] */
TOOLHOST_UNUSED static inline toolhost_status
toolhost_context_get (toolhost_call *call, const char *path, const char **json, size_t *len)
{
  return call->host->context_get (call, path, json, len);
}

TOOLHOST_UNUSED static inline toolhost_status
toolhost_context_set (toolhost_call *call, const char *path, const char *json)
{
  return call->host->context_set (call, path, json, strlen (json));
}

TOOLHOST_UNUSED static inline toolhost_status
toolhost_context_append (toolhost_call *call, const char *path, const char *json)
{
  return call->host->context_append (call, path, json, strlen (json));
}

/* Several writes as one: { "set": { PATH: value, … }, "append": { PATH: value, … }, "flags": {
 * NAME: true or false, … } }, each of them optional.  All of it is written, or nothing.  It takes
 * effect at once for everybody, together with what this call has written before, and stays whatever
 * becomes of the call: a tool that asks (toolhost_ask) asks first.  Statuses as above;
 * TOOLHOST_FAILED also where the context would be too large, or what was written before does not go
 * together with what others have written; TOOLHOST_TOO_OLD.  [call] */
TOOLHOST_UNUSED static inline toolhost_status
toolhost_context_change (toolhost_call *call, const char *change_json)
{
  return TOOLHOST_REACHES (call->host, context_change)
           ? call->host->context_change (call, change_json, strlen (change_json))
           : TOOLHOST_TOO_OLD;
}

/* Flags of the session, likewise.  A flag that nobody has set is not set.  [call] */
TOOLHOST_UNUSED static inline toolhost_status
toolhost_flag_set (toolhost_call *call, const char *name)
{
  return call->host->flag_set (call, name);
}

TOOLHOST_UNUSED static inline toolhost_status
toolhost_flag_clear (toolhost_call *call, const char *name)
{
  return call->host->flag_clear (call, name);
}

TOOLHOST_UNUSED static inline toolhost_status
toolhost_flag_get (toolhost_call *call, const char *name, bool *set)
{
  return call->host->flag_get (call, name, set);
}

/* A secret the operator granted by name (permissions.secrets); it stays what it is while the
 * process lives.  Never say it: what a tool tells goes to models, users and logs.
 * TOOLHOST_NOT_GRANTED. [call] */
TOOLHOST_UNUSED static inline toolhost_status
toolhost_secret (toolhost_call *call, const char *name, const char **value, size_t *len)
{
  return call->host->secret (call, name, value, len);
}

/* Call another tool of the caller's own toolset that the operator has granted
 * (permissions.invoke), and wait for its result.  It is a call as any other, for the tenant, caller
 * and session of this one: schema, approvals, guards and log are the same, it ends with this call
 * and no later.  One that this call runs for, or another of the same plugin's process, can't be
 * called.  The result is JSON that lives as long as the call:
 *
 *   { "is_error": false, "content": [blocks as MCP has them], "structured": any }
 *   { "is_error": true, "code": "tool_timeout", "message": "…", "content": […], "structured": … }
 *
 * "structured" may be absent, "code" and "message" are there with errors.  Not TOOLHOST_OK, and the
 * call goes on: TOOLHOST_NOT_GRANTED: the operator has not granted this tool (invoke_not_granted).
 * TOOLHOST_NOT_FOUND: there is no such tool.  TOOLHOST_BAD_VALUE: its arguments are not as they
 * must be; "problems" says how.  TOOLHOST_FAILED: it failed, or would be the ninth
 * (invoke_too_deep), would run in a process that waits for it (invoke_cycle), or its result is too
 * large (invoke_too_large).  TOOLHOST_ASKED: it asks; "asks" has the questions, { key: { "kind",
 * "params" } }, which this call may ask in its turn (toolhost_invoke_all takes the answers).
 * TOOLHOST_CANCELLED: this call is over; there is no result.  [call] */
TOOLHOST_UNUSED static inline toolhost_status
toolhost_invoke (toolhost_call *call, const char *tool, const char *args_json,
                 const char **result_json, size_t *result_len)
{
  return call->host->invoke (call, tool, args_json, strlen (args_json), result_json, result_len);
}

/* Call several tools at the same time, TOOLHOST_INVOKES_MAX at most, and wait for all of them; each
 * invocation has its own status and result.  TOOLHOST_OK: they have ended, well or not.
 * TOOLHOST_BAD_VALUE: too many, too large, or one has no name; TOOLHOST_CANCELLED: this call is
 * over; TOOLHOST_TOO_OLD.  [call] */
TOOLHOST_UNUSED static inline toolhost_status
toolhost_invoke_all (toolhost_call *call, toolhost_invocation *const *list, size_t count)
{
  const toolhost_toolset *set =
    (const toolhost_toolset *) call->host->extension (call->host, TOOLHOST_TOOLSET_ID);

  return set != NULL ? set->invoke (call, list, count) : TOOLHOST_TOO_OLD;
}

/* The tools this call may invoke, as a JSON array of their definitions ("name", "description",
 * "inputSchema", …) in the order of their names.  `names` picks some of them, each a name or a
 * pattern with * ("calc*"), NULL at its end; NULL: all.  TOOLHOST_TOO_OLD; TOOLHOST_FAILED: they
 * are too large; TOOLHOST_CANCELLED.  [call] */
TOOLHOST_UNUSED static inline toolhost_status
toolhost_tools (toolhost_call *call, const char *const *names, const char **json, size_t *len)
{
  const toolhost_toolset *set =
    (const toolhost_toolset *) call->host->extension (call->host, TOOLHOST_TOOLSET_ID);

  *json = NULL;
  *len = 0;
  return set != NULL ? set->tools (call, names, json, len) : TOOLHOST_TOO_OLD;
}

/* Asking.  A tool that needs to know more asks, from execute, and returns TOOLHOST_ASKED; no thread
 * waits.  What it had done of a result is dropped, and when the answers are there all callbacks run
 * again from the start, possibly in another process: toolhost_ask then gives the answer to the same
 * key.  Effects outside that come before a question happen once more, so ask first.
 *
 *   switch (toolhost_ask_form (call, "sure", SCHEMA, "Delete %s?", name)) {
 *   case TOOLHOST_ANSWERED: break;
 *   case TOOLHOST_OPEN:     return TOOLHOST_ASKED;
 *   default:                return toolhost_fail (call, "not_confirmed", "Nothing was deleted.");
 *   }
 *
 * Several questions may be open at once: ask them all, then return TOOLHOST_ASKED.  Who returns it
 * with no question open, because each was TOOLHOST_UNASKABLE, says that it can't go on without: the
 * caller is told which capability it lacks.
 *
 * `key` names the question within the call (1 to 64 of A-Za-z0-9_.-).  `kind` and `params_json`, an
 * object with the members of MCP:
 *   "form"      "message", "requestedSchema": an object of strings, numbers, booleans and choices;
 *               never for secrets.  The answer is an object that fits the schema.
 *   "url"       "message", "url" (https): what a person has to do there, out of band.  The answer
 * is
 *               {}: the person agreed to go, not that it is done.
 *   "sampling"  "messages", "maxTokens", …: the caller's model is asked.  The answer has "role",
 *               "content", "model".
 *   "roots"     {}: the folders the caller works in.  The answer has "roots".
 * The answer is JSON text of *answer_len bytes; both pointers may be NULL.  [call] */
TOOLHOST_UNUSED static inline int32_t
toolhost_ask (toolhost_call *call, const char *key, const char *kind, const char *params_json,
              const char **answer_json, size_t *answer_len)
{
  return call->host->ask (call, key, kind, params_json, strlen (params_json), answer_json,
                          answer_len);
}

/* The kind "form" with a message that is put together; `schema_json` is its requestedSchema.  Read
 * the answer with toolhost_answer.  [call] */
TOOLHOST_UNUSED TOOLHOST_PRINTF (4, 5) static inline int32_t
  toolhost_ask_form (toolhost_call *call, const char *key, const char *schema_json, const char *fmt,
                     ...)
{
  int32_t said = TOOLHOST_UNASKABLE;
  if (!TOOLHOST_REACHES (call->host, ask_form))
    return said;
  TOOLHOST_FORMATTED (
    fmt, said = call->host->ask_form (call, key, text, len, schema_json, strlen (schema_json)));
  return said;
}

/* A value of the answer to `key`: where as in toolhost_arg, "" is the whole.  TOOLHOST_NOT_FOUND:
 * there is none, or that question was not answered; TOOLHOST_TOO_OLD.  [call] */
TOOLHOST_UNUSED static inline toolhost_status
toolhost_answer (toolhost_call *call, const char *key, const char *where, toolhost_value *value)
{
  memset (value, 0, sizeof *value);
  value->struct_size = (uint32_t) sizeof *value;
  if (!TOOLHOST_REACHES (call->host, answer))
    return TOOLHOST_TOO_OLD;
  return call->host->answer (call, key, where, value);
}

/* A C string of the answer, or `otherwise` when absent, no string, or holding U+0000.  [call] */
TOOLHOST_UNUSED static inline const char *
toolhost_answer_string (toolhost_call *call, const char *key, const char *where,
                        const char *otherwise)
{
  toolhost_value value;
  if (toolhost_answer (call, key, where, &value) != TOOLHOST_OK || value.type != TOOLHOST_STRING
      || memchr (value.string, 0, value.string_len) != NULL)
    return otherwise;
  return value.string;
}

/* A boolean of the answer, or `otherwise`.  [call] */
TOOLHOST_UNUSED static inline bool
toolhost_answer_bool (toolhost_call *call, const char *key, const char *where, bool otherwise)
{
  toolhost_value value;
  if (toolhost_answer (call, key, where, &value) != TOOLHOST_OK || value.type != TOOLHOST_BOOL)
    return otherwise;
  return value.integer != 0;
}

/* Bytes that come back in the next round, when this one returns TOOLHOST_ASKED; they replace what
 * was kept before, and without a call it stays.  Callers see them only sealed, but they may hand
 * them in again: keep what must happen once elsewhere.  TOOLHOST_BAD_VALUE: more than 8,192 bytes;
 * TOOLHOST_TOO_OLD.  [call] */
TOOLHOST_UNUSED static inline toolhost_status
toolhost_keep (toolhost_call *call, const void *data, size_t len)
{
  return TOOLHOST_REACHES (call->host, keep) ? call->host->keep (call, data, len)
                                             : TOOLHOST_TOO_OLD;
}

/* What the last round kept, *len bytes; NULL in the first round, or when nothing was.  [call] */
TOOLHOST_UNUSED static inline const void *
toolhost_kept (toolhost_call *call, size_t *len)
{
  *len = 0;
  return TOOLHOST_REACHES (call->host, kept) ? call->host->kept (call, len) : NULL;
}

/* ---- wrappers: opening and building ----------------------------------------------------- */

/* Add a tool while building; `self` comes back in its callbacks and in the builder's release.
 * [once] */
TOOLHOST_UNUSED static inline toolhost_status
toolhost_add_tool (toolhost_build *build, const toolhost_tool *tool, void *self)
{
  return build->host->add_tool (build, tool, self);
}

/* What is wrong with the configuration, at a JSON pointer.  Returns TOOLHOST_FAILED.  [once] */
TOOLHOST_UNUSED TOOLHOST_PRINTF (3, 4) static inline toolhost_status
  toolhost_build_error (toolhost_build *build, const char *pointer, const char *fmt, ...)
{
  TOOLHOST_FORMATTED (fmt, build->host->build_error (build, pointer, text, len));
  return TOOLHOST_FAILED;
}

/* A secret the operator granted by name, while opening or building.  [once] */
TOOLHOST_UNUSED static inline toolhost_status
toolhost_build_secret (toolhost_build *build, const char *name, const char **value, size_t *len)
{
  return build->host->build_secret (build, name, value, len);
}

/* A call that belongs to the build, for what a builder asks of others before it knows its tools: it
 * may make requests (toolhost_http), log, sleep, and ask how much time is left (toolhost_time_left;
 * the operator's build_timeout).  It has no arguments, no session and nobody to ask; a result is
 * thrown away.  It ends with the build: nothing may keep it.  NULL: while opening, or the host is
 * too old.  [once] */
TOOLHOST_UNUSED static inline toolhost_call *
toolhost_build_call (toolhost_build *build)
{
  return TOOLHOST_REACHES (build->host, build_call) ? build->host->build_call (build) : NULL;
}

/* Ask for a new build of a feature's tools, because what its builder makes them of is another (a
 * server's list, say): the builder runs again, with the configuration it had.  Where a tool was
 * built for a tenant, of that tenant; otherwise of all that have the feature of this plugin.  The
 * host does it soon, and for a tenant not more often than every 5 seconds; calls that run finish
 * where they are. TOOLHOST_BAD_VALUE: it is no name.  [any] */
TOOLHOST_UNUSED static inline toolhost_status
toolhost_rebuild (const toolhost_host *host, const char *feature)
{
  return host->rebuild (host, feature);
}

/* Say that something has changed, so that who watches looks again: TOOLHOST_TOOLS_CHANGED … with
 * `uri` for TOOLHOST_RESOURCE_UPDATED and NULL for the others.  The host bounds how often it passes
 * it on.  TOOLHOST_BAD_VALUE: an unknown `what`, or no URI where one is needed.  [any] */
TOOLHOST_UNUSED static inline toolhost_status
toolhost_changed (const toolhost_host *host, int32_t what, const char *uri)
{
  return TOOLHOST_REACHES (host, changed) ? host->changed (host, what, uri) : TOOLHOST_TOO_OLD;
}

/* What the host offers beyond the table ("toolhost.http/1"): a struct that begins with its own
 * struct_size, or NULL.  [any] */
TOOLHOST_UNUSED static inline const void *
toolhost_extension (const toolhost_host *host, const char *id)
{
  return host->extension (host, id);
}

/* ---- wrappers: processes ---------------------------------------------------------------- */

/* Have the program started that the operator has granted under this name (permissions.processes),
 * in a sandbox of its own, and wait until it runs.  `in` and `out` are pipes to its standard input
 * and from its standard output; what it prints as errors is logged.  It lives no longer than this
 * worker: it ends, with all it has started, by toolhost_process_kill or toolhost_process_release,
 * and when the worker does.  Whether it is started again is the plugin's affair.
 *
 * TOOLHOST_OK; TOOLHOST_NOT_GRANTED; TOOLHOST_BAD_VALUE: it is no name; TOOLHOST_FAILED: it can't
 * be run, or as many run as may; TOOLHOST_TOO_OLD: the host starts none.  In all of these `code`
 * and `message` say more, and there is nothing to release.  [any] */
TOOLHOST_UNUSED static inline toolhost_status
toolhost_process_start (const toolhost_host *host, const char *name, toolhost_process *process)
{
  const toolhost_process_service *service =
    (const toolhost_process_service *) host->extension (host, TOOLHOST_PROCESS_ID);

  memset (process, 0, sizeof *process);
  process->struct_size = (uint32_t) sizeof *process;
  process->in = process->out = -1;
  strcpy (process->code, "program_not_granted");
  strcpy (process->message, "This host starts no programs.");
  return service != NULL ? service->start (host, name, process) : TOOLHOST_TOO_OLD;
}

/* Kill it and all it has started, at once; it is still to be released.  [any] */
TOOLHOST_UNUSED static inline toolhost_status
toolhost_process_kill (const toolhost_host *host, const toolhost_process *process)
{
  const toolhost_process_service *service =
    (const toolhost_process_service *) host->extension (host, TOOLHOST_PROCESS_ID);

  return service != NULL ? service->kill (host, process) : TOOLHOST_TOO_OLD;
}

/* Wait at most so many milliseconds (0: only look) until it has ended.  TOOLHOST_OK: it has, and
 * *end says how; TOOLHOST_LATER: it runs; TOOLHOST_NOT_FOUND: it was released.  [any] */
TOOLHOST_UNUSED static inline toolhost_status
toolhost_process_wait (const toolhost_host *host, const toolhost_process *process, int64_t ms,
                       toolhost_process_end *end)
{
  const toolhost_process_service *service =
    (const toolhost_process_service *) host->extension (host, TOOLHOST_PROCESS_ID);

  memset (end, 0, sizeof *end);
  end->struct_size = (uint32_t) sizeof *end;
  return service != NULL ? service->wait (host, process, ms, end) : TOOLHOST_TOO_OLD;
}

/* Kill it if it still runs, close both pipes, and forget it.  A plugin that has closed one of them
 * itself has set it to -1.  [any] */
TOOLHOST_UNUSED static inline void
toolhost_process_release (const toolhost_host *host, toolhost_process *process)
{
  const toolhost_process_service *service =
    (const toolhost_process_service *) host->extension (host, TOOLHOST_PROCESS_ID);

  if (service != NULL)
    service->release (host, process);
}

/* ---- wrappers: HTTP --------------------------------------------------------------------- */

/* Ask the host for what stands at a URL that the operator has granted, and wait for the answer, no
 * longer than the call may take.  One request at a time in a call.
 *
 *   toolhost_http_response r;
 *   if (toolhost_http (call, &(toolhost_http_request){ TOOLHOST_HTTP_REQUEST, .url = url }, &r)
 *       != TOOLHOST_OK)
 *     return toolhost_fail (call, r.code, "%s", r.message);
 *
 * TOOLHOST_OK: there is an answer, of whatever status, whole unless on_body ended it.
 * TOOLHOST_NOT_GRANTED: the operator has not granted the URL, or its address is not public;
 * TOOLHOST_BAD_VALUE: the request is none; TOOLHOST_CANCELLED: the call is; TOOLHOST_FAILED: no
 * server answered, or too late, or too much; TOOLHOST_TOO_OLD: the host makes no requests.  In all
 * of these `code` and `message` say more.  What the answer holds lives as long as the call.
 * Secrets, an Authorization header for example, are the operator's to add.  [call] */
TOOLHOST_UNUSED static inline toolhost_status
toolhost_http (toolhost_call *call, const toolhost_http_request *request,
               toolhost_http_response *response)
{
  const toolhost_http_service *http =
    (const toolhost_http_service *) call->host->extension (call->host, TOOLHOST_HTTP_ID);

  memset (response, 0, sizeof *response);
  response->struct_size = (uint32_t) sizeof *response;
  response->url = request->url;
  response->body = "";
  response->code = "http_not_granted";
  response->message = "This host makes no HTTP requests.";
  return http != NULL ? http->request (call, request, response) : TOOLHOST_TOO_OLD;
}

/* The value of a header of an answer, by its name in lower case; NULL: it has none. */
TOOLHOST_UNUSED static inline const char *
toolhost_http_header (const toolhost_http_response *response, const char *name)
{
  const char *const *at = response->headers;

  for (; at != NULL && at[0] != NULL; at += 2)
    if (strcmp (at[0], name) == 0)
      return at[1];
  return NULL;
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TOOLHOST_H */
