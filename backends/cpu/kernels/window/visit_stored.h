// The kinds and types that windows are folded in. Internal.
#pragma once

#include "backends/cpu/kernels/reduce/reduce_combine.h"
#include "systolic/base/error.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace kernels {

// Calls visitor(KindTag, Stored type tag): small floats as they are stored, the others as their
// stand-ins.
template <class Visitor>
void visit_stored(ReduceKind kind, DType dtype, Visitor&& visitor) {
  if (!Reduction::supports(kind, dtype)) {
    raise<Unimplemented>({.what = str("this window reduction of ", dtype),
                          .wanted = "bits of integers or pred, sums of numbers but complex"});
  }
  visit_reduction(kind, dtype, [&](auto kind_tag, auto type_tag) {
    if constexpr (std::is_same_v<typename decltype(type_tag)::type, float>) {
      switch (dtype) {
        case DType::bf16:
          return visitor(kind_tag, TypeTag<bfloat16>{});
        case DType::f16:
          return visitor(kind_tag, TypeTag<float16>{});
        case DType::f8e4m3fn:
          return visitor(kind_tag, TypeTag<float8_e4m3fn>{});
        case DType::f8e5m2:
          return visitor(kind_tag, TypeTag<float8_e5m2>{});
        default:
          break;
      }
    }
    visitor(kind_tag, type_tag);
  });
}

}  // namespace kernels
}  // namespace systolic::inline v0
