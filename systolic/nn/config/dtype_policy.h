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

namespace systolic::inline v0 {

// What policies are called. A mixed one computes in the type that it names and keeps variables in
// f32; the others are of one type.
struct DTypePolicyNames {
  SYSTOLIC_NAMES(throw "dtype policy must be one of: mixed_bfloat16 mixed_float16 float32 bfloat16 float16 float64 f32 bf16 f16 f64")  // NOLINT
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
  // The policy called DTypePolicyNames::names[position]: mixed_... are the first two.
  static constexpr DTypePolicy of_position(int position) {
    constexpr DType types[] = {DType::bf16, DType::f16, DType::f32,  DType::bf16, DType::f16,
                               DType::f64,  DType::f32, DType::bf16, DType::f16,  DType::f64};
    static_assert(std::size(types) == DTypePolicyNames::names.size());
    return {types[position], position < 2 ? DType::f32 : types[position]};
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
