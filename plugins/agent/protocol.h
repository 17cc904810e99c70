/* protocol.h - the ways agents are spoken to: what is sent of a conversation, and how an answer,
 * whole or event by event, becomes a turn.  Pure: no host, no clock.
 *
 * A conversation is a JSON list of what its protocol calls messages or items. */
#ifndef TOOLHOST_PLUGINS_AGENT_PROTOCOL_H
#define TOOLHOST_PLUGINS_AGENT_PROTOCOL_H

#include "../common/text.h"
#include "../common/value.h"

struct agent;

enum { TURN_CALLS_MAX = 64, TURN_TEXT_MAX = 4 << 20 };

/* A tool that the model calls. */
struct turn_call {
  int64_t index; /* of its place in the answer, by which its pieces are put together */
  struct text id, name, args;
};

enum turn_state { TURN_RUNS, TURN_DONE, TURN_ASKS, TURN_FAILED };

/* What one request to the model has come to.  Zero at first but for `pool`. */
struct turn {
  struct values *pool;
  struct text text;
  struct turn_call calls[TURN_CALLS_MAX];
  size_t count;
  const struct value *items; /* as they go on in the conversation (openai-responses); or NULL */
  enum turn_state state;
  struct text error;         /* of one that failed, a sentence */
  struct text context, task; /* a2a: what the agent calls the conversation, and what it works on */
  struct text part;          /* a2a: the artifact that grows */
};

void turn_free (struct turn *turn);
/* It failed, unless it has ended already. */
void turn_fail (struct turn *turn, const char *why, size_t len);
void turn_add_text (struct turn *turn, const char *text, size_t len);
/* The call at this place, begun when there is none; NULL: there are too many. */
struct turn_call *turn_call_at (struct turn *turn, int64_t index);

/* What came of a call, for the model. */
struct outcome {
  const struct turn_call *call;
  struct text text;
  bool is_error;
};

/* What a request is made of. */
struct question {
  const struct agent *agent;
  const struct value *items;
  const struct value *tools;  /* definitions as MCP has them; NULL: none */
  bool no_tools;              /* the model may see them and not call them */
  const char *context, *task; /* a2a, of turns before; "": none */
};

struct protocol {
  const char *name;
  bool wants_model;
  const char *const *headers; /* name, value, …, NULL */
  void (*write) (struct text *out, const struct question *question);
  void (*take_event) (struct turn *turn, const struct value *event);
  void (*take_whole) (struct turn *turn, const struct value *answer);
  /* The conversation with what the turn says. */
  const struct value *(*said) (struct values *pool, const struct value *items,
                               const struct turn *turn);
  /* … and with what came of its calls. */
  const struct value *(*told) (struct values *pool, const struct value *items,
                               const struct outcome *outcomes, size_t count);
};

extern const struct protocol openai_chat, openai_responses, anthropic_messages, a2a;

const struct protocol *protocol_find (const char *name);

/* The conversation with what the user says, as all of them have it. */
const struct value *conversation_ask (struct values *pool, const struct value *items,
                                      const char *text);
/* One item more, of JSON text. */
const struct value *conversation_add (struct values *pool, const struct value *items,
                                      const struct text *json);
/* An item more for each outcome: an object whose `member` is `type` and whose members `id` and
 * `text` hold the call's id and what came of it. */
struct told_as {
  const char *member, *type, *id, *text;
};
const struct value *conversation_told (struct values *pool, const struct value *items,
                                       const struct told_as *as, const struct outcome *outcomes,
                                       size_t count);
/* The members of an object, into an object that is open. */
void write_members (struct text *out, const struct text *object);
void write_parameters (struct text *out, const struct question *question, bool stream);
/* The text of a member; "" with *len 0: it is none. */
const char *text_of (const struct value *object, const char *name, size_t *len);

/* An event of a stream, or a whole answer, as text.  What is no JSON fails the turn. */
void turn_take_event (struct turn *turn, const struct protocol *protocol, const char *data,
                      size_t len);
void turn_take_whole (struct turn *turn, const struct protocol *protocol, const char *data,
                      size_t len);
/* What a service says of an error, in whatever shape; appended when it says something. */
void error_of (struct text *out, const struct value *answer);

#endif
