# Who calls over HTTP, and what they may do.
libhost_la_SOURCES += \
  %D%/auth.c %D%/auth.h \
  %D%/jwks.c %D%/jwks.h \
  %D%/jwks_url.c %D%/jwks_url.h \
  %D%/jwt.c %D%/jwt.h \
  %D%/keys.c %D%/keys.h \
  %D%/oauth.c %D%/oauth.h \
  %D%/roles.c %D%/roles.h \
  %D%/verified.c %D%/verified.h
