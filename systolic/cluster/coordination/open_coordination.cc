#include "systolic/cluster/open_coordination.h"

#include "systolic/cluster/coordination/client.h"

namespace systolic::inline v0 {
namespace cluster {

std::unique_ptr<Coordination> open_coordination(const Place& place, JoinOptions options) {
  return std::make_unique<Client>(place, std::move(options));
}

}  // namespace cluster
}  // namespace systolic::inline v0
