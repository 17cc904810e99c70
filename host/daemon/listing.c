#include "daemon/listing.h"

#include <stdlib.h>

#include "catalog/digest.h"

static void start (struct listing *listing);

/* What was found is run by whom the template is run by. */
static void
give_unit (struct listing *listing)
{
  for (size_t i = 0; i < listing->found.tools_count; i++) {
    struct tool *tool = listing->found.tools[i];
    tool->unit = unit_ref (listing->template->unit);
    tool->unit_unref = unit_unref;
    digest_of_tool (&tool->mcp, listing->plugin->hex, tool->digest);
  }
}

static void
take (struct listing *listing, const struct result *result)
{
  struct log *log = listing->plugin->all->needs.log;
  struct described *found = &listing->found;

  described_free (found);
  described_list (found, listing->template, result->content, result->content_len);
  give_unit (listing);
  for (size_t i = 0; i < found->problems_count; i++)
    log_event (log, LOG_ERROR, "resource_refused", "plugin", listing->plugin->name, "why",
               found->problems[i], NULL);
  log_event (log, LOG_INFO, "resources_listed", "plugin", listing->plugin->name, "template",
             listing->template->name, "resources", LOG_INT (found->tools_count), NULL);
}

/* What was found before stays when it could not be asked. */
static void
on_done (void *ctx, const struct result *result)
{
  struct listing *listing = ctx;
  struct plugins *all = listing->plugin->all;

  listing->call = NULL;
  if (result->error == CALL_tool_cancelled) /* the daemon stops */
    return;
  if (result->error != CALL_OK) {
    log_event (all->needs.log, LOG_WARNING, "resources_not_listed", "plugin", listing->plugin->name,
               "template", listing->template->name, "code", result->code, NULL);
    return;
  }
  take (listing, result);
  plugins_listed (all);
}

static void
start (struct listing *listing)
{
  static const struct call_events events = { .done = on_done };
  struct tool *template = tool_ref (listing->template);
  struct toolset *alone = toolset_new (&template, 1, 0);
  struct call *call = call_start (listing->plugin->all->calls,
                                  &(struct call_request){ .kind = CALL_LIST,
                                                          .toolset = alone,
                                                          .name = template->name,
                                                          .name_len = template->name_len,
                                                          .front = "daemon" },
                                  &events, listing);

  if (call != NULL)
    listing->call = call;
  toolset_unref (alone);
}

void
listings_make (struct plugin *plugin)
{
  for (size_t i = 0; i < plugin->described.tools_count; i++) {
    struct tool *tool = plugin->described.tools[i];
    struct listing *listing;
    if (tool->offer != OFFER_TEMPLATE || !tool->lists)
      continue;
    listing = xcalloc (1, sizeof *listing);
    listing->plugin = plugin;
    listing->template = tool_ref (tool);
    listing->due = true;
    listing->next = plugin->listings;
    plugin->listings = listing;
  }
}

void
listings_free (struct plugin *plugin)
{
  for (struct listing *l = plugin->listings, *next; l != NULL; l = next) {
    next = l->next;
    if (l->call != NULL)
      call_abandon (l->call);
    described_free (&l->found);
    tool_unref (l->template);
    free (l);
  }
  plugin->listings = NULL;
}

void
listings_again (struct plugin *plugin)
{
  for (struct listing *l = plugin->listings; l != NULL; l = l->next)
    l->due = true;
}

void
listings_ask (struct plugin *plugin)
{
  for (struct listing *l = plugin->listings; l != NULL; l = l->next)
    if (l->due && l->call == NULL && plugin->all->calls != NULL) {
      l->due = false;
      start (l);
    }
}
