/* What the compiler's C++ library asks of a C library newer than the one that portable binaries may need.
   A program that links this and a newer C library keeps the newer one's: these are hidden. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

/* glibc 2.32: whether the process has one thread. "No" is always safe: counts of references stay atomic. */
__attribute__((visibility("hidden"))) char __libc_single_threaded = 0;

/* glibc 2.36: a random number of the kernel's; std::random_device asks for it. */
__attribute__((visibility("hidden"))) uint32_t arc4random(void) {
  uint32_t number;
  if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) abort();
  return number;
}
