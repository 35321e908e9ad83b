#include "systolic/nn/one_class.h"

#include "systolic/base/text.h"
#include "systolic/events/event_stream.h"
#include "systolic/trace/layer_scope.h"

namespace systolic::inline v0 {

void warn_of_one_class(std::string_view what, const Tensor& x, int axis, std::string_view instead) {
  if (x.rank() == 0 || x.shape()[axis] != 1) return;
  const std::string path = LayerScope::path();
  publish_advice(
      LogLevel::warning,
      str(what, path.empty() ? "" : str(" of layer '", path, "'"), " over an axis of size 1 (",
          x.shape(), ", axis ", axis, ") gives the same whatever it is given, so that nothing ",
          "is learnt: ", instead, " is for one number that says yes or no"));
}

}  // namespace systolic::inline v0
