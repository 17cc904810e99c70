/* sanitizers.c - how AddressSanitizer and its like run inside the sandbox, in builds made with
 * them: no look for leaks at the end (plugins end by _exit), no symbolizer process, faults left to
 * the crash handler. */
#include "worker/build.h"

typedef int no_empty_file;

#ifdef TOOLHOST_SANITIZED
const char *__asan_default_options (void);
const char *__lsan_default_options (void);
const char *__tsan_default_options (void);

const char *
__asan_default_options (void)
{
  return "detect_leaks=0:abort_on_error=1:symbolize=0:allow_user_segv_handler=1";
}

const char *
__lsan_default_options (void)
{
  return "detect_leaks=0";
}

const char *
__tsan_default_options (void)
{
  return "die_after_fork=0:symbolize=0:exitcode=66";
}
#endif
