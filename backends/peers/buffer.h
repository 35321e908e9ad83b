// An array of a client of several processes: this process's part of it, on its own cores.
#pragma once

#include "systolic/runtime/buffer.h"
#include "systolic/runtime/knows_readiness.h"

namespace systolic::inline v0 {
namespace peers {

class PeerBuffer final : public runtime::Buffer, public runtime::KnowsReadiness {
 public:
  // `cut`: the axis of `own` along which processes hold pieces; passes::no_cut where each has all.
  // `first_core`: this process's.
  PeerBuffer(runtime::BufferPtr own, ir::Type type, runtime::Placement placement, int cut,
             int first_core);

  const ir::Type& type() const override { return type_; }
  const runtime::Placement& placement() const override { return placement_; }
  // FailedPrecondition for a sharded array, of which this process has a piece.
  Literal to_literal() const override;
  Literal core_literal(int core) const override;
  bool deleted() const override { return own_->deleted(); }
  bool is_ready() const override {
    const auto* own = dynamic_cast<const runtime::KnowsReadiness*>(own_.get());
    return own != nullptr && own->is_ready();
  }

  const runtime::BufferPtr& own() const { return own_; }
  runtime::BufferPtr& own() { return own_; }
  int cut() const { return cut_; }

 private:
  runtime::BufferPtr own_;
  ir::Type type_;
  runtime::Placement placement_;
  int cut_;
  int first_core_;
};

}  // namespace peers
}  // namespace systolic::inline v0
