// Replaces coordination/ where Systolic is built without gRPC.
#include "systolic/cluster/open_coordination.h"

namespace systolic::inline v0 {
namespace cluster {

std::unique_ptr<Coordination> open_coordination(const Place& place, JoinOptions) {
  raise<Unimplemented>(
      {.what = str("this is one of ", place.processes.count, " processes (", place.source,
                   "), and this Systolic was built without gRPC, by which they find each other"),
       .hint = "apt-get install libgrpc++-dev libprotobuf-dev protobuf-compiler-grpc, then "
               "configure and build "
               "again"});
}

}  // namespace cluster
}  // namespace systolic::inline v0
