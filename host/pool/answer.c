#include "pool/answer.h"

#include "base/utf8.h"
#include "pool/content.h"

enum { CODE_MAX = 64 };

const struct json_limits answer_json_limits = {
  .depth = 64, .nodes = 2000000, .members = 100000, .number_len = 1024
};

static bool
code_ok (const char *code, size_t len)
{
  for (size_t i = 0; i < len; i++)
    if (!((code[i] >= 'a' && code[i] <= 'z') || (code[i] >= '0' && code[i] <= '9')
          || code[i] == '_'))
      return false;
  return len <= CODE_MAX;
}

bool
answer_read (enum frame_content kind, const char *body, size_t len, struct arena *arena,
             struct json_tape *tape, struct job_end *end)
{
  const struct frame_result *head = end->result;
  struct json_tape content;
  uint64_t sum = (uint64_t) head->code_len + head->message_len + head->structured_len
                 + head->content_len + head->kept_len;

  if (sum != len || head->outcome < FRAME_OUTCOME_OK || head->outcome > FRAME_OUTCOME_BROKEN)
    return false;
  end->code = body;
  end->message = end->code + head->code_len;
  end->structured = end->message + head->message_len;
  end->content = end->structured + head->structured_len;
  end->kept = end->content + head->content_len;
  end->structured_tape = head->structured_len != 0 ? tape : NULL;
  return code_ok (end->code, head->code_len) && utf8_valid (end->message, head->message_len)
         && (head->structured_len == 0
             || json_read (tape, end->structured, head->structured_len, &answer_json_limits, arena))
         && (head->content_len == 0
             || (json_read (&content, end->content, head->content_len, &answer_json_limits, arena)
                 && content_fits (kind, &content)))
         && (kind != FRAME_VALUES || head->outcome != FRAME_OUTCOME_OK
             || (head->structured_len != 0 && content_are_values (tape)));
}
