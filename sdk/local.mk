# What a tool's author needs: headers, pkg-config files, a macro for configure.ac, and the templates
# that `toolhost new` fills.
include_HEADERS += %D%/toolhost.h %D%/toolhost-mock.h
pkgconfig_DATA += %D%/toolhost.pc %D%/toolhost-mock.pc
dist_aclocal_DATA += %D%/toolhost.m4

templatedir = $(pkgdatadir)/template
dist_template_DATA = \
  %D%/template/gitignore.in \
  %D%/template/plugin.c.in \
  %D%/template/plugin.mk.in \
  %D%/template/readme.md.in \
  %D%/template/test.c.in

EXTRA_DIST += %D%/toolhost.pc.in %D%/toolhost-mock.pc.in
CLEANFILES += %D%/toolhost.pc %D%/toolhost-mock.pc

# The way from the folder of the .pc files to another one: with it the tree may be moved or staged.
pc_way = realpath -m --relative-to='$(pkgconfigdir)'
pc_fill = $(AM_V_GEN)$(MKDIR_P) %D% && $(SED) \
	-e "s|@pc_prefix[@]|$$($(pc_way) '$(prefix)')|" \
	-e "s|@pc_includedir[@]|$$($(pc_way) '$(includedir)')|" \
	-e "s|@pc_libdir[@]|$$($(pc_way) '$(libdir)')|" \
	-e 's|@VERSION[@]|$(VERSION)|'

%D%/toolhost.pc: %D%/toolhost.pc.in Makefile
	$(pc_fill) $(srcdir)/$@.in > $@.tmp && mv -f $@.tmp $@
%D%/toolhost-mock.pc: %D%/toolhost-mock.pc.in Makefile
	$(pc_fill) $(srcdir)/$@.in > $@.tmp && mv -f $@.tmp $@
