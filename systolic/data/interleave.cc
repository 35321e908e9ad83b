#include "systolic/data/interleave.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/held_bytes.h"
#include "systolic/data/random.h"
#include "systolic/data/thread_tuner.h"
#include "systolic/data/worker_thread.h"

namespace systolic::inline v0 {
namespace data {
namespace {

// Whose turn it is: `block_length` elements of each slot in order.
class Turns {
 public:
  explicit Turns(int64_t block_length) : block_length_(block_length), left_(block_length) {}
  size_t slot() const { return slot_; }
  int64_t left() const { return left_; }
  void took(int64_t count, size_t slots) {
    left_ -= count;
    if (left_ == 0) pass(slots);
  }
  void pass(size_t slots) {
    slot_ = (slot_ + 1) % slots;
    left_ = block_length_;
  }
  void transfer(StateArchive& archive, size_t slots) {
    archive.expect("cycle_length", static_cast<int64_t>(slots));
    archive.expect("block_length", block_length_);
    auto slot = static_cast<int64_t>(slot_);
    archive.integer(slot, 0, static_cast<int64_t>(slots) - 1);
    slot_ = static_cast<size_t>(slot);
    archive.integer(left_, 1, block_length_);
  }

 private:
  int64_t block_length_, left_;
  size_t slot_ = 0;
};

class SequentialInterleave : public Stage {
 public:
  SequentialInterleave(const Context& context, const Node& node, std::unique_ptr<Inputs> inputs,
                       int64_t cycle_length, int64_t block_length)
      : Stage(context, &node, node.label()),
        inputs_(std::move(inputs)),
        slots_(static_cast<size_t>(cycle_length)),
        turns_(block_length) {}

 protected:
  Chunk produce(int64_t most) override {
    Chunk result;
    size_t empty_slots = 0;
    while (static_cast<int64_t>(result.size()) < most && empty_slots < slots_.size() &&
           estimated_bytes(result) < large_chunk_bytes) {
      check_cancelled();
      std::unique_ptr<OpenInput>& slot = slots_[turns_.slot()];
      if (slot == nullptr && !all_opened_) open(slot, result);
      if (failed_) return result;
      if (slot == nullptr) {
        ++empty_slots;
        turns_.pass(slots_.size());
        continue;
      }
      empty_slots = 0;
      if (!take_turn(*slot->stage, most, result)) {
        slot.reset();
        turns_.pass(slots_.size());
      }
      if (failed_) return result;
    }
    return result;
  }
  void transfer_members(StateArchive& archive) override {
    turns_.transfer(archive, slots_.size());
    archive.flag(all_opened_);
    inputs_->transfer(archive);
    for (auto& slot : slots_) inputs_->transfer(slot, archive);
  }

 private:
  void open(std::unique_ptr<OpenInput>& slot, Chunk& result) {
    try {
      slot = inputs_->open();
      all_opened_ = slot == nullptr;
    } catch (...) {
      fail(result);
    }
  }

  // What came before the error is delivered before it.
  void fail(Chunk& result) {
    result = fail_after(std::move(result));
    failed_ = true;
  }

  // False when the input is at its end.
  bool take_turn(Stage& slot, int64_t most, Chunk& result) {
    try {
      Chunk chunk = slot.next(std::min(turns_.left(), most - static_cast<int64_t>(result.size())));
      if (chunk.empty()) return false;
      turns_.took(static_cast<int64_t>(chunk.size()), slots_.size());
      if (result.empty()) {
        result = std::move(chunk);
      } else {
        std::move(chunk.begin(), chunk.end(), std::back_inserter(result));
      }
    } catch (...) {
      fail(result);
    }
    return true;
  }

  std::unique_ptr<Inputs> inputs_;
  std::vector<std::unique_ptr<OpenInput>> slots_;
  Turns turns_;
  bool all_opened_ = false, failed_ = false;
};

class ParallelInterleave : public Stage {
 public:
  ParallelInterleave(const Context& context, const Node& node, std::unique_ptr<Inputs> inputs,
                     InterleaveOptions options)
      : Stage(context, &node, node.label()),
        inputs_(std::move(inputs)),
        in_order_(options.deterministic.value_or(run().options().deterministic)),
        tuner_(options.num_parallel_calls,
               static_cast<int>(std::min<int64_t>(options.cycle_length, most_threads)), run(),
               counters()),
        slots_(static_cast<size_t>(options.cycle_length)),
        turns_(options.block_length),
        room_(static_cast<size_t>(std::max(largest_chunk, 2 * options.block_length))) {}

