/* crash.h - a plugin's last words: on SIGSEGV and its like the worker tells the daemon which
 * signal, during which call, and where, and then dies of that very signal.
 *
 * One process has one crash, so this module keeps its state in statics. */
#ifndef TOOLHOST_WORKER_CRASH_H
#define TOOLHOST_WORKER_CRASH_H

#include <stdint.h>

struct outbox;

/* After the sandbox has closed and before the plugin is loaded.  `plugin_path` must live on. */
void crash_install (struct outbox *box, const char *plugin_path);
/* Each of our threads, so that a stack that overflowed can be reported too. */
void crash_thread_begin (void);
/* The plugin is loaded: take down where everything is. */
void crash_loaded (void);
/* Which call this thread works on; 0: none. */
void crash_set_call (uint64_t call);

#endif
