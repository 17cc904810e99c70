# JSON Schema: compile once, validate many, say what is wrong, mend what is a little wrong.
libhost_la_SOURCES += \
  %D%/check.c %D%/check.h \
  %D%/choice.c \
  %D%/compile.h \
  %D%/describe.c %D%/describe.h \
  %D%/dialect.c %D%/dialect.h \
  %D%/evaluated.c %D%/evaluated.h \
  %D%/explain.c %D%/explain.h %D%/explain_walk.h \
  %D%/explain_branches.c \
  %D%/explain_inside.c \
  %D%/finding.c %D%/finding.h \
  %D%/format.c %D%/format.h %D%/format_kinds.h \
  %D%/format_chars.c \
  %D%/format_id.c \
  %D%/format_idn.c \
  %D%/format_net.c \
  %D%/format_template.c \
  %D%/format_time.c \
  %D%/format_uri.c \
  %D%/guess.c %D%/guess.h \
  %D%/harmless.c %D%/harmless.h \
  %D%/identity.c \
  %D%/json_c.h \
  %D%/keywords.c \
  %D%/line.c %D%/line.h \
  %D%/link.c \
  %D%/mark.c %D%/mark.h \
  %D%/phrase.c %D%/phrase.h \
  %D%/place.c %D%/place.h \
  %D%/problem.c %D%/problem.h \
  %D%/problem_names.c \
  %D%/problem_parts.c %D%/problem_parts.h \
  %D%/program.h \
  %D%/regex.c %D%/regex.h \
  %D%/regex_ecma.c %D%/regex_tree.h \
  %D%/regex_engine.c %D%/regex_engine.h \
  %D%/regex_nfa.c %D%/regex_nfa.h \
  %D%/regex_property.c \
  %D%/regex_refer.c \
  %D%/regex_set.c \
  %D%/regex_simple.c %D%/regex_simple.h \
  %D%/regex_translate.c \
  %D%/registry.c %D%/registry.h \
  %D%/repair.c %D%/repair.h \
  %D%/repair_edit.c %D%/repair_edit.h \
  %D%/repair_name.c \
  %D%/repair_value.c \
  %D%/repair_walk.c %D%/repair_work.h \
  %D%/schema.c %D%/schema.h \
  %D%/secret.c %D%/secret.h \
  %D%/unique.c \
  %D%/uri.c %D%/uri.h \
  %D%/validate.c \
  %D%/validate_json_c.c \
  %D%/words.c %D%/words.h

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
