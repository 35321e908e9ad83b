// The types that layers compute in and keep their variables in (keras.dtype_policies).
//
//   set_dtype_policy("mixed_bfloat16");   // f32 variables, bf16 computation; losses and metrics
//   Dense{.units = 10, .dtype = "f32"}    // one layer otherwise
#pragma once

#include <iterator>
#include <string>
#include <string_view>

#include "systolic/base/source_location.h"
#include "systolic/core/dtype.h"
#include "systolic/nn/config/choice.h"

// What a policy may be called, the type that it computes in, and that of its variables.
// clang-format off
#define SYSTOLIC_DTYPE_POLICIES(named)             \
  named("mixed_bfloat16", DType::bf16, DType::f32) \
  named("mixed_float16", DType::f16, DType::f32)   \
  named("float32", DType::f32, DType::f32)         \
  named("bfloat16", DType::bf16, DType::bf16)      \
  named("float16", DType::f16, DType::f16)         \
  named("float64", DType::f64, DType::f64)         \
  named("f32", DType::f32, DType::f32)             \
  named("bf16", DType::bf16, DType::bf16)          \
  named("f16", DType::f16, DType::f16)             \
  named("f64", DType::f64, DType::f64)
// clang-format on

namespace systolic::inline v0 {

// What policies are called. A mixed one computes in the type that it names and keeps variables in
// f32; the others are of one type.
struct DTypePolicyNames {
  SYSTOLIC_NAMES_OF("dtype policy", SYSTOLIC_DTYPE_POLICIES)
};

class DTypePolicy {
 public:
  // The policy in force where the layer is made.
  constexpr DTypePolicy() = default;
  constexpr DTypePolicy(DType dtype)  // NOLINT: one type for both
      : set_(true), compute_(dtype), variable_(dtype) {}
  constexpr DTypePolicy(DType compute, DType variable)
      : set_(true), compute_(compute), variable_(variable) {}
  // One of DTypePolicyNames.
  template <size_t n>
  consteval DTypePolicy(const char (&name)[n])  // NOLINT
      : DTypePolicy(of_position(DTypePolicyNames::position({name, n - 1}))) {}

  static DTypePolicy parse(std::string_view name,
                           SourceLocation location = SourceLocation::current());

  constexpr bool is_set() const { return set_; }
  constexpr DType compute_dtype() const { return compute_; }
  constexpr DType variable_dtype() const { return variable_; }
  // "float32", "mixed_bfloat16"; "" if not set.
  std::string name() const;

  friend constexpr bool operator==(DTypePolicy a, DTypePolicy b) {
    return a.set_ == b.set_ &&
           (!a.set_ || (a.compute_ == b.compute_ && a.variable_ == b.variable_));
  }

 private:
  // The policy called DTypePolicyNames::names[position].
  static constexpr DTypePolicy of_position(int position) {
#define SYSTOLIC_DTYPE_POLICY(name, compute, variable) DTypePolicy{compute, variable},
    const DTypePolicy policies[] = {SYSTOLIC_DTYPE_POLICIES(SYSTOLIC_DTYPE_POLICY)};
#undef SYSTOLIC_DTYPE_POLICY
    return policies[position];
  }

  bool set_ = false;
  DType compute_ = DType::f32, variable_ = DType::f32;
};

// The policy of layers made from now on, in every thread but where a DTypePolicyScope is; at the
// start "float32".
void set_dtype_policy(DTypePolicy policy);
DTypePolicy dtype_policy();

// In its life, the policy of layers that its own thread makes, whatever set_dtype_policy says. A
// policy that is not set changes nothing.
class DTypePolicyScope {
 public:
  explicit DTypePolicyScope(DTypePolicy policy);
  ~DTypePolicyScope();
  DTypePolicyScope(const DTypePolicyScope&) = delete;
  DTypePolicyScope& operator=(const DTypePolicyScope&) = delete;

 private:
  DTypePolicy outer_;
};

}  // namespace systolic::inline v0
