// An array in the memory of a device or, for a client of several cores, of all its cores.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "systolic/core/literal.h"
#include "systolic/ir/module.h"
#include "systolic/runtime/integer_bounds.h"

namespace systolic::inline v0 {
namespace runtime {

// How one Buffer lies on the client's cores.
struct Placement {
  enum class Kind : uint8_t {
    replicated,  // the same array on every core
    sharded,     // one global array, split by `sharding`
    per_core,    // a different array on each core; type() is that of one core's
    single,      // on core `core` only, one of this process
  };
  Kind kind = Kind::replicated;
  ir::Sharding sharding = {};
  int core = 0;
  friend bool operator==(const Placement&, const Placement&) = default;
};

class Buffer {
 public:
  virtual ~Buffer() = default;

  // The global array's type for replicated and sharded, one core's for per_core and single.
  virtual const ir::Type& type() const = 0;
  virtual const Placement& placement() const = 0;

  // The data on the host; waits until it is there. For per_core buffers: with a leading axis of
  // this process's cores. A device error that happened while it was computed is thrown here, with
  // step and line.
  virtual Literal to_literal() const = 0;
  // For per_core buffers: the array of one core. For other placements every core has the same one
  // (or its shard).
  virtual Literal core_literal(int core) const = 0;

  // True after it was donated to a program or its device was initialized again: its memory is gone.
  virtual bool deleted() const = 0;

  // The bounds of integers that the host has copied here and looked at; none for what a device
  // computed.
  const std::optional<IntegerBounds>& bounds() const { return bounds_; }
  void set_bounds(std::optional<IntegerBounds> bounds) { bounds_ = bounds; }

 private:
  std::optional<IntegerBounds> bounds_ = {};
};
using BufferPtr = std::shared_ptr<Buffer>;

}  // namespace runtime
}  // namespace systolic::inline v0
