#include "systolic/runtime/takes_rows.h"

#include "systolic/base/error.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace runtime {

ir::Type type_of_rows(std::span<const Literal> rows) {
  if (rows.empty()) {
    raise<InvalidArgument>({.what = "an array of no rows", .wanted = "at least one"});
  }
  const ir::Type first{rows[0].dtype(), rows[0].shape()};
  for (size_t i = 1; i < rows.size(); ++i) {
    const ir::Type type{rows[i].dtype(), rows[i].shape()};
    if (type == first) continue;
    raise<InvalidArgument>({.what = str("row ", i, " of an array"),
                            .got = ir::to_string(type),
                            .wanted = str(ir::to_string(first), ", as row 0")});
  }
  return {first.dtype, first.shape.with_inserted(0, static_cast<int64_t>(rows.size()))};
}

}  // namespace runtime
}  // namespace systolic::inline v0
