#include "systolic/nn/layers/preprocessing/statistics.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace {

constexpr int most_axes = 8;

Config nested(const Literal& array, int axis, int64_t& next) {
  if (axis == array.rank()) return array.number_at(next++);
  Config::List list;
  for (int64_t i = 0; i < array.shape()[axis]; ++i) list.push_back(nested(array, axis + 1, next));
  return list;
}

// Sizes of lists in lists by their first elements; every list must have that size.
void read_nested(const Config& config, size_t axis, std::vector<int64_t>& sizes,
                 std::vector<double>& values) {
  if (!config.is_list()) {
    if (axis != sizes.size())
      raise<InvalidArgument>({.what = "lists of several depths", .wanted = "one"});
    values.push_back(config.number());
    return;
  }
  const auto size = static_cast<int64_t>(config.list().size());
  if (axis == sizes.size() && values.empty() && axis < most_axes) sizes.push_back(size);
  if (axis >= sizes.size() || sizes[axis] != size || size == 0)
    raise<InvalidArgument>({.what = "lists of several lengths", .wanted = "one, 1 or more"});
  for (const Config& item : config.list()) read_nested(item, axis + 1, sizes, values);
}

}  // namespace

Statistics::Statistics(double value) : array_(Literal::scalar(value)) {}
Statistics::Statistics(std::initializer_list<double> values)
    : Statistics(std::vector<double>(values)) {}
Statistics::Statistics(const std::vector<double>& values)
    : array_(Literal::from(values, {static_cast<int64_t>(values.size())})) {}
Statistics::Statistics(const Literal& array) : array_(array.convert(DType::f64)) {}

Config to_config(const Statistics& statistics) {
  if (!statistics.given()) return {};
  int64_t next = 0;
  return nested(statistics.array(), 0, next);
}

void from_config(const Config& config, Statistics& statistics) {
  statistics = {};
  if (config.is_null()) return;
  std::vector<int64_t> sizes;
  std::vector<double> values;
  read_nested(config, 0, sizes, values);
  statistics = Statistics(Literal::from(values, Shape(sizes)));
}

}  // namespace systolic::inline v0
