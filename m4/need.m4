# What the build needs.  Each macro notes what is missing, with the Debian package that brings it;
# TH_NEED_REPORT then names all of them at once.

# TH_NEED_PKG(VARIABLE, MODULE, DEBIAN-PACKAGE): by pkg-config; also sets VARIABLE_VERSION.
AC_DEFUN([TH_NEED_PKG], [
  PKG_CHECK_MODULES([$1], [$2],
    [$1_VERSION=`$PKG_CONFIG --modversion "m4_bpatsubst([$2], [ .*])"`],
    [_TH_MISSING([$2], [$3])])
])

# TH_NEED_LIB(VARIABLE, HEADER, LIBRARY, FUNCTION, DEBIAN-PACKAGE): for what has no pkg-config file.
AC_DEFUN([TH_NEED_LIB], [
  AC_CHECK_HEADER([$2], [AC_CHECK_LIB([$3], [$4], [$1_LIBS=-l$3], [_TH_MISSING([lib$3], [$5])])],
    [_TH_MISSING([$2], [$5])])
  AC_SUBST([$1_LIBS])
])

# TH_NEED_HEADER(HEADER, DEBIAN-PACKAGE)
AC_DEFUN([TH_NEED_HEADER], [AC_CHECK_HEADER([$1], [], [_TH_MISSING([$1], [$2])])])

AC_DEFUN([_TH_MISSING], [
  AC_MSG_WARN([$1 was not found; Debian has it in $2])
  AS_VAR_APPEND([th_missing], [" $2"])
])

AC_DEFUN([TH_NEED_REPORT], [
  AS_IF([test -n "$th_missing"],
    [AC_MSG_ERROR([something that toolhost needs is missing (see above); on Debian:
    apt install$th_missing])])
])
