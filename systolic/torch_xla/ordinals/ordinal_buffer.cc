#include "systolic/torch_xla/ordinals/ordinal_buffer.h"

#include <utility>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace torch_xla {

OrdinalBuffer::OrdinalBuffer(int ordinal, Literal host)
    : ordinal_(ordinal), type_{host.dtype(), host.shape()}, host_(std::move(host)) {}

OrdinalBuffer::OrdinalBuffer(int ordinal, runtime::BufferPtr real)
    : ordinal_(ordinal), type_(real->type()), real_(std::move(real)) {}

Literal OrdinalBuffer::to_literal() const {
  if (host_) return *host_;
  if (real_ == nullptr) {
    raise<FailedPrecondition>({.what = "an array whose memory a step's program took is read",
                               .hint = "read the variable when the step has run"});
  }
  const bool per_core = real_->placement().kind == runtime::Placement::Kind::per_core;
  return per_core ? real_->core_literal(ordinal_) : real_->to_literal();
}

Literal OrdinalBuffer::core_literal(int) const { return to_literal(); }

void OrdinalBuffer::lies_in(runtime::BufferPtr real) {
  real_ = std::move(real);
  host_.reset();
}

}  // namespace torch_xla
}  // namespace systolic::inline v0
