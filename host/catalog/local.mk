libhost_la_SOURCES += \
	%D%/catalog.c %D%/catalog.h \
	%D%/definition.c %D%/definition.h \
	%D%/discovery.c %D%/discovery.h \
	%D%/project.c %D%/project.h %D%/project_walk.h \
	%D%/project_limits.c \
	%D%/project_object.c \
	%D%/project_refs.c \
	%D%/project_schema.c \
	%D%/project_toolset.c \
	%D%/project_union.c \
	%D%/project_view.c \
	%D%/project_words.c \
	%D%/provider.c %D%/provider.h \
	%D%/toolset.c %D%/toolset.h
nodist_libhost_la_SOURCES += %D%/definition.schema.c
dist_schema_DATA += %D%/definition.schema.json

# What providers of models take: provider.c has a table of the same names.
provider_profiles = \
	%D%/providers/ag-ui.json \
	%D%/providers/anthropic.json \
	%D%/providers/anthropic-strict.json \
	%D%/providers/gemini.json \
	%D%/providers/mcp.json \
	%D%/providers/mcp-2024-11-05.json \
	%D%/providers/mcp-2025-03-26.json \
	%D%/providers/mcp-2025-06-18.json \
	%D%/providers/mcp-2025-11-25.json \
	%D%/providers/openai.json \
	%D%/providers/openai-strict.json
EXTRA_DIST += $(provider_profiles)
nodist_libhost_la_SOURCES += \
	%D%/providers/ag-ui.c \
	%D%/providers/anthropic.c \
	%D%/providers/anthropic-strict.c \
	%D%/providers/gemini.c \
	%D%/providers/mcp.c \
	%D%/providers/mcp-2024-11-05.c \
	%D%/providers/mcp-2025-03-26.c \
	%D%/providers/mcp-2025-06-18.c \
	%D%/providers/mcp-2025-11-25.c \
	%D%/providers/openai.c \
	%D%/providers/openai-strict.c

%D%/providers/%.c: %D%/providers/%.json $(srcdir)/host/embed.awk
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(AWK) -f $(srcdir)/host/embed.awk $< > $@.tmp && mv -f $@.tmp $@
