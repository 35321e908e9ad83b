// What tells one call of a `function` from another, and how a difference is put in words. Internal
// to function.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "systolic/base/text.h"
#include "systolic/ir/module.h"
#include "systolic/trace/tensor_tree.h"
#include "systolic/trace/trace_key.h"

namespace systolic::inline v0 {

// One argument of a call, as far as it is no Tensor.
struct ArgumentNote {
  TraceKey value;
  std::string text;        // "0.1", "\"train\"", "3 Tensors"; empty: nothing short to show
  size_t tensors = 0;      // in it
  bool is_tensor = false;  // it is one
};

template <class Value>
ArgumentNote note_of(const Value& value) {
  ArgumentNote note;
  note.value.add_type<Value>();
  note.value.add<Value>(value);
  if constexpr (std::is_same_v<Value, Tensor>) {
    note.is_tensor = true;
    note.tensors = 1;
  } else if constexpr (TensorTree<Value>) {
    Value tree = value;
    note.tensors = tensors_of(tree).size();
    note.text = str(note.tensors, " Tensors");
  } else if constexpr (std::is_enum_v<Value>) {
    note.text = str(static_cast<long long>(value));
  } else if constexpr (std::is_convertible_v<const Value&, std::string_view>) {
    note.text = str('"', std::string_view(value).substr(0, 60), '"');
  } else if constexpr (std::is_arithmetic_v<Value> || std::is_same_v<Value, Shape>) {
    note.text = str(value);
  }
  return note;
}

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
  // Where nothing but Tensors may differ.
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
