// Marks what is traced while it lives to be computed again for gradients, instead of being kept in
// memory until then (rematerialization, gradient checkpointing; jax.checkpoint). Kept is what it
// reads from outside. Results and gradients are those without it; the backward pass computes the
// marked ops once more.
//
//   const auto block = [&](const Tensor& x) {
//     const RecomputeScope scope;
//     return tanh(matmul(relu(matmul(x, w1)), w2));   // of this, gradients keep x, w1 and w2 alone
//   };
//
// Scopes nest: the inner one's ops are computed again while the outer one's are. Layers have
// nn/remat.h. A scope counts for gradients that are taken in the same function body, branch or loop
// body, of a tape that was open all the while; elsewhere it changes nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace systolic::inline v0 {

class Trace;

class RecomputeScope {
 public:
  RecomputeScope();
  ~RecomputeScope();
  RecomputeScope(const RecomputeScope&) = delete;
  RecomputeScope& operator=(const RecomputeScope&) = delete;

  // What was traced is kept after all.
  void drop() { is_dropped_ = true; }

 private:
  std::shared_ptr<Trace> trace_;
  uint64_t region_, generation_;
  size_t begin_;
  bool is_dropped_ = false;
};

}  // namespace systolic::inline v0
