// The backward walk's state: which values depend on the sources, and the gradient gathered for each
// value so far. Start at gradient.h; only rules see this.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "systolic/autodiff/gradient.h"
#include "systolic/ir/clone.h"

namespace systolic::inline v0 {
namespace autodiff {

class Walk {
 public:
  Walk(ir::Builder& builder, const GradientRequest& request);
  std::vector<ir::ValueId> run();

  ir::Builder& builder() { return builder_; }
  const ir::Op& op(size_t index) const { return block_.ops[index]; }

  // Whether the value depends on a source, and so needs a gradient.
  bool varied(ir::ValueId value) const {
    return static_cast<size_t>(value) < varied_.size() && varied_[static_cast<size_t>(value)] != 0;
  }
  void mark_varied(ir::ValueId value) { varied_[static_cast<size_t>(value)] = 1; }
  // Marks what `op` computes when one of its inputs is marked.
  void spread(const ir::Op& op);

  // Whether a gradient arrives at the value and flows on to the op that computes it.
  bool arrives(ir::ValueId value) const {
    return adjoint(value) != ir::no_value && stopped_[static_cast<size_t>(value)] == 0;
  }
  // The gradient gathered so far; no_value when none.
  ir::ValueId adjoint(ir::ValueId value) const { return adjoint_[static_cast<size_t>(value)]; }
  void set_adjoint(ir::ValueId value, ir::ValueId gradient) {
    adjoint_[static_cast<size_t>(value)] = gradient;
  }
  // Adds to the gradient of a value; ignores values that need none.
  void accumulate(ir::ValueId value, ir::Value gradient);

  // The op of this block or of the function's body that computes a value; null for arguments and
  // for values of other blocks. The pointer lives until the next append.
  const ir::Op* producer(ir::ValueId value);

  std::vector<ir::ValueId>* stopped() { return request_.stopped; }

 private:
  // What the request asks for: InvalidArgument where it does not fit the function.
  void check() const;
  void check_value(ir::ValueId value, const char* role) const;
  void check_output_gradients() const;
  void mark_from_sources();
  void seed();
  void differentiate(size_t index);

  using Interval = GradientRequest::Interval;
  struct Copies;
  // The intervals of the request that are computed again, outer ones first.
  std::vector<Interval> recomputed() const;
  // Differentiates the ops of `interval`, the last first; those of `again`, which lie in it, by
  // copies.
  void differentiate(Interval interval, std::span<const Interval> again);
  // recompute.cc
  void recompute(Interval interval, std::span<const Interval> again);
  bool is_reached(Interval interval) const;
  bool is_copied(const ir::Op& op) const;
  void append_barrier(Interval interval, ir::ValueMap& copies);
  std::vector<size_t> append_copies(Interval interval, ir::ValueMap& copies);
  void take_over(const Copies& copies);
  void hand_back(const Copies& copies);

  ir::Builder& builder_;
  ir::Block& block_;
  const GradientRequest& request_;
  std::vector<Interval> intervals_;  // in order, apart
  std::vector<uint8_t> varied_, stopped_;
  std::vector<ir::ValueId> adjoint_;
  std::vector<int32_t> producer_;  // index of the op in this block, of those that were looked at
  size_t looked_at_ = 0;           // so many of its ops, when somebody asked for a producer
};

// Whether values of the type have gradients.
inline bool is_differentiable(DType dtype) { return is_float(dtype) || is_complex(dtype); }

}  // namespace autodiff
}  // namespace systolic::inline v0
