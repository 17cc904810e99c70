/* listing.h - which resources the templates of a plugin list: asked as a call of the plugin, after
 * it was loaded and whenever it says that its resources have changed, and kept until the next
 * answer.  For plugins.c.  Loop thread only. */
#ifndef TOOLHOST_DAEMON_LISTING_H
#define TOOLHOST_DAEMON_LISTING_H

#include "call/call.h"
#include "catalog/definition.h"
#include "daemon/plugin.h"

/* One template that lists. */
struct listing {
  struct plugin *plugin;
  struct tool *template;  /* one reference */
  struct described found; /* by the last answer that was one */
  struct call *call;      /* while it is asked */
  bool due;               /* it is to be asked (again) */
  struct listing *next;
};

/* For each template of plugin->described that lists; none is asked yet. */
void listings_make (struct plugin *plugin);
/* What is asked is given up, what was found forgotten. */
void listings_free (struct plugin *plugin);
/* All of the plugin's are due. */
void listings_again (struct plugin *plugin);
/* Ask those that are due; `changed` hears of each answer, possibly before this returns. */
void listings_ask (struct plugin *plugin);

/* plugins.c: an answer has come. */
void plugins_listed (struct plugins *plugins);

#endif
