# JSON Schema: compile once, validate many, say what is wrong, mend what is a little wrong.
libhost_la_SOURCES += \
  %D%/check.c %D%/check.h \
  %D%/choice.c \
  %D%/compile.h \
  %D%/dialect.c %D%/dialect.h \
  %D%/evaluated.c %D%/evaluated.h \
  %D%/identity.c \
  %D%/json_c.h \
  %D%/keywords.c %D%/keywords.h \
  %D%/keywords_nested.c \
  %D%/keywords_scalar.c \
  %D%/keywords_shared.c \
  %D%/link.c \
  %D%/program.h \
  %D%/registry.c %D%/registry.h \
  %D%/schema.c %D%/schema.h \
  %D%/unique.c \
  %D%/uri.c %D%/uri.h \
  %D%/validate.c \
  %D%/validate_json_c.c \
  %D%/words.c %D%/words.h

# Patterns: most of them without an engine, the others by PCRE2.
libhost_la_SOURCES += \
  %D%/regex/ecma.c %D%/regex/ecma.h \
  %D%/regex/ecma_set.c \
  %D%/regex/engine.c %D%/regex/engine.h \
  %D%/regex/nfa.c %D%/regex/nfa.h \
  %D%/regex/property.c \
  %D%/regex/refer.c \
  %D%/regex/regex.c %D%/regex/regex.h \
  %D%/regex/set.c \
  %D%/regex/simple.c %D%/regex/simple.h \
  %D%/regex/translate.c \
  %D%/regex/tree.h

# The values of "format" that are asserted.  Needs libidn2.
libhost_la_SOURCES += \
  %D%/format/chars.c \
  %D%/format/format.c %D%/format/format.h \
  %D%/format/id.c \
  %D%/format/idn.c \
  %D%/format/kinds.h \
  %D%/format/net.c \
  %D%/format/template.c \
  %D%/format/time.c \
  %D%/format/uri.c

# Why a value does not fit, for models and for programs.
libhost_la_SOURCES += \
  %D%/explain/branches.c \
  %D%/explain/describe.c %D%/explain/describe.h \
  %D%/explain/explain.c %D%/explain/explain.h \
  %D%/explain/finding.c %D%/explain/finding.h \
  %D%/explain/guess.c %D%/explain/guess.h \
  %D%/explain/harmless.c %D%/explain/harmless.h \
  %D%/explain/inside.c \
  %D%/explain/line.c %D%/explain/line.h \
  %D%/explain/mark.c %D%/explain/mark.h \
  %D%/explain/phrase.c %D%/explain/phrase.h \
  %D%/explain/place.c %D%/explain/place.h \
  %D%/explain/problem.c %D%/explain/problem.h \
  %D%/explain/problem_names.c \
  %D%/explain/problem_parts.c %D%/explain/problem_parts.h \
  %D%/explain/secret.c %D%/explain/secret.h \
  %D%/explain/walk.h

# Arguments mended.
libhost_la_SOURCES += \
  %D%/repair/edit.c %D%/repair/edit.h \
  %D%/repair/name.c \
  %D%/repair/repair.c %D%/repair/repair.h \
  %D%/repair/value.c \
  %D%/repair/walk.c \
  %D%/repair/work.h

# The metaschemas, as the drafts define them.
metaschemas = \
  %D%/meta/2019-09.json %D%/meta/2019-09-applicator.json %D%/meta/2019-09-content.json \
  %D%/meta/2019-09-core.json %D%/meta/2019-09-format.json %D%/meta/2019-09-meta-data.json \
  %D%/meta/2019-09-validation.json \
  %D%/meta/2020-12.json %D%/meta/2020-12-applicator.json %D%/meta/2020-12-content.json \
  %D%/meta/2020-12-core.json %D%/meta/2020-12-format-annotation.json \
  %D%/meta/2020-12-format-assertion.json %D%/meta/2020-12-meta-data.json \
  %D%/meta/2020-12-unevaluated.json %D%/meta/2020-12-validation.json \
  %D%/meta/draft-04.json %D%/meta/draft-06.json %D%/meta/draft-07.json
EXTRA_DIST += $(metaschemas) %D%/meta/table.awk
nodist_libhost_la_SOURCES += %D%/metaschemas.c
%D%/metaschemas.c: $(metaschemas) %D%/meta/table.awk
	$(AM_V_GEN)$(MKDIR_P) $(@D) && (cd $(srcdir) && $(AWK) -f %D%/meta/table.awk $(metaschemas)) > $@.tmp \
	  && mv -f $@.tmp $@
