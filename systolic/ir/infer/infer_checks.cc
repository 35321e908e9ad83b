#include <algorithm>
#include <limits>

#include "systolic/base/text.h"
#include "systolic/ir/infer/infer_rules.h"

namespace systolic::inline v0 {
namespace ir {

void check_range(const InferInput& input, std::string_view label, std::string_view name,
                 const Axes& axes, int64_t limit) {
  for (int64_t axis : axes) {
    if (axis >= 0 && axis < limit) continue;
    raise_constraint(
        input, label, str(name, " holds ", axis),
        limit == 0 ? "no axes: the array is a scalar" : str("axes in [0, ", limit, ")"));
  }
}

void check_unique(const InferInput& input, std::string_view label, std::string_view name,
                  const Axes& axes) {
  for (size_t i = 1; i < axes.size(); ++i) {
    if (std::find(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(i), axes[i]) ==
        axes.begin() + static_cast<std::ptrdiff_t>(i)) {
      continue;
    }
    raise_constraint(input, label, str(name, " [", join(axes), "] holds ", axes[i], " twice"),
                     "each axis at most once");
  }
}

void check_sorted(const InferInput& input, std::string_view label, std::string_view name,
                  const Axes& axes) {
  if (std::is_sorted(axes.begin(), axes.end())) return;
  raise_constraint(input, label, str(name, " is [", join(axes), "]"), "rising order");
}

void check_size(const InferInput& input, std::string_view label, std::string_view name, size_t size,
                int64_t wanted) {
  if (static_cast<int64_t>(size) == wanted) return;
  raise_constraint(input, label, str(name, " has ", size, " entries"), str(wanted));
}

void check_at_least(const InferInput& input, std::string_view label, std::string_view name,
                    const Axes& values, int64_t lowest) {
  for (int64_t value : values) {
    if (value >= lowest) continue;
    raise_constraint(input, label, str(name, " is [", join(values), "]"),
                     str("entries of ", lowest, " or more"));
  }
}

void check_same_dtype(const InferInput& input, std::string_view label, const Type& type,
                      const Type& wanted) {
  if (type.dtype == wanted.dtype) return;
  raise_constraint(input, label,
                   str("element types differ: ", to_string(wanted), " and ", to_string(type)),
                   "equal ones", "convert one of them");
}

void check_same_type(const InferInput& input, std::string_view label, const Type& type,
                     const Type& wanted) {
  if (type == wanted) return;
  raise_constraint(input, label, str("types ", to_string(wanted), " and ", to_string(type)),
                   "equal ones");
}

void check_scalar(const InferInput& input, std::string_view label, std::string_view name,
                  const Type& type) {
  if (type.shape.rank() == 0) return;
  raise_constraint(input, label, str(name, " is ", to_string(type)), "a scalar");
}

int64_t saturated(__int128 size) {
  constexpr int64_t largest = std::numeric_limits<int64_t>::max();
  return size > largest ? largest : static_cast<int64_t>(size);
}

namespace {

std::vector<Type> types_of(const InferInput& input, const std::vector<ValueId>& values) {
  std::vector<Type> types;
  types.reserve(values.size());
  for (ValueId value : values) types.push_back(input.function->type(value));
  return types;
}

std::string types_text(std::span<const Type> types) { return str("(", join(types), ")"); }

// StableHLO's is_promotable: the same kind of number, at least as wide.
bool is_promotable(DType from, DType to) {
  if (from == to) return true;
  const bool same_kind = (is_float(from) && is_float(to)) || (is_complex(from) && is_complex(to)) ||
                         (is_signed_integer(from) && is_signed_integer(to)) ||
                         (is_unsigned_integer(from) && is_unsigned_integer(to));
  return same_kind && byte_width(from) <= byte_width(to);
}

}  // namespace

std::vector<Type> region_arguments(const InferInput& input, size_t region) {
  return types_of(input, input.regions[region].arguments);
}

std::vector<Type> region_results(const InferInput& input, size_t region) {
  return types_of(input, input.regions[region].results);
}

void check_region_arguments(const InferInput& input, std::string_view label, size_t region,
                            std::span<const Type> wanted) {
  const std::vector<Type> got = region_arguments(input, region);
  if (std::equal(got.begin(), got.end(), wanted.begin(), wanted.end())) return;
  raise_constraint(input, label, str("region ", region, " takes ", types_text(got)),
                   types_text(wanted));
}

std::vector<DType> fold_types(const InferInput& input, std::string_view label, size_t region,
                              std::span<const Type> arrays) {
  const std::vector<Type> results = region_results(input, region);
  if (results.size() != arrays.size()) {
    raise_constraint(input, label,
                     str("the region returns ", results.size(), " values ", types_text(results)),
                     str(arrays.size(), ", one for each array"));
  }
  std::vector<DType> dtypes;
  std::vector<Type> wanted;
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (results[i].shape.rank() != 0 || !is_promotable(arrays[i].dtype, results[i].dtype)) {
      raise_constraint(
          input, label,
          str("the region returns ", to_string(results[i]), " for an array ", to_string(arrays[i])),
          str("a scalar of ", to_string(arrays[i].dtype)));
    }
    dtypes.push_back(results[i].dtype);
    wanted.push_back(results[i]);
  }
  wanted.insert(wanted.end(), results.begin(), results.end());
  check_region_arguments(input, label, region, wanted);
  return dtypes;
}

}  // namespace ir
}  // namespace systolic::inline v0
