#include "tests/failures/failing_device.h"

#include <utility>

#include "backends/cpu/client.h"
#include "backends/cpu/lower/lower_block.h"
#include "systolic/base/error.h"

namespace systolic {
namespace {

DeviceFailure& failure() {
  static DeviceFailure instance;
  return instance;
}

void maybe_fail(const cpu::Frame&) {
  int& left = failure().runs_before;
  if (left < 0) return;
  if (left-- > 0) return;  // at 0 it fails, and is at -1 then
  raise<Unavailable>({.what = "the device stopped"});
}

// As lower_block, with a step after the last op of the layer.
void lower_block_with_failure(cpu::Planner& planner, const ir::Block& block) {
  cpu::lower_block(planner, block);
  for (auto op = block.ops.rbegin(); op != block.ops.rend(); ++op) {
    if (!std::string_view(op->layer_path).ends_with(failure().layer)) continue;
    planner.at(*op);
    planner.emit({.name = "test"}, maybe_fail);
    return;
  }
}

}  // namespace

runtime::ClientPtr failing_device(DeviceFailure wanted) {
  fail_again(std::move(wanted));
  return cpu::open_software_tpu("v3-8", 1, lower_block_with_failure);
}

void fail_again(DeviceFailure wanted) { failure() = std::move(wanted); }

}  // namespace systolic
