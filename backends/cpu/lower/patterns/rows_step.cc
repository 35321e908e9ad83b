#include "backends/cpu/lower/patterns/rows_step.h"

#include <algorithm>
#include <utility>

namespace systolic::inline v0 {
namespace cpu {

void emit_rows(Planner& planner, StepNote note, int64_t rows, int64_t columns,
               std::function<void(const Frame&, int64_t begin, int64_t end)> run) {
  note.parts.count = rows;
  note.parts.run = run;
  // Below this many, waking another thread costs more than it saves.
  constexpr int64_t elements_at_once = 16384;
  const int64_t grain = std::max<int64_t>(1, elements_at_once / columns);
  planner.emit(std::move(note), [=, run = std::move(run)](const Frame& frame) {
    frame.pool().parallel_for(rows, grain,
                              [&](int64_t begin, int64_t end) { run(frame, begin, end); });
  });
}

}  // namespace cpu
}  // namespace systolic::inline v0
