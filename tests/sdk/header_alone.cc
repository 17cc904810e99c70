// toolhost.h needs nothing before it, in C++ either.
#include <toolhost.h>

#include <toolhost-mock.h>
