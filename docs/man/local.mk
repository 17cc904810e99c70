# Manual pages, written in mdoc(7); `mandoc -T lint` has nothing to say of them.
dist_man_MANS += \
  %D%/toolhost-plugin.3 \
  %D%/toolhost-schema.1 \
  %D%/toolhost-worker.8 \
  %D%/toolhost.1 \
  %D%/toolhostd.8 \
  %D%/toolhostd.json.5
