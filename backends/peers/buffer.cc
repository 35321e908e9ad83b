#include "backends/peers/buffer.h"

#include "systolic/base/error.h"
#include "systolic/passes/partition/partition.h"

namespace systolic::inline v0 {
namespace peers {

using Kind = runtime::Placement::Kind;

PeerBuffer::PeerBuffer(runtime::BufferPtr own, ir::Type type, runtime::Placement placement, int cut,
                       int first_core)
    : own_(std::move(own)),
      type_(std::move(type)),
      placement_(std::move(placement)),
      cut_(cut),
      first_core_(first_core) {}

Literal PeerBuffer::to_literal() const {
  if (placement_.kind == Kind::sharded && cut_ != passes::no_cut) {
    raise<FailedPrecondition>({.what = str("an array of type ", to_string(type_),
                                           ", of which this process has a piece, "
                                           "is read"),
                               .hint = "return it from a step function, which gathers it"});
  }
  return own_->to_literal();
}

Literal PeerBuffer::core_literal(int core) const {
  if (placement_.kind != Kind::per_core) return own_->core_literal(core - first_core_);
  return own_->to_literal().row(core - first_core_);
}

}  // namespace peers
}  // namespace systolic::inline v0
