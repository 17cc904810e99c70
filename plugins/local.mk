# The plugins that ship, each in its folder, each written against sdk/ alone.  Everything of a plugin is
# in a convenience library, so that its test is linked with the same objects.
BUNDLED_LINKFLAGS = $(PLUGIN_LINKFLAGS) -export-symbols-regex '^toolhost_plugin_entry$$'
PLUGIN_TEST_LIBS = plugins/common/libplugincommon.la libtoolhost-mock.la $(CUNIT_LIBS)

include plugins/common/local.mk
include plugins/actions/local.mk
include plugins/agent/local.mk
include plugins/agent_as_handoff/local.mk
include plugins/azure_search/local.mk
include plugins/echo/local.mk
include plugins/calculator/local.mk
include plugins/clock/local.mk
include plugins/conformance/local.mk
include plugins/data_query/local.mk
include plugins/end_call/local.mk
include plugins/ffi/local.mk
include plugins/files/local.mk
include plugins/hash/local.mk
include plugins/http_get/local.mk
include plugins/mcp/local.mk
include plugins/openapi/local.mk
include plugins/request_transfer/local.mk
include plugins/send_dtmf/local.mk
include plugins/transfer_call/local.mk
include plugins/web_search/local.mk
