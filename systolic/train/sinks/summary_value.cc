#include "systolic/train/sinks/summary_value.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "systolic/base/protobuf/message.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace {

using protobuf::Message;

// Field numbers of tensorboard/compat/proto: summary.proto, tensor.proto, tensor_shape.proto.
namespace value_field {
constexpr uint32_t tag = 1, simple_value = 2, tensor = 8, metadata = 9;
}
namespace tensor_field {
constexpr uint32_t dtype = 1, shape = 2, content = 4, string_value = 8;
constexpr uint32_t dimension = 2, size = 1;
constexpr int64_t float32 = 1, float64 = 2, string = 7;
}  // namespace tensor_field
// plugins/hparams/plugin_data.proto, google/protobuf/struct.proto.
namespace hparams_field {
constexpr uint32_t session_start = 3, session_end = 4;
constexpr uint32_t parameters = 1, group = 4, start_time = 5;
constexpr uint32_t status = 1, end_time = 2;
constexpr uint32_t key = 1, entry = 2, number = 2, text = 3, boolean = 4;
}  // namespace hparams_field

Message metadata_of(std::string_view plugin, std::string_view content = {}) {
  Message data;
  data.bytes(1, plugin);
  if (!content.empty()) data.bytes(2, content);
  return Message().message(1, data);
}

Message tensor_of(int64_t dtype, const std::vector<int64_t>& sizes) {
  Message shape;
  for (const int64_t size : sizes) {
    Message dimension;
    if (size != 0) dimension.integer(tensor_field::size, size);  // proto3 leaves zeros out
    shape.message(tensor_field::dimension, dimension);
  }
  return Message().integer(tensor_field::dtype, dtype).message(tensor_field::shape, shape);
}

std::string value_of(std::string_view tag, const Message& tensor, const Message& metadata) {
  return Message()
      .bytes(value_field::tag, tag)
      .message(value_field::tensor, tensor)
      .message(value_field::metadata, metadata)
      .data();
}

constexpr size_t histogram_buckets = 30;
using Bucket = std::array<double, 3>;  // left edge, right edge, count

std::array<Bucket, histogram_buckets> buckets_of(const std::vector<double>& numbers) {
  std::array<Bucket, histogram_buckets> buckets{};
  if (numbers.empty()) return buckets;
  const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
  const double first = *low, last = *high, width = (last - first) / histogram_buckets;
  for (size_t i = 0; i < histogram_buckets; ++i) {
    const double step = (last - first) / histogram_buckets;
    buckets[i][0] = first + static_cast<double>(i) * step;
    buckets[i][1] = i + 1 == histogram_buckets ? last : first + static_cast<double>(i + 1) * step;
  }
  for (const double number : numbers) {
    const double place = width > 0 ? std::floor((number - first) / width) : HUGE_VAL;
    const bool inside = place < static_cast<double>(histogram_buckets);
    ++buckets[inside ? static_cast<size_t>(place) : histogram_buckets - 1][2];
  }
  return buckets;
}

// Without a tensor's content: the plugin looks at the metadata alone.
std::string hparams_value(std::string_view tag, const Message& data) {
  return value_of(tag, tensor_of(tensor_field::float32, {0}), metadata_of("hparams", data.data()));
}

Message parameter_message(const HyperParameter& parameter) {
  if (const auto* number = std::get_if<double>(&parameter)) {
    return Message().real(hparams_field::number, *number);
  }
  if (const auto* text = std::get_if<std::string>(&parameter)) {
    return Message().bytes(hparams_field::text, *text);
  }
  return Message().integer(hparams_field::boolean, std::get<bool>(parameter) ? 1 : 0);
}

}  // namespace

std::string scalar_value(std::string_view tag, double number) {
  return Message()
      .bytes(value_field::tag, tag)
      .real(value_field::simple_value, static_cast<float>(number))
      .data();
}

std::string histogram_value(std::string_view tag, std::span<const float> numbers) {
  std::vector<double> finite;
  finite.reserve(numbers.size());
  for (const float number : numbers) {
    if (std::isfinite(number)) finite.push_back(number);
  }
  const auto buckets = buckets_of(finite);
  const std::string_view content(reinterpret_cast<const char*>(buckets.data()), sizeof buckets);
  Message tensor = tensor_of(tensor_field::float64, {int64_t{histogram_buckets}, 3});
  return value_of(tag, tensor.bytes(tensor_field::content, content), metadata_of("histograms"));
}

std::string images_value(std::string_view tag, int64_t height, int64_t width,
                         const std::vector<std::string>& pngs) {
  Message tensor = tensor_of(tensor_field::string, {static_cast<int64_t>(pngs.size()) + 2});
  tensor.bytes(tensor_field::string_value, str(width));
  tensor.bytes(tensor_field::string_value, str(height));
  for (const std::string& png : pngs) tensor.bytes(tensor_field::string_value, png);
  return value_of(tag, tensor, metadata_of("images"));
}

std::string text_value(std::string_view tag, std::string_view text) {
  return value_of(tag, tensor_of(tensor_field::string, {}).bytes(tensor_field::string_value, text),
                  metadata_of("text"));
}

std::string keras_graph_value(std::string_view json) {
  return value_of("keras",
                  tensor_of(tensor_field::string, {}).bytes(tensor_field::string_value, json),
                  metadata_of("graph_keras_model", "1"));
}

std::string hparams_begin_value(const HyperParameters& parameters, std::string_view group,
                                double time) {
  Message start;
  for (const auto& [name, parameter] : parameters) {
    start.message(hparams_field::parameters,
                  Message()
                      .bytes(hparams_field::key, name)
                      .message(hparams_field::entry, parameter_message(parameter)));
  }
  if (!group.empty()) start.bytes(hparams_field::group, group);
  start.real(hparams_field::start_time, time);
  return hparams_value("_hparams_/session_start_info",
                       Message().message(hparams_field::session_start, start));
}

std::string hparams_end_value(HparamsStatus status, double time) {
  const Message end = Message()
                          .integer(hparams_field::status, static_cast<int64_t>(status))
                          .real(hparams_field::end_time, time);
  return hparams_value("_hparams_/session_end_info",
                       Message().message(hparams_field::session_end, end));
}

}  // namespace systolic::inline v0
