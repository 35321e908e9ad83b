// What the code that is being traced may know about the cores it will run on. Set by
// distribute::Strategy; read by layers (batch statistics), losses (averages), optimizers (gradient
// sums) and metrics.
#pragma once

#include <cstdint>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

struct ReplicaContext {
  // Cores that work in step: 1 without a strategy.
  int64_t replicas = 1;
  // True inside strategy.run: the program is one core's, on its share of the batch, and values
  // differ between cores. False in fit: the program is over the global batch, and sums over the
  // batch are sums over all cores.
  bool per_core = false;
};

// The context of the calling thread.
const ReplicaContext& replica_context();

// Sets the context of the calling thread, and puts the previous one back at its own end.
class ReplicaContextScope {
 public:
  explicit ReplicaContextScope(ReplicaContext context);
  ~ReplicaContextScope();
  ReplicaContextScope(const ReplicaContextScope&) = delete;
  ReplicaContextScope& operator=(const ReplicaContextScope&) = delete;

 private:
  ReplicaContext previous_;
};

// The sum (mean) over all cores; x itself where the program is global or there is one core.
Tensor all_reduce_sum(const Tensor& x, SourceLocation location = SourceLocation::current());
Tensor all_reduce_mean(const Tensor& x, SourceLocation location = SourceLocation::current());
Tensor all_reduce_max(const Tensor& x, SourceLocation location = SourceLocation::current());
// This core's values from all cores, joined along `axis`.
Tensor all_gather(const Tensor& x, int axis = 0,
                  SourceLocation location = SourceLocation::current());
// This core's index, an i32 scalar; 0 where the program is global.
Tensor replica_id(SourceLocation location = SourceLocation::current());

}  // namespace systolic::inline v0
