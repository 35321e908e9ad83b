// An array of one ordinal: on the host until a step takes it; then its part of an array that lies
// on all cores. Internal.
#pragma once

#include <optional>

#include "systolic/runtime/buffer.h"

namespace systolic::inline v0 {
namespace torch_xla {

class OrdinalBuffer final : public runtime::Buffer {
 public:
  OrdinalBuffer(int ordinal, Literal host);
  // The part of `ordinal` of a buffer of the real client, or all of a replicated one.
  OrdinalBuffer(int ordinal, runtime::BufferPtr real);

  const ir::Type& type() const override { return type_; }
  const runtime::Placement& placement() const override { return placement_; }
  Literal to_literal() const override;
  Literal core_literal(int core) const override;
  bool deleted() const override { return real_ != nullptr ? real_->deleted() : !host_; }

  // Null while it is on the host, and after it was donated.
  const runtime::BufferPtr& real() const { return real_; }
  const std::optional<Literal>& host() const { return host_; }
  // The same array as part of `real`.
  void lies_in(runtime::BufferPtr real);
  // A program takes the array's memory: deleted() until lies_in() gives it back.
  void donate() { real_ = nullptr; }

 private:
  const int ordinal_;
  ir::Type type_;
  runtime::Placement placement_ = {};
  std::optional<Literal> host_;
  runtime::BufferPtr real_;
};

}  // namespace torch_xla
}  // namespace systolic::inline v0