  ~ParallelInterleave() override {
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    work_.notify_all();
    workers_.clear();
  }

 protected:
  Chunk produce(int64_t most) override {
    if (workers_.empty()) {
      workers_ =
          start_workers(tuner_.threads(), run().options().thread_niceness, [this] { work(); });
      counters().threads = static_cast<int>(workers_.size());
    }
    Chunk result;
    std::unique_lock lock(mutex_);
    while (static_cast<int64_t>(result.size()) < most &&
           estimated_bytes(result) < large_chunk_bytes) {
      Slot& slot = slots_[turns_.slot()];
      if (!slot.ready.empty()) {
        take_turn(slot, most, result);
      } else if (slot.error) {
        if (!result.empty()) break;
        std::rethrow_exception(slot.error);
      } else if (slot.ended) {
        close(slot, lock);
        turns_.pass(slots_.size());
        work_.notify_one();
      } else if (slot.input == nullptr) {
        if (open(slot, lock)) continue;
        if (finished()) break;
        turns_.pass(slots_.size());
        work_.notify_one();
      } else if (!result.empty()) {
        break;  // rather a part now than all later
      } else if (!in_order_ && any_news()) {
        turns_.pass(slots_.size());
        work_.notify_one();
      } else {
        wait_for_news(slot, lock);
      }
    }
    return result;
  }
  void transfer_members(StateArchive& archive) override {
    std::unique_lock lock(mutex_);
    const Pause pause(paused_, work_);
    ready_.wait(lock, [&] {
      return std::none_of(slots_.begin(), slots_.end(), [](const Slot& s) { return s.reading; });
    });
    turns_.transfer(archive, slots_.size());
    archive.flag(all_opened_);
    inputs_->transfer(archive);
    for (Slot& slot : slots_) {
      inputs_->transfer(slot.input, archive);
      archive.elements(slot.ready);
      archive.failure(slot.error);
      archive.flag(slot.ended);
      if (slot.ended && slot.input == nullptr) archive.damaged("the end of no input");
    }
  }

 private:
  struct Slot {
    std::unique_ptr<OpenInput> input;
    std::deque<Example> ready;
    std::exception_ptr error;
    bool reading = false, ended = false;
    size_t bytes = 0;  // counted as held
  };

  // Counts what a slot keeps, and what it may get while it is being read.
  void hold(Slot& slot) {
    const size_t now = estimated_bytes(slot.ready) + (slot.reading ? large_chunk_bytes : 0);
    held_.add(static_cast<int64_t>(now) - static_cast<int64_t>(std::exchange(slot.bytes, now)));
  }

  static bool has_news(const Slot& slot) { return !slot.ready.empty() || slot.error || slot.ended; }
  bool any_news() const { return std::any_of(slots_.begin(), slots_.end(), has_news); }
  bool finished() const {
    return std::all_of(slots_.begin(), slots_.end(), [](const Slot& slot) {
      return slot.input == nullptr && slot.ready.empty() && !slot.error;
    });
  }

  int threads_reading() const {
    return static_cast<int>(
        std::count_if(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.reading; }));
  }

  // Of the slot whose turn it is, or of any. May return without: then there is another thread, or
  // was no need of one.
  void wait_for_news(const Slot& slot, std::unique_lock<std::mutex>& lock) {
    Timer timer(counters().waiting_ns);
    const auto news = [&] { return in_order_ ? has_news(slot) : any_news(); };
    if (!tuner_.may_grow()) return ready_.wait(lock, news);
    const auto start = std::chrono::steady_clock::now();
    const int before = threads_reading();
    ready_.wait_for(lock, ThreadTuner::patience, news);
    const int at_work = std::max(before, threads_reading());
    if (!tuner_.wants_another(at_work, std::chrono::steady_clock::now() - start)) return;
    lock.unlock();
    auto more = start_another(run().options().thread_niceness, [this] { work(); });
    lock.lock();
    if (more == nullptr) return tuner_.give_up();
    workers_.push_back(std::move(more));
    tuner_.started();
    counters().threads = tuner_.threads();
  }

