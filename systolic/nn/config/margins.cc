#include "systolic/nn/config/margins.h"

#include "systolic/base/error.h"
#include "systolic/nn/config/field_values.h"

namespace systolic::inline v0 {

Config margins_config(const std::vector<std::pair<int64_t, int64_t>>& sides) {
  return sides.size() == 1 ? to_config(sides.front()) : to_config(sides);
}

std::vector<std::pair<int64_t, int64_t>> margins_from(const Config& config, int rank) {
  const auto axes = static_cast<size_t>(rank);
  if (config.is_integer()) return {axes, {config.integer(), config.integer()}};
  std::vector<std::pair<int64_t, int64_t>> sides(axes);
  if (rank == 1) {
    from_config(config, sides.front());
    return sides;
  }
  const Config::List& list = config.list();
  if (list.size() != axes) {
    raise<InvalidArgument>({.what = str("configuration holds ", config.text()),
                            .wanted = str("a list of ", rank, ", one for each axis")});
  }
  for (size_t i = 0; i < axes; ++i) {
    if (list[i].is_integer()) {
      sides[i] = {list[i].integer(), list[i].integer()};
    } else {
      from_config(list[i], sides[i]);
    }
  }
  return sides;
}

}  // namespace systolic::inline v0
