#include "systolic/nn/config/size3.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {

std::string to_string(Size3 size) {
  return str("(", size.depth, ", ", size.height, ", ", size.width, ")");
}

Config to_config(Size3 value) { return Config::List{value.depth, value.height, value.width}; }

void from_config(const Config& config, Size3& value) {
  if (config.is_integer()) {
    value = config.integer();
    return;
  }
  const Config::List& sizes = config.list();
  if (sizes.size() != 3) {
    raise<InvalidArgument>(
        {.what = str("configuration holds ", config.text()), .wanted = "a list of three"});
  }
  value = Size3(sizes[0].integer(), sizes[1].integer(), sizes[2].integer());
}

}  // namespace systolic::inline v0
