// Collectives between the processes of a run, on host memory: what the software TPU of one process
// uses where a program spans several.
//
//   peers->all_reduce(sum.mutable_raw(), sum.size(), sum.dtype(), ir::OpCode::add);
//
// Every process makes the same calls in the same order; a process that does not come is named
// within the deadline by an Unavailable. All processes get the same bits, and get them again in
// another run of as many processes: parts are folded in an order that depends on nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "systolic/core/dtype.h"
#include "systolic/ir/op_code.h"
#include "systolic/runtime/topology.h"

namespace systolic::inline v0 {
namespace runtime {

class Peers {
 public:
  virtual ~Peers() = default;
  virtual Processes processes() const = 0;

  // `data` of each process becomes the fold of all: by add, multiply, maximum, minimum, and, or,
  // xor. Unimplemented for another op, or for a type that has none.
  virtual void all_reduce(std::byte* data, int64_t elements, DType dtype, ir::OpCode fold) = 0;
  // `bytes` of each process, side by side in `all`, by process index.
  virtual void all_gather(const std::byte* own, std::byte* all, size_t bytes) = 0;
  // `bytes` for each process, and from each.
  virtual void all_to_all(const std::byte* to, std::byte* from, size_t bytes) = 0;
  // What this process has sent to the others for the above, since it was connected: bytes of
  // arrays, without what the network adds. -1 where nobody counts. Thread-safe.
  virtual int64_t sent_bytes() const { return -1; }
  // FailedPrecondition where a process brings another value: it names the process.
  virtual void agree(const std::string& name, const std::string& value) = 0;
};
using PeersPtr = std::shared_ptr<Peers>;

}  // namespace runtime
}  // namespace systolic::inline v0
