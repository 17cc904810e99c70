# Our verdicts beside those of another validator: built and run by ./dev diff.
EXTRA_PROGRAMS += %D%/verdicts
%C%_verdicts_SOURCES = %D%/verdicts.c
%C%_verdicts_LDADD = $(HOST_LIBS)

EXTRA_DIST += %D%/differ.mjs %D%/generate.mjs %D%/reasons.mjs %D%/shrink.mjs
