// Replaces the folder where Systolic is built without Gloo.
#include "backends/gloo/open_peers.h"

namespace systolic::inline v0 {
namespace gloo_peers {

runtime::PeersPtr open_peers(std::shared_ptr<cluster::Coordination> run, double) {
  raise<Unimplemented>(
      {.what = str("this is one of ", run->place().processes.count,
                   " processes, and this Systolic was built without Gloo, by which they exchange "
                   "arrays"),
       .hint = "apt-get install libgloo-dev, then configure and build again"});
}

}  // namespace gloo_peers
}  // namespace systolic::inline v0
