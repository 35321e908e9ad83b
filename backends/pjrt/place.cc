#include "backends/pjrt/place.h"

#include "backends/pjrt/shards.h"
#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace pjrt {

using Kind = runtime::Placement::Kind;

void check_placement(const ClientState& state, const Shape& shape,
                     const runtime::Placement& placement) {
  if (placement.kind == Kind::per_core && (shape.rank() == 0 || shape[0] != state.cores)) {
    raise<InvalidArgument>({.what = str("an array ", to_string(shape), " for each core its own"),
                            .wanted = str("a leading axis of ", state.cores, " cores")});
  }
  if (placement.kind == Kind::single && (placement.core < 0 || placement.core >= state.cores)) {
    raise<InvalidArgument>(
        {.what = str("core ", placement.core), .wanted = str("0 to ", state.cores - 1)});
  }
  if (placement.kind == Kind::sharded) ir::check_sharding(placement.sharding, shape, state.cores);
}

Parts place(const ClientState& state, const Literal& literal, const runtime::Placement& placement) {
  auto parts = std::make_shared<std::vector<DeviceBuffer>>();
  if (placement.kind == Kind::single) {
    parts->push_back(state.client->copy(literal, static_cast<size_t>(placement.core)));
    return parts;
  }
  for (int core = 0; core < state.cores; ++core) {
    const auto device = static_cast<size_t>(core);
    if (placement.kind == Kind::sharded) {
      const Literal part =
          part_of(literal, ir::shard_range(literal.shape(), placement.sharding, core, state.cores));
      parts->push_back(state.client->copy(part, device));
    } else {
      const bool own = placement.kind == Kind::per_core;
      parts->push_back(state.client->copy(own ? literal.row(core) : literal, device));
    }
  }
  return parts;
}

}  // namespace pjrt
}  // namespace systolic::inline v0
