/* A shared object that is no plugin. */
__attribute__ ((visibility ("default"))) int no_entry_at_all (void);

int
no_entry_at_all (void)
{
  return 0;
}
