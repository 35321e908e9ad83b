#include "systolic/distribute/multi_worker_mirrored_strategy.h"

#include "systolic/base/log.h"
#include "systolic/trace/device/default_client.h"

namespace systolic::inline v0 {

MultiWorkerMirroredStrategy::MultiWorkerMirroredStrategy()
    : Strategy("MultiWorkerMirroredStrategy", default_client()->topology()) {
  log_info(str("MultiWorkerMirroredStrategy: ", topology().cores(), " devices of ",
               topology().num_processes(), " workers"));
}

}  // namespace systolic::inline v0
