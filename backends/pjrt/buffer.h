// An array on the cores of a PJRT client: a device's buffer for each core that holds a part.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backends/pjrt/client_state.h"
#include "backends/pjrt/device_buffer.h"
#include "systolic/runtime/buffer.h"
#include "systolic/runtime/knows_readiness.h"

namespace systolic::inline v0 {
namespace pjrt {

// The run that computes a buffer, for errors that show when it is read.
struct RunLabel {
  std::string name;  // "step 17 of train_step"; "": it was copied from the host
  SourceLocation location;
};

// By core; one for single placement.
using Parts = std::shared_ptr<const std::vector<DeviceBuffer>>;

class Buffer final : public runtime::Buffer, public runtime::KnowsReadiness {
 public:
  Buffer(ClientStatePtr state, ir::Type type, runtime::Placement placement, Parts parts,
         RunLabel label = {});
  ~Buffer() override;

  const ir::Type& type() const override { return type_; }
  const runtime::Placement& placement() const override { return placement_; }
  Literal to_literal() const override;
  Literal core_literal(int core) const override;
  bool deleted() const override;
  bool is_ready() const override;

  const ClientStatePtr& state() const { return state_; }
  // FailedPrecondition after it was donated or reset.
  Parts parts() const;
  // From now on it is deleted(); the memory is freed when nothing uses it any more.
  void release();
  // The bytes that it takes on a core.
  int64_t bytes_on(int core) const;

 private:
  Literal read(const DeviceBuffer& part) const;

  ClientStatePtr state_;
  ir::Type type_;
  runtime::Placement placement_;
  RunLabel label_;
  mutable std::mutex mutex_;
  Parts parts_;
};

}  // namespace pjrt
}  // namespace systolic::inline v0
