#include "systolic/data/iterator.h"

#include <atomic>
#include <chrono>
#include <set>

#include "systolic/base/error.h"
#include "systolic/base/global_seed.h"
#include "systolic/data/advice.h"
#include "systolic/data/node.h"
#include "systolic/data/random.h"

namespace systolic::inline v0 {
namespace data {

namespace {

using Clock = std::chrono::steady_clock;
int64_t nanoseconds(Clock::duration duration) { return std::chrono::nanoseconds(duration).count(); }

}  // namespace

struct Iterator::State {
  std::shared_ptr<const Node> node;
  std::shared_ptr<RunState> run;
  uint64_t iteration = 0;  // how many iterators of the dataset there were before
  std::unique_ptr<Stage> stage;
  std::optional<Clock::time_point> first_read;
  std::atomic<int64_t> elapsed_ns{0};  // from the first call of next() to the end of the last
  std::atomic<int64_t> waited_ns{0};   // of these, inside next()

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
  archive.expect(name_in(node.label()));
  node.transfer_shared(archive);
}

}  // namespace

void transfer_graph(const Node& last, StateArchive& archive) {
  std::set<const Node*> done;
  transfer_nodes(last, done, archive);
}

Iterator::Iterator(std::shared_ptr<const Node> node) : state_(new State(std::move(node))) {
  state_->iteration = state_->node->count_iteration();
  state_->start(draw_iterator_seed());
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

// Adds the time it lives to the reader's.
class Iterator::Reading {
 public:
  explicit Reading(State& state) : state_(state), start_(Clock::now()) {
    if (!state_.first_read) state_.first_read = start_;
  }
  ~Reading() {
    const Clock::time_point end = Clock::now();
    state_.waited_ns += nanoseconds(end - start_);
    state_.elapsed_ns = nanoseconds(end - *state_.first_read);
  }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

 private:
  State& state_;
  Clock::time_point start_;
};

Iterator::State& Iterator::state() const {
  if (state_ != nullptr) return *state_;
  raise<FailedPrecondition>({.what = "use of an iterator that was moved from",
                             .hint = "use the iterator that it was moved to"});
}

std::string Iterator::save() {
  StateArchive archive;
  uint64_t seed = state().run->seed();
  archive.number(state_->iteration);
  archive.number(seed);
  // What stages share is read first, but saved last: threads that a stage has not stopped yet may
  // fill a cache meanwhile, on which that stage then depends.
  const size_t stages = archive.size();
  state_->stage->transfer(archive);
  const size_t shared = archive.size();
  transfer_graph(*state_->node, archive);
  archive.put_before(stages, shared);
  return archive.finish();
}

void Iterator::restore(std::string_view saved) { *this = Iterator(state().node, saved); }

Iterator::~Iterator() = default;
Iterator::Iterator(Iterator&&) noexcept = default;
Iterator& Iterator::operator=(Iterator&&) noexcept = default;

std::optional<Example> Iterator::next() {
  const Reading reading(state());
  Chunk chunk = state().stage->next(1);
  if (chunk.empty()) return std::nullopt;
  return std::move(chunk.front());
}

PipelineReport Iterator::report() const {
  PipelineReport result{.stages = {},
                        .seconds = 1e-9 * static_cast<double>(state().elapsed_ns),
                        .reader_waited_seconds = 1e-9 * static_cast<double>(state().waited_ns),
                        .memory_budget_bytes = state().run->memory_budget_bytes(),
                        .ends_in_prefetch = ends_in_prefetch(*state().node)};
  for (const auto& [counters, threads, team] : state().run->all_counters()) {
    result.stages.push_back({.name = counters->name,
                             .elements = counters->elements,
                             .bytes = counters->bytes,
                             .busy_seconds = 1e-9 * static_cast<double>(counters->busy_ns),
                             .waiting_seconds = 1e-9 * static_cast<double>(counters->waiting_ns),
                             .threads = threads,
                             .team = team,
                             .held_bytes = counters->held_bytes});
  }
  return result;
}

Example next(Iterator& iterator, SourceLocation location) {
  if (auto element = iterator.next()) return std::move(*element);
  raise<FailedPrecondition>({.what = "next() at the end of the dataset",
                             .hint = "add .repeat() for a dataset without end",
                             .location = location});
}

}  // namespace data
}  // namespace systolic::inline v0
