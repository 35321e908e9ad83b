#include "systolic/trace/integer_limit.h"

#include <utility>

#include "systolic/base/error.h"

namespace systolic::inline v0 {

void raise_beyond_limit(std::string what, int64_t below, SourceLocation location) {
  raise<InvalidArgument>({.what = std::move(what),
                          .wanted = str("0 to ", below - 1, ": the layer knows ", below),
                          .location = location});
}

void check_limit(const IntegerLimit& limit, const runtime::IntegerBounds& bounds,
                 SourceLocation location) {
  if (bounds.least >= 0 && bounds.most < limit.below) return;
  const ErrorScope scope(limit.layer_path);
  raise_beyond_limit(
      str("value ", bounds.least < 0 ? bounds.least : bounds.most, " among integers"), limit.below,
      location);
}

}  // namespace systolic::inline v0
