#include "tools/systolic/predict/answers.h"

#include "systolic/base/error.h"

namespace tool::predict {

using namespace systolic;

namespace {

constexpr int64_t most_columns = 10'000;

std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

// An output's numbers of each row, and the names of their columns.
struct Block {
  Literal numbers;
  int64_t width = 1;
  std::vector<std::string> names = {};
  bool of_classes = false;
};

Block block_of(const std::string& name, const Literal& value, int64_t rows,
               const std::vector<std::string>& labels) {
  Block block{.numbers = value.convert(DType::f32), .width = rows == 0 ? 0 : value.size() / rows};
  if (block.width > most_columns) {
    raise<InvalidArgument>({.what = str("output '", name, "' has ", block.width, " numbers a row"),
                            .wanted = str("at most ", most_columns, " for CSV"),
                            .hint = "--output ANSWERS.npz holds any"});
  }
  block.of_classes = labels.size() > 1 && static_cast<size_t>(block.width) == labels.size();
  for (int64_t i = 0; i < block.width; ++i) {
    block.names.push_back(block.of_classes   ? labels[static_cast<size_t>(i)]
                          : block.width == 1 ? name
                                             : str(name, "_", i));
  }
  return block;
}

size_t largest(std::span<const float> numbers) {
  size_t best = 0;
  for (size_t i = 1; i < numbers.size(); ++i) {
    if (numbers[i] > numbers[best]) best = i;
  }
  return best;
}

std::string heading(const Rows& rows, const std::vector<Block>& blocks) {
  std::string line = rows.title.empty() ? "row" : rows.title;
  for (const Block& block : blocks) {
    if (block.of_classes) line += ",label";
    for (const std::string& name : block.names) line += "," + field(name);
  }
  return line + "\n";
}

}  // namespace

std::string answers_as_csv(const Rows& rows, const Example& outputs,
                           const std::vector<std::string>& labels) {
  const int64_t count = outputs.empty() ? 0 : outputs.value(0).shape()[0];
  std::vector<Block> blocks;
  for (const auto& [name, value] : outputs) blocks.push_back(block_of(name, value, count, labels));
  std::string text = heading(rows, blocks);
  for (int64_t i = 0; i < count; ++i) {
    text += rows.title.empty() ? str(i) : field(rows.names[static_cast<size_t>(i)]);
    for (const Block& block : blocks) {
      const auto numbers = block.numbers.data<float>().subspan(static_cast<size_t>(i * block.width),
                                                               static_cast<size_t>(block.width));
      if (block.of_classes) text += "," + field(block.names[largest(numbers)]);
      for (const float number : numbers) text += str(",", number);
    }
    text += "\n";
  }
  return text;
}

}  // namespace tool::predict
