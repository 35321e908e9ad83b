// What distinguishes one call of a `function` from another, and how a difference is described.
// Internal to function.
#pragma once

#include <string>
#include <vector>

#include "systolic/ir/module.h"
#include "systolic/trace/function/argument_note.h"
#include "systolic/trace/function/trace_key.h"

namespace systolic::inline v0 {

struct CallSignature {
  struct TensorKind {
    ir::Type type;
    bool per_core = false;
    friend bool operator==(const TensorKind&, const TensorKind&) = default;
  };

  TraceKey statics;  // of the arguments that are no Tensors
  std::vector<TensorKind> tensors;
  int64_t replicas = 1;

  friend bool operator==(const CallSignature& a, const CallSignature& b) {
    return a.statics == b.statics && a.tensors == b.tensors && a.replicas == b.replicas;
  }
  // For programs in which only Tensors may differ.
  bool same_values(const CallSignature& other) const {
    return statics == other.statics && replicas == other.replicas &&
           tensors.size() == other.tensors.size();
  }
};

// "argument 1 was f32[2,32], is f32[2,37]", "argument 2 was 0.1, is 0.2", one for each difference.
std::vector<std::string> changes_between(const CallSignature& before,
                                         const std::vector<ArgumentNote>& notes_before,
                                         const CallSignature& now,
                                         const std::vector<ArgumentNote>& notes_now);

}  // namespace systolic::inline v0
