#include "systolic/train/step/step_losses.h"

#include <utility>

#include "systolic/runtime/knows_readiness.h"

namespace systolic::inline v0 {
namespace {

constexpr size_t executions_kept = 16;

}  // namespace

void StepLosses::add(runtime::BufferPtr losses, int64_t steps, std::vector<float>& to) {
  pending_.push_back({std::move(losses), steps});
  while (!pending_.empty() && (is_computed(pending_.front()) || pending_.size() > executions_kept))
    read_oldest(to);
}

// A device that does not say is waited for once enough steps came after.
bool StepLosses::is_computed(const Pending& pending) {
  const auto* known = dynamic_cast<const runtime::KnowsReadiness*>(pending.losses.get());
  return known != nullptr && known->is_ready();
}

void StepLosses::read_all(std::vector<float>& to) {
  while (!pending_.empty()) read_oldest(to);
}

void StepLosses::read_oldest(std::vector<float>& to) {
  const Pending oldest = std::move(pending_.front());
  pending_.pop_front();
  const Literal losses = oldest.losses->to_literal();
  for (int64_t i = 0; i < oldest.steps; ++i) to.push_back(static_cast<float>(losses.number_at(i)));
}

}  // namespace systolic::inline v0
