/* greeting.c - a library that a plugin brings along in its folder. */
const char *greeting (void);

__attribute__ ((visibility ("default"))) const char *
greeting (void)
{
  return GREETING;
}
