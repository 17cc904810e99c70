#include "worker/lazy_json.h"

const struct json_tape *
lazy_json_read (struct lazy_json *lazy, struct arena *arena)
{
  if (!lazy->tried) {
    lazy->tried = true;
    lazy->usable = lazy->len != 0
                   && json_read (&lazy->tape, lazy->text, lazy->len, &json_default_limits, arena)
                   && json_is (json_root (&lazy->tape), JSON_OBJECT);
  }
  return lazy->usable ? &lazy->tape : NULL;
}
