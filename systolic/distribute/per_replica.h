// A value that differs from core to core: what strategy.run returns
// (tf.distribute.DistributedValues).
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "systolic/runtime/topology.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

class PerReplica {
 public:
  PerReplica() = default;
  // `tensor` lies on the cores (or is the same on all of them).
  PerReplica(Tensor tensor, runtime::Topology topology)
      : tensor_(std::move(tensor)), topology_(std::move(topology)) {}

  // The cores of this process.
  int64_t replicas() const { return topology_.local_cores(); }
  // One core's type.
  DType dtype() const { return tensor_.dtype(); }
  const Shape& shape() const { return tensor_.shape(); }

  // The value of each core of this process, on the host (strategy.experimental_local_results).
  std::vector<Tensor> values() const;
  // The value as one Tensor that code given to strategy.run can use.
  const Tensor& tensor() const { return tensor_; }

  template <class Visit>
  void visit_tensors(Visit&& visit) {
    visit(tensor_);
  }
  friend auto trace_key(const PerReplica& value) { return value.topology_.cores(); }

 private:
  Tensor tensor_;
  runtime::Topology topology_;
};

// "PerReplica:{
// 0: Tensor(...),
// 1: Tensor(...)
// }"; a single core's value prints as a plain Tensor.
std::string to_string(const PerReplica& value);
std::ostream& operator<<(std::ostream& out, const PerReplica& value);

}  // namespace systolic::inline v0
