#include "systolic/data/advice.h"

#include <cmath>
#include <cstring>
#include <string_view>

#include "systolic/base/text.h"
#include "systolic/data/dataset.h"
#include "systolic/data/node.h"
#include "systolic/io/files/file_advice.h"

namespace systolic::inline v0 {
namespace data {
namespace {

constexpr int64_t rows_a_core = 8;       // the sublanes of a TPU core: fewer are padded to 8
constexpr int64_t fewest_values = 4096;  // less is not worth mentioning

bool is(const Node& node, std::string_view name) { return name_in(node.label()) == name; }

bool keeps(const Node& node) { return is(node, "cache") || is(node, "snapshot"); }

// Whether all values times `scale` are whole numbers from 0 to 255, within what f32 rounds.
bool are_bytes(const Literal& array, double scale) {
  for (const float value : array.data<float>()) {
    const double byte = value * scale;
    if (!(byte >= 0 && byte <= 255) || std::abs(byte - std::nearbyint(byte)) > 1e-4) return false;
  }
  return true;
}

// Whether maps are asked if they repeat their results, which calls their functions.
enum class Maps : uint8_t { called, left_alone };

// What stands before a cache or the like and is not undone by it.
struct Keeper {
  std::string label;
  bool shuffled_after = false;
};

void look_below(const Node& node, const Keeper& keeper, Maps maps,
                std::vector<std::string>& lines) {
  if (is(node, "shuffle") && !keeper.shuffled_after) {
    lines.push_back(str(node.label(), " is before ", keeper.label,
                        ": every epoch has the order of the first. Shuffle after it"));
  }
  if (maps == Maps::called && !node.repeats_results()) {
    lines.push_back(str(node.label(), " gives another result each time and is before ",
                        keeper.label,
                        ": every epoch has the results of the first. Put it after that"));
  }
  for (const Node* input : node.inputs()) look_below(*input, keeper, maps, lines);
}

void look_for_keepers(const Node& node, Maps maps, std::vector<std::string>& lines,
                      bool shuffled_after = false) {
  if (keeps(node)) return look_below(node, {node.label(), shuffled_after}, maps, lines);
  shuffled_after = shuffled_after || is(node, "shuffle");
  for (const Node* input : node.inputs()) look_for_keepers(*input, maps, lines, shuffled_after);
}

}  // namespace

std::vector<std::string> advice_on_values(const Example& batch) {
  std::vector<std::string> lines;
  for (const auto& [name, array] : batch) {
    if (array.dtype() != DType::f32 || array.size() < fewest_values) continue;
    const bool over_255 = !are_bytes(array, 1);  // zeros and ones are bytes as they are
    if (over_255 && !are_bytes(array, 255)) continue;
    lines.push_back(
        str("'", name, "' goes to the device as f32 though its values are bytes",
            over_255 ? " over 255" : "", ": give u8, a quarter of ",
            bytes_text(static_cast<int64_t>(array.byte_size())), " a batch, and cast there (",
            over_255 ? "Rescaling{.scale = 1.0 / 255}" : "a cast", " as the model's first layer)"));
  }
  return lines;
}

std::vector<std::string> advice_on_batch(const Example& batch, int64_t cores) {
  std::vector<std::string> lines;
  if (batch.empty() || batch.value(0).rank() == 0) return lines;
  const int64_t rows = batch.value(0).shape()[0];
  if (rows < rows_a_core * cores) {
    lines.push_back(str("a batch of ", rows, " over ", cores, cores == 1 ? " core" : " cores",
                        " leaves rows of each core empty: batch at least ", rows_a_core * cores));
  }
  for (std::string& line : advice_on_values(batch)) lines.push_back(std::move(line));
  return lines;
}

std::vector<std::string> advice_on_caches(const Node& last) {
  std::vector<std::string> lines;
  look_for_keepers(last, Maps::called, lines);
  return lines;
}

std::vector<std::string> advice_on_order(const Node& last) {
  std::vector<std::string> lines;
  look_for_keepers(last, Maps::left_alone, lines);
  return lines;
}

bool ends_in_prefetch(const Node& last) {
  return is(last, "with_options") ? ends_in_prefetch(*last.inputs().front()) : is(last, "prefetch");
}

std::vector<std::string> advice_on_graph(const Node& last) {
  std::vector<std::string> lines = advice_on_caches(last);
  if (!ends_in_prefetch(last)) {
    lines.push_back(
        "nothing is read ahead while the device computes: end with prefetch(data::autotune)");
  }
  return lines;
}

std::vector<std::string> advice_on_files(const Node& last, int64_t cores) {
  const FileTotals files = last.files();
  std::vector<std::string> lines;
  if (files.of_records && files.count > 0) {
    const std::string advice =
        io::advice_on_files(static_cast<size_t>(files.count), files.bytes, cores);
    if (!advice.empty()) lines.push_back(str(last.label(), ": ", advice));
  }
  for (const Node* input : last.inputs()) {
    for (std::string& line : advice_on_files(*input, cores)) lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> advice_on_kept(const Node& last, const std::string& keeper) {
  std::vector<std::string> lines;
  look_below(last, {keeper}, Maps::called, lines);
  return lines;
}

std::vector<std::string> Dataset::advice(int64_t cores) const {
  std::vector<std::string> lines = advice_on_graph(*node_);
  for (std::string& line : advice_on_files(*node_, cores)) lines.push_back(std::move(line));
  Iterator one = iterator();
  if (const auto batch = one.next()) {
    for (std::string& line : advice_on_batch(*batch, cores)) lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace data
}  // namespace systolic::inline v0
