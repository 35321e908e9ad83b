// Coordination between processes, which needs gRPC: a build without it has left_out/ instead.
#pragma once

#include <memory>

#include "systolic/cluster/coordination.h"

namespace systolic::inline v0 {
namespace cluster {

std::unique_ptr<Coordination> open_coordination(const Place& place, JoinOptions options);

}  // namespace cluster
}  // namespace systolic::inline v0
