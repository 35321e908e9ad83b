// The stages of interleave, and whose turn it is in both.
#pragma once

#include <cstdint>
#include <memory>

#include "systolic/data/interleave/interleave.h"
#include "systolic/data/state/state_archive.h"

namespace systolic::inline v0 {
namespace data {

// Whose turn it is: `block_length` elements of each slot in order.
class Turns {
 public:
  explicit Turns(int64_t block_length) : block_length_(block_length), left_(block_length) {}
  size_t slot() const { return slot_; }
  int64_t left() const { return left_; }
  int64_t block_length() const { return block_length_; }
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

// One input at a time is asked, by the reader's own thread.
std::unique_ptr<Stage> make_sequential_interleave(const Context& context, const Node& node,
                                                  std::unique_ptr<Inputs> inputs,
                                                  int64_t cycle_length, int64_t block_length);
// Several threads read ahead of the reader.
std::unique_ptr<Stage> make_parallel_interleave(const Context& context, const Node& node,
                                                std::unique_ptr<Inputs> inputs,
                                                InterleaveOptions options);

}  // namespace data
}  // namespace systolic::inline v0
