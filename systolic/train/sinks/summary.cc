#include "systolic/train/sinks/summary.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/events/event_stream.h"
#include "systolic/io/encoding/png.h"
#include "systolic/train/sinks/summary_value.h"

namespace systolic::inline v0 {
namespace summary {
namespace {

void tell(std::string_view name, const SummaryOptions& options, std::string value) {
  publish(
      events::Summary{.tag = std::string(name), .step = options.step, .value = std::move(value)});
}

// [batch, height, width, channels] of bytes.
Literal as_bytes(std::string_view name, const Literal& images, SourceLocation location) {
  const Shape& shape = images.shape();
  const bool has_rank = shape.rank() == 3 || shape.rank() == 4;
  if (!has_rank || shape[shape.rank() - 1] < 1 || shape[shape.rank() - 1] > 4) {
    raise<InvalidArgument>(
        {.what = str("summary::image '", name, "'"),
         .got = to_string(shape),
         .wanted = "[batch, height, width, channels] or [height, width, channels], 1 to 4 channels",
         .location = location});
  }
  const int64_t first = shape.rank() == 4 ? 0 : -1;
  const Shape four{first == 0 ? shape[0] : 1, shape[first + 1], shape[first + 2], shape[first + 3]};
  if (images.dtype() == DType::u8) return images.reshape(four);
  std::vector<uint8_t> bytes(static_cast<size_t>(shape.elements()));
  for (size_t i = 0; i < bytes.size(); ++i) {
    const double number = images.number_at(static_cast<int64_t>(i));
    bytes[i] = static_cast<uint8_t>(std::lround(255 * (number > 0 ? std::min(number, 1.0) : 0)));
  }
  return Literal::from(bytes, four);
}

}  // namespace

void scalar(std::string_view name, double value, const SummaryOptions& options) {
  publish(events::Summary{.tag = std::string(name),
                          .step = options.step,
                          .number = value,
                          .value = scalar_value(name, value)});
}

void histogram(std::string_view name, const Literal& values, const SummaryOptions& options) {
  const Literal numbers = values.convert(DType::f32);
  tell(name, options, histogram_value(name, numbers.data<float>()));
}

void image(std::string_view name, const Literal& images, const SummaryOptions& options) {
  const Literal bytes = as_bytes(name, images, options.location);
  const Shape& shape = bytes.shape();
  std::vector<std::string> pngs;
  for (int64_t i = 0; i < std::min(shape[0], options.max_outputs); ++i) {
    const Literal one = bytes.row(i);
    pngs.push_back(io::encode_png(one.data<uint8_t>(), shape[1], shape[2], shape[3]));
  }
  tell(name, options, images_value(name, shape[1], shape[2], pngs));
}

void text(std::string_view name, std::string_view value, const SummaryOptions& options) {
  tell(name, options, text_value(name, value));
}

}  // namespace summary
}  // namespace systolic::inline v0
