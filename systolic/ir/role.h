// What an argument of a program is, for breakdowns of its memory.
#pragma once

#include <cstdint>

namespace systolic::inline v0 {
namespace ir {

enum class Role : uint8_t {
  input,            // batches, counts, captured arrays
  parameter,        // variables of the model
  optimizer_state,  // its slots and counters
  other_state,      // metrics, random state
};

}  // namespace ir
}  // namespace systolic::inline v0
