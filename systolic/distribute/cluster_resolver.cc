#include "systolic/distribute/cluster_resolver.h"

#include <utility>

#include "systolic/base/error.h"
#include "systolic/cluster/place/place.h"
#include "systolic/distribute/tpu_system.h"
#include "systolic/runtime/open_client.h"
#include "systolic/runtime/tpu_kind.h"

namespace systolic::inline v0 {

TPUClusterResolver::TPUClusterResolver(std::string tpu, ClusterOptions options,
                                       SourceLocation location)
    : tpu_(std::move(tpu)), options_(options) {
  if (is_remote()) runtime::check_backend(tpu_);
  if (!may_be_tpu() && !is_remote()) kind_ = parse_tpu_kind(tpu_, location).name;
  const int most = parse_tpu_kind(kind_, location).cores();
  if (options_.cores < 0 || (options_.cores > most && !is_remote())) {
    raise<InvalidArgument>({.what = str(options_.cores, " cores of a ", kind_),
                            .wanted = str("1 to ", most, ", or 0 for all"),
                            .location = location});
  }
}

TPUClusterResolver TPUClusterResolver::connect(std::string tpu) {
  TPUClusterResolver resolver(std::move(tpu));
  initialize_tpu_system(resolver);
  return resolver;
}

runtime::Processes TPUClusterResolver::processes() const { return cluster::find_place().processes; }

std::string TPUClusterResolver::master() const { return tpu_.empty() ? "local" : tpu_; }

}  // namespace systolic::inline v0
