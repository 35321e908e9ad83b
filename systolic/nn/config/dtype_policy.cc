#include "systolic/nn/config/dtype_policy.h"

#include <mutex>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace {

struct GlobalPolicy {
  std::mutex mutex;
  DTypePolicy policy{DType::f32};
};

GlobalPolicy& global() {
  static GlobalPolicy instance;
  return instance;
}

// That of the innermost scope that this thread is in; not set outside of scopes.
thread_local DTypePolicy scoped;

}  // namespace

DTypePolicy DTypePolicy::parse(std::string_view name, SourceLocation location) {
  if (name.empty()) return {};
  return of_position(
      parse_choice(DTypePolicyNames::subject, name, Choice<DTypePolicyNames>::known(), location));
}

std::string DTypePolicy::name() const {
  if (!set_) return "";
  if (compute_ == variable_) return std::string(info(compute_).numpy_name);
  return str("mixed_", info(compute_).numpy_name);
}

void set_dtype_policy(DTypePolicy policy) {
  const std::lock_guard lock(global().mutex);
  global().policy = policy.is_set() ? policy : DTypePolicy(DType::f32);
}

DTypePolicy dtype_policy() {
  if (scoped.is_set()) return scoped;
  const std::lock_guard lock(global().mutex);
  return global().policy;
}

DTypePolicyScope::DTypePolicyScope(DTypePolicy policy) : outer_(scoped) {
  if (policy.is_set()) scoped = policy;
}
DTypePolicyScope::~DTypePolicyScope() { scoped = outer_; }

}  // namespace systolic::inline v0
