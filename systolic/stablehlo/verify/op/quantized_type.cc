#include "systolic/stablehlo/verify/op/quantized_type.h"

#include <cmath>
#include <limits>
#include <utility>

#include "systolic/base/text.h"
#include "systolic/stablehlo/print.h"
#include "systolic/stablehlo/verify/op/types.h"

namespace systolic::inline v0 {
namespace stablehlo {

namespace {

// The numbers above 0 that an expressed type holds; those of f64 where nothing narrower is known.
std::pair<double, double> scale_range(ElementType expressed) {
  using F = std::numeric_limits<float>;
  switch (expressed) {
    case ElementType::f16:
      return {std::ldexp(1.0, -24), 65504.0};
    case ElementType::bf16:
      return {std::ldexp(1.0, -133), std::ldexp(255.0, 120)};
    case ElementType::f32:
      return {F::denorm_min(), F::max()};
    default:
      return {std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max()};
  }
}

class QuantizedType {
 public:
  QuantizedType(const Program& program, TypeId id, size_t offset)
      : program_(program), id_(id), type_(program.type(id)), offset_(offset) {}

  void verify() const {
    const Quantization& q = *type_.quantization;
    Type storage, expressed;
    storage.element = q.storage;
    expressed.element = q.expressed;
    require(is_integer(storage), 0, "storage_type", info(q.storage).name, "an integer type");
    require(is_float(expressed), 0, "expressed_type", info(q.expressed).name, "a float type");
    const auto [least, most] = range_of(q.storage);
    const auto [low, high] = storage_range(q);
    require(least <= low && low < high && high <= most, 3, "storage_min and storage_max",
            str(low, ":", high), str("a range within ", least, ":", most));
    for (double scale : q.scales) {
      require(std::isfinite(scale), 6, "scale", str(scale), "a finite number");
      require(scale > 0, 5, "scale", str(scale), "more than 0");
      const auto [smallest, largest] = scale_range(q.expressed);
      require(smallest <= scale && scale <= largest, 6, "scale", str(scale),
              str(smallest, " to ", largest, ", what ", info(q.expressed).name, " holds"));
    }
    for (int64_t zero_point : q.zero_points) {
      require(low <= zero_point && zero_point <= high, 7, "zero_point", str(zero_point),
              str(low, " to ", high));
    }
    verify_axis(q);
  }

 private:
  void verify_axis(const Quantization& q) const {
    if (!q.axis) {
      return require(q.scales.size() == 1, 10, "size(scales) without an axis", str(q.scales.size()),
                     "1");
    }
    require(*q.axis >= 0, 11, "quantization_dimension", str(*q.axis), "0 or more");
    if (type_.kind != Type::Kind::tensor || type_.unranked) return;
    const auto rank = static_cast<int64_t>(type_.dims.size());
    require(*q.axis < rank, 12, "quantization_dimension", str(*q.axis),
            str("less than rank ", rank));
    const int64_t size = type_.dims[static_cast<size_t>(*q.axis)];
    require(compatible(size, static_cast<int64_t>(q.scales.size())), 13, "size(scales)",
            str(q.scales.size()), str(size, " = dim(self, ", *q.axis, ")"));
  }

  void require(bool holds, int constraint, std::string_view what, std::string_view got,
               std::string wanted) const {
    if (holds) return;
    const std::string label =
        constraint == 0 ? "quantized_type" : str("quantized_type_c", constraint);
    raise_at(program_, offset_, str(label, ": ", what, " of ", type_text(program_, id_)),
             std::string(got), std::move(wanted));
  }

  const Program& program_;
  TypeId id_;
  const Type& type_;
  size_t offset_;
};

}  // namespace

void verify_quantized_type(const Program& program, TypeId type, size_t offset) {
  QuantizedType(program, type, offset).verify();
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
