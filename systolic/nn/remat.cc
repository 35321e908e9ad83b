#include "systolic/nn/remat.h"

namespace systolic::inline v0 {
namespace {

thread_local std::optional<RematOptions> in_force;
thread_local bool recomputes_activations = false;

}  // namespace

RematScope::RematScope(RematOptions options)
    : outer_(std::exchange(in_force, std::optional(std::move(options)))) {
  if (in_force->mode.is("none")) in_force.reset();
}
RematScope::~RematScope() { in_force = std::move(outer_); }

namespace internal {

const std::optional<RematOptions>& remat_in_force() { return in_force; }

ActivationRemat::ActivationRemat(bool recomputes)
    : outer_(std::exchange(recomputes_activations, recomputes)) {}
ActivationRemat::~ActivationRemat() { recomputes_activations = outer_; }
bool ActivationRemat::recomputes() { return recomputes_activations; }

}  // namespace internal
}  // namespace systolic::inline v0
