#include "backends/pjrt/place.h"

#include "backends/pjrt/shards.h"
#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace pjrt {

using Kind = runtime::Placement::Kind;

void check_placement(const ClientState& state, const Shape& shape,
                     const runtime::Placement& placement) {
  if (placement.kind == Kind::per_core &&
      (shape.rank() == 0 || shape[0] != state.topology.local_cores())) {
    raise<InvalidArgument>(
        {.what = str("a per-core array ", to_string(shape)),
         .wanted = str("a leading axis of ", state.topology.local_cores(), " cores")});
  }
  if (placement.kind == Kind::single) state.device_of(placement.core);
  if (placement.kind == Kind::sharded) {
    ir::check_sharding(placement.sharding, shape, state.topology.cores());
  }
}

Parts place(const ClientState& state, const Literal& literal, const runtime::Placement& placement) {
  auto parts = std::make_shared<std::vector<DeviceBuffer>>();
  if (placement.kind == Kind::single) {
    parts->push_back(state.client->copy(literal, state.device_of(placement.core)));
    return parts;
  }
  for (int core : state.topology.addressable_cores()) {
    const size_t device = state.device_of(core);
    if (placement.kind == Kind::sharded) {
      const Literal part = part_of(literal, ir::shard_range(literal.shape(), placement.sharding,
                                                            core, state.topology.cores()));
      parts->push_back(state.client->copy(part, device));
    } else {
      const bool own = placement.kind == Kind::per_core;
      parts->push_back(
          state.client->copy(own ? literal.row(static_cast<int64_t>(device)) : literal, device));
    }
  }
  return parts;
}

Parts place_piece(const ClientState& state, const Literal& piece,
                  const runtime::Placement& placement) {
  const int64_t cores = state.topology.local_cores();
  const bool rows_alone =
      placement.kind == Kind::sharded && piece.rank() > 0 &&
      placement.sharding == ir::Sharding::along(0, piece.rank(), state.topology.cores());
  if (!rows_alone || piece.shape()[0] % cores != 0) {
    raise<InvalidArgument>({.what = str("a piece ", to_string(piece.shape()),
                                        " of an array over the cores of several processes"),
                            .wanted = str("rows for ", cores, " cores, cut along the first axis")});
  }
  const int64_t rows = piece.shape()[0] / cores;
  auto parts = std::make_shared<std::vector<DeviceBuffer>>();
  for (int64_t core = 0; core < cores; ++core) {
    parts->push_back(
        state.client->copy(piece.rows(core * rows, (core + 1) * rows), static_cast<size_t>(core)));
  }
  return parts;
}

}  // namespace pjrt
}  // namespace systolic::inline v0
