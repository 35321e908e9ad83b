#include "systolic/data/iterator.h"

#include <algorithm>
#include <set>

#include "systolic/base/error.h"
#include "systolic/data/drawn_seed.h"
#include "systolic/data/node.h"
#include "systolic/data/random.h"

namespace systolic::inline v0 {
namespace data {

struct Iterator::State {
  std::shared_ptr<const Node> node;
  std::shared_ptr<RunState> run;
  uint64_t iteration = 0;  // how many iterators of the dataset there were before
  std::unique_ptr<Stage> stage;

  explicit State(std::shared_ptr<const Node> last) : node(std::move(last)) {}
  ~State() {
    if (run != nullptr) run->cancel();
    stage.reset();
  }

  void start(uint64_t seed) {
    run = std::make_shared<RunState>(node->options(), seed);
    stage = node->make({.run = run, .epoch = mix_bits(iteration)});
  }
};

namespace {

void transfer_nodes(const Node& node, std::set<const Node*>& done, StateArchive& archive) {
  if (!done.insert(&node).second) return;
  for (const Node* input : node.inputs()) transfer_nodes(*input, done, archive);
  archive.expect(std::string_view(node.label()).substr(0, node.label().find(" at ")));
  node.transfer_shared(archive);
}

}  // namespace

void transfer_graph(const Node& last, StateArchive& archive) {
  std::set<const Node*> done;
  transfer_nodes(last, done, archive);
}

Iterator::Iterator(std::shared_ptr<const Node> node) : state_(new State(std::move(node))) {
  state_->iteration = state_->node->count_iteration();
  state_->start(draw_seed());
}

Iterator::Iterator(std::shared_ptr<const Node> node, std::string_view saved)
    : state_(new State(std::move(node))) {
  StateArchive archive(saved);
  uint64_t seed = 0;
  archive.number(state_->iteration);
  archive.number(seed);
  transfer_graph(*state_->node, archive);
  state_->start(seed);
  state_->stage->transfer(archive);
  archive.expect_end();
  state_->node->set_iterations(state_->iteration + 1);
}

Iterator::State& Iterator::state() const {
  if (state_ != nullptr) return *state_;
  raise<FailedPrecondition>({.what = "an iterator that was moved from is used",
                             .hint = "use the iterator that it was moved to"});
}

std::string Iterator::save() {
  StateArchive archive;
  uint64_t seed = state().run->seed();
  archive.number(state_->iteration);
  archive.number(seed);
  transfer_graph(*state_->node, archive);
  state_->stage->transfer(archive);
  return archive.finish();
}

void Iterator::restore(std::string_view saved) { *this = Iterator(state().node, saved); }

Iterator::~Iterator() = default;
Iterator::Iterator(Iterator&&) noexcept = default;
Iterator& Iterator::operator=(Iterator&&) noexcept = default;

std::optional<Example> Iterator::next() {
  Chunk chunk = state().stage->next(1);
  if (chunk.empty()) return std::nullopt;
  return std::move(chunk.front());
}

std::vector<StageReport> Iterator::report() const {
  std::vector<StageReport> result;
  for (const auto& counters : state().run->all_counters()) {
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
