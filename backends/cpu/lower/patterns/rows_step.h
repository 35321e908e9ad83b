// A step that works on rows, each for itself.
#pragma once

#include <cstdint>
#include <functional>

#include "backends/cpu/plan/planner.h"

namespace systolic::inline v0 {
namespace cpu {

// Emits the step with its rows as its parts: run(frame, begin, end) does rows [begin, end). What
// `note` lacks is set here, except the pieces of what it reads and writes.
void emit_rows(Planner& planner, StepNote note, int64_t rows, int64_t columns,
               std::function<void(const Frame&, int64_t begin, int64_t end)> run);

}  // namespace cpu
}  // namespace systolic::inline v0
