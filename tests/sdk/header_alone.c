/* toolhost.h needs nothing before it and leaves nothing unused; in C99 it is as pedantic as can be.
 */
#include <toolhost.h>

#include <toolhost-mock.h>
