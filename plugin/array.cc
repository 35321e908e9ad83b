#include "plugin/array.h"

#include "plugin/box.h"

namespace systolic::inline v0 {
namespace plugin {

Literal Array::part(size_t core) const {
  if (stacked_) return whole_->core_literal(static_cast<int>(core));
  const Literal literal = whole_->to_literal();
  return parts_.whole(literal.shape()) ? literal : part_of(literal, parts_, core);
}

}  // namespace plugin
}  // namespace systolic::inline v0
