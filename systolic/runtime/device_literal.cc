#include "systolic/runtime/device_literal.h"

#include <limits>

#include "systolic/base/error.h"
#include "systolic/base/log.h"

namespace systolic::inline v0 {
namespace runtime {
namespace {

Literal narrowed(const Literal& literal, std::string_view component) {
  constexpr int64_t low = std::numeric_limits<int32_t>::min(),
                    high = std::numeric_limits<int32_t>::max();
  const auto values = literal.data<int64_t>();
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] >= low && values[i] <= high) continue;
    raise<InvalidArgument>(
        {.what = str("component '", component, "': element ", i, " is ", values[i],
                     ", which does not fit the device's int32"),
         .wanted = str(low, " to ", high),
         .hint = "map large ids to a smaller range, or split them into two components"});
  }
  log_once(LogLevel::info,
           str("int64 input '", component, "' goes to the device as int32 (values are checked)."));
  return literal.convert(DType::i32);
}

}  // namespace

Literal device_literal(const Literal& literal, std::string_view component) {
  if (literal.dtype() == DType::i64) return narrowed(literal, component);
  if (literal.dtype() == DType::f64) return literal.convert(DType::f32);
  if (literal.dtype() != DType::string) return literal;
  raise<InvalidArgument>(
      {.what = str("component '", component, "' holds text, which no device can take"),
       .hint = "turn it into numbers in a map(), or drop it there"});
}

}  // namespace runtime
}  // namespace systolic::inline v0
