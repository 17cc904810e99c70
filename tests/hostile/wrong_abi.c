/* A plugin of a time that has not come yet. */
#include <toolhost.h>

const toolhost_plugin *
toolhost_plugin_entry (const toolhost_host *host)
{
  static const toolhost_plugin plugin = {
    .struct_size = sizeof plugin, .abi = 7, .name = "wrong_abi", .version = "1.0"
  };

  (void) host;
  return &plugin;
}
