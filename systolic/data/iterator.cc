#include "systolic/data/iterator.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/data/node.h"
#include "systolic/data/random.h"

namespace systolic::inline v0 {
namespace data {

struct Iterator::State {
  std::shared_ptr<const Node> node;
  std::shared_ptr<RunState> run;
  std::unique_ptr<Stage> stage;

  ~State() {
    run->cancel();
    stage.reset();
  }
};

Iterator::Iterator(std::shared_ptr<const Node> node) : state_(new State) {
  state_->run = std::make_shared<RunState>(node->options());
  state_->stage = node->make({.run = state_->run, .epoch = mix_bits(node->count_iteration())});
  state_->node = std::move(node);
}

Iterator::~Iterator() = default;
Iterator::Iterator(Iterator&&) noexcept = default;
Iterator& Iterator::operator=(Iterator&&) noexcept = default;

std::optional<Example> Iterator::next() {
  Chunk chunk = state_->stage->next(1);
  if (chunk.empty()) return std::nullopt;
  return std::move(chunk.front());
}

std::vector<StageReport> Iterator::report() const {
  std::vector<StageReport> result;
  for (const auto& counters : state_->run->all_counters()) {
    result.push_back({.name = counters->name,
                      .elements = counters->elements,
                      .bytes = counters->bytes,
                      .busy_seconds = 1e-9 * static_cast<double>(counters->busy_ns),
                      .waiting_seconds = 1e-9 * static_cast<double>(counters->waiting_ns)});
  }
  return result;
}

Example next(Iterator& iterator, SourceLocation location) {
  if (auto element = iterator.next()) return std::move(*element);
  raise<FailedPrecondition>({.what = "next() at the end of the dataset",
                             .hint = "add .repeat() for a dataset without end",
                             .location = location});
}

std::string to_string(const std::vector<StageReport>& report) {
  size_t width = 5;
  for (const StageReport& row : report) width = std::max(width, row.name.size());
  auto padded = [](std::string text, size_t size) {
    text.append(size > text.size() ? size - text.size() : 0, ' ');
    return text;
  };
  std::string text = str(padded("stage", width), "  elements      bytes       busy      waiting\n");
  for (const StageReport& row : report) {
    text += str(padded(row.name, width), "  ", padded(with_commas(row.elements), 12), "  ",
                padded(bytes_text(row.bytes), 10), "  ",
                padded(str(fixed(row.busy_seconds, 3), " s"), 9), "  ",
                fixed(row.waiting_seconds, 3), " s\n");
  }
  return text;
}

}  // namespace data
}  // namespace systolic::inline v0
