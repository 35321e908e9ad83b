#include "plugin/array.h"

#include "plugin/box.h"

namespace systolic::inline v0 {
namespace plugin {

Literal Array::part(size_t device) const {
  const Literal literal = devices_per_copy_ == 0
                              ? whole_->to_literal()
                              : whole_->core_literal(static_cast<int>(device / devices_per_copy_));
  // What each device has computed is its addend.
  const bool own_addend = devices_per_copy_ == 1 && !parts_.addend.empty();
  return own_addend || parts_.whole(literal.shape())
             ? literal
             : part_of(literal, parts_within(parts_, piece_), device % parts_.start.size());
}

}  // namespace plugin
}  // namespace systolic::inline v0
