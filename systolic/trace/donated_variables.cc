#include "systolic/trace/donated_variables.h"

#include <utility>

namespace systolic::inline v0 {

void DonatedVariables::let_go() {
  for (Entry& entry : entries_) {
    const runtime::BufferPtr old = std::exchange(*entry.snapshot, nullptr);
    // Another thread may have given the variable a value since it was read.
    if (entry.variable->buffer == old) entry.variable->buffer = nullptr;
  }
}

void DonatedVariables::hold(const std::vector<runtime::BufferPtr>& results) const {
  for (const Entry& entry : entries_) entry.variable->hold(results[entry.result]);
}

void DonatedVariables::give_back(const std::vector<runtime::BufferPtr>& arguments,
                                 std::string_view failure) const {
  for (const Entry& entry : entries_) {
    VariableState& variable = *entry.variable;
    if (variable.buffer) continue;
    variable.buffer = arguments[entry.argument];
    if (variable.buffer->deleted()) variable.lost_in = failure;
  }
}

}  // namespace systolic::inline v0
