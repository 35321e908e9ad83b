#include "systolic/cluster/coordination.h"

#include "systolic/cluster/alone.h"
#include "systolic/cluster/open_coordination.h"

namespace systolic::inline v0 {
namespace cluster {

std::unique_ptr<Coordination> join(const Place& place, JoinOptions options) {
  if (place.alone()) return std::make_unique<Alone>(place);
  return open_coordination(place, std::move(options));
}

}  // namespace cluster
}  // namespace systolic::inline v0
