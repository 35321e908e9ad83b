// What is known of a loop: who makes a value, which values stay the same over all trips, and which
// are a row for each trip of an array that does.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "systolic/ir/builder/builder.h"

namespace systolic::inline v0 {
namespace cpu {

// Describes one `while` of a function. Holds pointers to its ops: to be made anew when these have
// moved.
class LoopBody {
 public:
  LoopBody(const ir::Function& function, const ir::Op& loop);

  // The op of this or another block that makes the value, if it has this code.
  const ir::Op* maker(ir::ValueId value, ir::OpCode code) const;
  // How many ops and results of the body read it, those in regions of its ops included.
  int readers(ir::ValueId value) const;
  // The same value outside of the loop, of one that no trip changes.
  std::optional<ir::ValueId> outside(ir::ValueId value) const;
  // How often the body runs, where that is known.
  std::optional<int64_t> trips() const { return trips_; }

  // `value` is array[index] along the first axis of an array from outside.
  struct Row {
    ir::ValueId array;
    ir::ValueId index;
  };
  std::optional<Row> row(ir::ValueId value) const;
  // Whether the index is another one in each trip, and over all trips each from 0 to trips - 1.
  bool visits_all(ir::ValueId index) const;

 private:
  // counter * sign + offset, where the counter is the number of trips that are done.
  struct Affine {
    int64_t sign, offset;
  };
  void note(const ir::Block& block, bool in_body);
  bool is_counter(ir::ValueId value) const;
  std::optional<int64_t> constant(ir::ValueId value) const;
  std::optional<Affine> affine(ir::ValueId value) const;
  std::optional<Affine> sum(const ir::Op& op, int64_t sign) const;
  bool is_below_zero(const Affine& affine) const;

  const ir::Function& function_;
  const ir::Op& loop_;
  const ir::Block& body_;
  std::unordered_map<ir::ValueId, const ir::Op*> makers_;
  std::unordered_map<ir::ValueId, int> readers_;
  std::unordered_set<ir::ValueId> inside_;  // arguments and results of ops of the body
  std::optional<int64_t> trips_;
};

// Calls edit(block, i) for each `while`, block.ops[i], of the function, inner ones first; edit may
// insert ops before and after it, and gives the place that it has then.
template <class Edit>
void edit_loops(ir::Block& block, Edit&& edit) {
  for (size_t i = 0; i < block.ops.size(); ++i) {
    for (ir::Block& region : block.ops[i].regions) edit_loops(region, edit);
    if (block.ops[i].code == ir::OpCode::while_) i = edit(block, i);
  }
}

}  // namespace cpu
}  // namespace systolic::inline v0
