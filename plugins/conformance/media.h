/* media.h - the smallest image and the smallest sound. */
#ifndef TOOLHOST_PLUGINS_CONFORMANCE_MEDIA_H
#define TOOLHOST_PLUGINS_CONFORMANCE_MEDIA_H

enum { MEDIA_PNG = 69, MEDIA_WAV = 52 }; /* bytes */

extern const unsigned char media_png[MEDIA_PNG]; /* image/png */
extern const unsigned char media_wav[MEDIA_WAV]; /* audio/wav */

#endif
