# TH_CFLAGS(VARIABLE, FLAGS): those of the flags that the C compiler takes.
AC_DEFUN([TH_CFLAGS], [
  $1=
  th_saved=$CFLAGS
  for th_flag in $2; do
    AC_MSG_CHECKING([whether $CC takes $th_flag])
    CFLAGS="$th_saved -Werror $th_flag"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM],
      [AC_MSG_RESULT([yes]); AS_VAR_APPEND([$1], [" $th_flag"])], [AC_MSG_RESULT([no])])
  done
  CFLAGS=$th_saved
])

# TH_PIE: programs are position-independent, by the compiler's default or by flag.
AC_DEFUN([TH_PIE], [
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
      #ifndef __PIE__
      #error not by default
      #endif
    ]])],
    [pie_how="independent, the compiler's default"; PIE_CFLAGS=; PIE_LDFLAGS=],
    [pie_how="independent, by -fPIE"; PIE_CFLAGS=-fPIE; PIE_LDFLAGS=-pie])
  AC_SUBST([PIE_CFLAGS])
  AC_SUBST([PIE_LDFLAGS])
])
