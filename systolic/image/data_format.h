// Which axis of a picture holds the channels.
#pragma once

#include <cstdint>
#include <string_view>

#include "systolic/core/literal.h"

namespace systolic::inline v0 {
namespace image {

enum class DataFormat : uint8_t {
  channels_last,   // [height, width, channels], or with a batch before
  channels_first,  // [channels, height, width], or with a batch before
};

// Sizes of one picture or a batch. Pixels of a plane have `step` numbers each: a picture with
// channels first is `planes` of one number, with channels last one of `channels`.
struct Extent {
  int64_t batch = 1, height = 0, width = 0, channels = 0;
  DataFormat format = DataFormat::channels_last;
  bool has_batch = false;

  int64_t planes() const { return format == DataFormat::channels_first ? batch * channels : batch; }
  int64_t step() const { return format == DataFormat::channels_first ? 1 : channels; }
  // The same with other height and width.
  Shape shape(int64_t new_height, int64_t new_width) const;
};

// For [height, width, channels] or [batch, height, width, channels], or channels first.
// InvalidArgument, starting with `function`, for another rank, an empty axis or another type than
// u8 and f32.
Extent extent_of(std::string_view function, const Literal& images,
                 DataFormat format = DataFormat::channels_last);

}  // namespace image
}  // namespace systolic::inline v0
