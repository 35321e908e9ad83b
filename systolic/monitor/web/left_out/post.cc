// In a build without cpp-httplib.
#include "systolic/monitor/web/post.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace monitor {

void post(const PostRequest& /*request*/) {
  raise<Unimplemented>({.what = "this build of Systolic sends no logs over HTTP",
                        .hint = "install libcpp-httplib-dev and build again"});
}

}  // namespace monitor
}  // namespace systolic::inline v0
