// In a build without cpp-httplib.
#include "systolic/monitor/web/remote_status.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace monitor {

std::unique_ptr<RunStatus> RemoteStatusReader::read() const {
  raise<Unimplemented>({.what = "this build of Systolic reads no runs of other machines",
                        .hint = "install libcpp-httplib-dev and build again"});
}

}  // namespace monitor
}  // namespace systolic::inline v0