  // Inputs are opened and closed without the lock: both may take long.
  bool open(Slot& slot, std::unique_lock<std::mutex>& lock) {
    if (all_opened_) return false;
    lock.unlock();
    std::unique_ptr<OpenInput> input;
    std::exception_ptr error;
    try {
      input = inputs_->open();
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    slot.input = std::move(input);
    slot.error = error;  // thrown in its turn, behind what came before
    all_opened_ = slot.input == nullptr && !error;
    work_.notify_one();
    return !all_opened_;
  }

  void close(Slot& slot, std::unique_lock<std::mutex>& lock) {
    std::unique_ptr<OpenInput> old = std::move(slot.input);
    slot.ended = false;
    lock.unlock();
    old.reset();
    lock.lock();
  }

  void take_turn(Slot& slot, int64_t most, Chunk& result) {
    const auto count = std::min({static_cast<size_t>(turns_.left()), slot.ready.size(),
                                 static_cast<size_t>(most) - result.size()});
    for (size_t i = 0; i < count; ++i) {
      result.push_back(std::move(slot.ready.front()));
      slot.ready.pop_front();
    }
    hold(slot);
    turns_.took(static_cast<int64_t>(count), slots_.size());
    work_.notify_one();
  }

  bool wants_more(const Slot& slot) const {
    return slot.input != nullptr && !slot.reading && !slot.ended && !slot.error &&
           slot.ready.size() <= room_ / 2 && estimated_bytes(slot.ready) < large_chunk_bytes;
  }

  // The slot most in need of elements.
  Slot* choose() {
    Slot* chosen = nullptr;
    // Over the memory budget only the input is read whose turn it is.
    if (!run().has_room_for(large_chunk_bytes)) {
      Slot& now = slots_[turns_.slot()];
      return wants_more(now) && now.ready.empty() ? &now : nullptr;
    }
    for (Slot& slot : slots_) {
      if (!wants_more(slot)) continue;
      if (chosen == nullptr || slot.ready.size() < chosen->ready.size()) chosen = &slot;
    }
    return chosen;
  }

  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      Slot* slot = nullptr;
      work_.wait(lock, [&] { return stopping_ || (!paused_ && (slot = choose()) != nullptr); });
      if (stopping_) return;
      slot->reading = true;
      hold(*slot);
      const auto most = static_cast<int64_t>(room_ - slot->ready.size());
      lock.unlock();
      Chunk chunk;
      std::exception_ptr error;
      try {
        chunk = slot->input->stage->next(std::min(most, largest_chunk));
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
      slot->reading = false;
      slot->error = error;
      slot->ended = chunk.empty() && !error;
      std::move(chunk.begin(), chunk.end(), std::back_inserter(slot->ready));
      hold(*slot);
      ready_.notify_one();
    }
  }

  std::unique_ptr<Inputs> inputs_;
  const bool in_order_;
  ThreadTuner tuner_;  // the reader's
  std::mutex mutex_;   // guards all below
  std::condition_variable work_, ready_;
  std::vector<Slot> slots_;
  HeldBytes held_{counters()};
  Turns turns_;
  const size_t room_;
  bool all_opened_ = false, stopping_ = false, paused_ = false;
  std::vector<std::unique_ptr<WorkerThread>> workers_;  // last, so that they end first
};

// What a function makes of each element.
class InputsOfFunction : public Inputs {
 public:
  InputsOfFunction(const Context& context, const Node& maker, std::unique_ptr<Stage> elements,
                   const std::function<Dataset(const Example&)>& function)
      : Inputs(context, maker), elements_(std::move(elements)), function_(function) {}

 protected:
  Chunk next_origin() override { return elements_->next(1); }
  NodePointer dataset_of(const Chunk& origin) override { return function_(origin.front()).node(); }
  void transfer_origins(StateArchive& archive) override { elements_->transfer(archive); }

 private:
  std::unique_ptr<Stage> elements_;
  const std::function<Dataset(const Example&)>& function_;
};

class InterleaveNode : public UnaryNode {
 public:
  InterleaveNode(NodePointer input, std::function<Dataset(const Example&)> function,
                 InterleaveOptions options, std::string label)
      : UnaryNode(std::move(input), std::move(label)),
        function_(std::move(function)),
        options_(options) {}

