libhost_la_SOURCES += \
	%D%/catalog.c %D%/catalog.h \
	%D%/definition.c %D%/definition.h \
	%D%/digest.c %D%/digest.h \
	%D%/directory.c %D%/directory.h \
	%D%/discovery.c %D%/discovery.h \
	%D%/elf.c %D%/elf.h \
	%D%/filter.c %D%/filter.h \
	%D%/front_matter.c %D%/front_matter.h \
	%D%/hash.c %D%/hash.h \
	%D%/mirrored.c %D%/mirrored.h \
	%D%/offers.c %D%/reading.h \
	%D%/poison.c %D%/poison.h \
	%D%/project/project.c %D%/project/project.h %D%/project/walk.h \
	%D%/project/action.c \
	%D%/project/array.c \
	%D%/project/expand.c \
	%D%/project/limits.c \
	%D%/project/members.c \
	%D%/project/object.c \
	%D%/project/refs.c \
	%D%/project/schema.c \
	%D%/project/toolset.c \
	%D%/project/union.c \
	%D%/project/view.c \
	%D%/project/words.c \
	%D%/provider.c %D%/provider.h \
	%D%/search.c %D%/search.h \
	%D%/settle.c %D%/settle.h \
	%D%/skill.c %D%/skill.h \
	%D%/skill_index.c %D%/skill_index.h \
	%D%/source.c %D%/source.h \
	%D%/copies.c %D%/copies.h \
	%D%/strict.c %D%/strict.h \
	%D%/toolset.c %D%/toolset.h \
	%D%/tree.c %D%/tree.h \
	%D%/views.c %D%/views.h
nodist_libhost_la_SOURCES += %D%/definition.schema.c %D%/resource.schema.c %D%/prompt.schema.c %D%/guard.schema.c
dist_schema_DATA += %D%/definition.schema.json %D%/resource.schema.json %D%/prompt.schema.json %D%/guard.schema.json

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
