// What TensorBoard shows, as the messages of its files: Value of
// tensorboard/compat/proto/summary.proto, serialized. Internal to train.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace systolic::inline v0 {

// A number, as a float32 scalar: a curve of TensorBoard.
std::string scalar_value(std::string_view tag, double number);

// Thirty buckets of equal width, as its histogram plugin makes them; where all numbers are equal,
// the last bucket holds them. Numbers that are not finite are not shown. float64 [30, 3]:
// left edge, right edge, count.
std::string histogram_value(std::string_view tag, std::span<const float> numbers);

// Pictures of the same size, each a PNG.
std::string images_value(std::string_view tag, int64_t height, int64_t width,
                         const std::vector<std::string>& pngs);

// Markdown.
std::string text_value(std::string_view tag, std::string_view text);

// The graph of a Keras model, from its JSON.
std::string keras_graph_value(std::string_view json);

// What a run was made with, and how it ended.
using HyperParameter = std::variant<double, std::string, bool>;
// All of a run, by their names.
using HyperParameters = std::map<std::string, HyperParameter>;
std::string hparams_begin_value(const HyperParameters& parameters, std::string_view group,
                                double time);
// How the run ended, as hparams/api.proto numbers it.
enum class HparamsStatus : int64_t { success = 1, failure = 2 };
std::string hparams_end_value(HparamsStatus status, double time);

}  // namespace systolic::inline v0