  std::unique_ptr<Stage> make(const Context& context) const override {
    return make_interleave(
        context, *this,
        std::make_unique<InputsOfFunction>(context, *this, input().make(context), function_),
        options_);
  }
  int64_t cardinality() const override { return unknown_cardinality; }
  ElementSpec spec() const override {
    Iterator iterator(input_pointer());
    const std::optional<Example> first = iterator.next();
    return first ? function_(*first).element_spec() : ElementSpec{};
  }

 private:
  std::function<Dataset(const Example&)> function_;
  InterleaveOptions options_;
};

}  // namespace

Inputs::Inputs(const Context& context, const Node& maker) : context_(context) {
  if (context_.made_by == nullptr) context_.made_by = &maker;
  context_.file_shards = 1;  // what they are made of is divided already
  context_.file_shard = 0;
}

void Inputs::start(OpenInput& input) {
  Context context = context_;
  context.epoch = random_at(context.epoch, static_cast<uint64_t>(input.number));
  input.node = dataset_of(input.origin);
  input.stage = input.node->make(context);
}

std::unique_ptr<OpenInput> Inputs::open() {
  auto input = std::make_unique<OpenInput>();
  input->origin = next_origin();
  if (input->origin.empty()) return nullptr;
  input->number = opened_++;
  start(*input);
  return input;
}

void Inputs::transfer(StateArchive& archive) {
  archive.integer(opened_, 0, StateArchive::largest_count);
  transfer_origins(archive);
}

void Inputs::transfer(std::unique_ptr<OpenInput>& input, StateArchive& archive) {
  bool open = input != nullptr;
  archive.flag(open);
  if (!open) {
    input = nullptr;
    return;
  }
  if (!archive.saving()) input = std::make_unique<OpenInput>();
  archive.elements(input->origin);
  archive.integer(input->number, 0, StateArchive::largest_count);
  if (!archive.saving()) {
    if (input->origin.empty()) archive.damaged("an input made of nothing");
    input->node = dataset_of(input->origin);
  }
  transfer_graph(*input->node, archive);
  if (!archive.saving()) start(*input);
  input->stage->transfer(archive);
}

int64_t turns_for(int num_parallel_calls) {
  constexpr int64_t usual = 8;  // a fixed number, so that the order is the same on every machine
  return num_parallel_calls > 1 ? num_parallel_calls : usual;
}

std::unique_ptr<Stage> make_sequence(const Context& context, const Node& node,
                                     std::unique_ptr<Inputs> inputs) {
  return std::make_unique<SequentialInterleave>(context, node, std::move(inputs), 1, 1);
}

std::unique_ptr<Stage> make_interleave(const Context& context, const Node& node,
                                       std::unique_ptr<Inputs> inputs, InterleaveOptions options) {
  if (options.num_parallel_calls == 1) {
    return std::make_unique<SequentialInterleave>(context, node, std::move(inputs),
                                                  options.cycle_length, options.block_length);
  }
  return std::make_unique<ParallelInterleave>(context, node, std::move(inputs), options);
}

Dataset Dataset::flat_map(std::function<Dataset(const Example&)> function,
                          SourceLocation location) const {
  if (!function) {
    raise<InvalidArgument>({.what = "flat_map with an empty function", .location = location});
  }
  return Dataset(std::make_shared<InterleaveNode>(node_, std::move(function),
                                                  InterleaveOptions{.cycle_length = 1},
                                                  label_at("flat_map", location)));
}

Dataset Dataset::interleave(std::function<Dataset(const Example&)> function,
                            InterleaveOptions options, SourceLocation location) const {
  constexpr int64_t longest_cycle = 1 << 16;
  if (!function) {
    raise<InvalidArgument>({.what = "interleave with an empty function", .location = location});
  }
  if (options.cycle_length == autotune)
    options.cycle_length = turns_for(options.num_parallel_calls);
  if (options.cycle_length < 1 || options.cycle_length > longest_cycle ||
      options.block_length < 1 || !valid_thread_count(options.num_parallel_calls)) {
    raise<InvalidArgument>(
        {.what = str("interleave with cycle_length ", options.cycle_length, ", block_length ",
                     options.block_length, ", num_parallel_calls ", options.num_parallel_calls),
         .wanted = str("at least 1 of each, at most ", longest_cycle, " datasets in turns and ",
                       most_threads, " threads"),
         .location = location});
  }
  return Dataset(std::make_shared<InterleaveNode>(node_, std::move(function), options,
                                                  label_at("interleave", location)));
}

}  // namespace data
}  // namespace systolic::inline v0
