#include "systolic/trace/function/call_signature.h"

#include <algorithm>

#include "systolic/trace/function/retrace.h"

namespace systolic::inline v0 {
namespace {

std::string change_of_value(const std::string& name, const ArgumentNote& before,
                            const ArgumentNote& now) {
  if (before.text.empty() || now.text.empty() || before.text == now.text)
    return str(name, " has another value");
  return str(name, " was ", before.text, ", is ", now.text);
}

std::string change_of_tensor(const std::string& name, const CallSignature::TensorKind& before,
                             const CallSignature::TensorKind& now) {
  if (before.type != now.type) return type_change(name, before.type, now.type);
  return str(name,
             now.per_core ? " holds a value for each core now" : " is one value for all cores now");
}

}  // namespace

std::vector<std::string> changes_between(const CallSignature& before,
                                         const std::vector<ArgumentNote>& notes_before,
                                         const CallSignature& now,
                                         const std::vector<ArgumentNote>& notes_now) {
  std::vector<std::string> changes;
  if (notes_before.size() != notes_now.size())
    changes.push_back(
        str("it had ", counted(notes_before.size(), "argument"), ", has ", notes_now.size()));
  if (before.replicas != now.replicas)
    changes.push_back(str("it was for ", counted(static_cast<size_t>(before.replicas), "core"),
                          ", is for ", now.replicas));
  size_t tensor_before = 0, tensor_now = 0;
  for (size_t i = 0; i < std::min(notes_before.size(), notes_now.size()); ++i) {
    const ArgumentNote &a = notes_before[i], &b = notes_now[i];
    const std::string name = str("argument ", i);
    if (!(a.value == b.value)) {
      changes.push_back(change_of_value(name, a, b));
    } else {
      for (size_t j = 0; j < b.tensors; ++j) {
        const auto &old = before.tensors[tensor_before + j], &kind = now.tensors[tensor_now + j];
        if (old == kind) continue;
        changes.push_back(
            change_of_tensor(b.is_tensor ? name : str("Tensor ", j, " of ", name), old, kind));
      }
    }
    tensor_before += a.tensors;
    tensor_now += b.tensors;
  }
  return changes;
}

}  // namespace systolic::inline v0
