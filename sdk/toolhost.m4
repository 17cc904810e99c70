# toolhost.m4 - for the configure.ac of a plugin.
#
# SPDX-License-Identifier: MIT
#
# TOOLHOST_PLUGIN([MINIMUM-VERSION], [IF-FOUND], [IF-NOT-FOUND])
#
# Looks for the toolhost SDK and substitutes
#   TOOLHOST_CFLAGS      compiler flags for plugins
#   TOOLHOST_LDFLAGS     libtool flags for plugins: foo_la_LDFLAGS = $(TOOLHOST_LDFLAGS)
#   TOOLHOST_MOCK_CFLAGS and TOOLHOST_MOCK_LIBS, for unit tests with the mock host
#   toolhost_plugindir   where toolhostd looks for plugins
# The user may set each of them.  Without IF-NOT-FOUND a missing SDK ends configure.
AC_DEFUN([TOOLHOST_PLUGIN], [
  AC_REQUIRE([PKG_PROG_PKG_CONFIG])
  PKG_CHECK_MODULES([TOOLHOST], [toolhost m4_ifval([$1], [>= $1])], [
    PKG_CHECK_MODULES([TOOLHOST_MOCK], [toolhost-mock m4_ifval([$1], [>= $1])], [:], [
      AC_MSG_NOTICE([toolhost-mock was not found: tests with the mock host can not be built])
    ])
    PKG_CHECK_VAR([toolhost_plugindir], [toolhost], [plugindir])
    AC_SUBST([TOOLHOST_LDFLAGS],
      ["-module -avoid-version -shared -export-symbols-regex '^toolhost_plugin_entry\$\$' -Wl,-z,defs"])
    $2
  ], [
    m4_default([$3], [
      AC_MSG_ERROR([the toolhost SDK was not found; set PKG_CONFIG_PATH to the folder that has toolhost.pc])
    ])
  ])
])
