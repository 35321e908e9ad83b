#include "systolic/train/step/step_losses.h"

#include <utility>

namespace systolic::inline v0 {
namespace {

constexpr size_t executions_kept = 16;

}  // namespace

void StepLosses::add(runtime::BufferPtr losses, int64_t steps, std::vector<float>& to) {
  pending_.push_back({std::move(losses), steps});
  if (pending_.size() > executions_kept) read_oldest(to);
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
