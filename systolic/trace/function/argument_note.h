// What is kept of a `function`'s argument, to say how one call differs from another. Internal to
// function.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "systolic/base/text.h"
#include "systolic/trace/function/tensor_tree.h"
#include "systolic/trace/function/trace_key.h"

namespace systolic::inline v0 {

// One argument of a call, without its Tensors.
struct ArgumentNote {
  TraceKey value;
  std::string text;        // "0.1", "\"train\"", "3 Tensors"; empty: nothing short to show
  size_t tensors = 0;      // in it
  bool is_tensor = false;  // it is one
};

// What is kept of this argument: its value as a key, its text where that is short, and how many
// Tensors are in it.
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

}  // namespace systolic::inline v0
