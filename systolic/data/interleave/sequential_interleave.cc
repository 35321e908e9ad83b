#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "systolic/data/interleave/interleave_stages.h"

namespace systolic::inline v0 {
namespace data {
namespace {

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
           estimated_bytes(result) < run().large_chunk_bytes()) {
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

}  // namespace

std::unique_ptr<Stage> make_sequential_interleave(const Context& context, const Node& node,
                                                  std::unique_ptr<Inputs> inputs,
                                                  int64_t cycle_length, int64_t block_length) {
  return std::make_unique<SequentialInterleave>(context, node, std::move(inputs), cycle_length,
                                                block_length);
}

}  // namespace data
}  // namespace systolic::inline v0
