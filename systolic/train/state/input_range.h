// Which integers a model takes. Internal to train.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "systolic/ir/module.h"

namespace systolic::inline v0 {

// A layer looks up the integers of input `input`, or of a part of it, in a table of `limit` rows.
struct InputRange {
  size_t input = 0;
  int64_t limit = 0;
  std::optional<ir::SliceAttributes> part = {};
  bool cuts = false;       // of floats, which a cast makes integers
  std::string layer = {};  // its path
};

}  // namespace systolic::inline v0
