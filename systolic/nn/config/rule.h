// How losses, metrics and optimizers keep a spec of any type: as a rule (LossRule, MetricRule,
// OptimizerRule), a record of facts and of functions. Facts are read once, from the spec's members
// of the same names; one that the spec does not have keeps the record's default. Functions share
// the spec. What a record lists is all that the library knows of a spec: a new fact is a member of
// the record and a line where the record is made.
#pragma once

#include <concepts>
#include <string>

#include "systolic/nn/config/fields.h"

namespace systolic::inline v0 {
namespace internal {

// {"class_name": ..., "config": {...}} by the spec's own config(), or by its fields(); a spec
// that has neither is an Unimplemented: "the loss 'mine' is written in C++: ...".
template <class Spec>
Config config_of_rule(const Spec& spec, const char* what, const std::string& name) {
  if constexpr (requires {
                  { spec.config() } -> std::convertible_to<Config>;
                }) {
    return spec.config();
  } else if constexpr (HasOwnFields<Spec>) {
    return config_of(spec);
  } else {
    raise_without_fields(what, name);
  }
}

}  // namespace internal
}  // namespace systolic::inline v0
