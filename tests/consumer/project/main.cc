// Uses an installed Systolic as a stranger would: one include folder, one target.
#include <cstdio>

#include "systolic/core/shape.h"

int main() {
  const systolic::Shape image{28, 28, 1};
  std::printf("%lld\n", static_cast<long long>(image.elements()));
  return image.elements() == 28 * 28 ? 0 : 1;
}
