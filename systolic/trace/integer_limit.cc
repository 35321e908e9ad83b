#include "systolic/trace/integer_limit.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {

void check_limit(const IntegerLimit& limit, const runtime::IntegerBounds& bounds,
                 SourceLocation location) {
  if (bounds.least >= 0 && bounds.most < limit.below) return;
  const ErrorScope scope(limit.layer_path);
  raise<InvalidArgument>(
      {.what = str("value ", bounds.least < 0 ? bounds.least : bounds.most, " among integers"),
       .wanted = str("0 to ", limit.below - 1, ": the layer knows ", limit.below),
       .location = location});
}

}  // namespace systolic::inline v0
