#include "backends/cpu/plan/plan.h"

#include "backends/cpu/plan/profile.h"
#include "backends/cpu/plan/running_step.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace cpu {

spans::WorkId span_work_of(const Step& step, spans::WorkKind kind, spans::WorkId member_of) {
  return spans::id_of({.kind = kind,
                       .name = step.text.substr(0, step.text.find('\n')),
                       .layer = step.layer_path,
                       .file = step.location.file,
                       .line = step.location.line,
                       .flops = step.flops,
                       .bytes = step.bytes,
                       .member_of = member_of});
}

namespace {

spans::WorkId span_work(const Step& step) {
  if (step.span_work == spans::no_work) step.span_work = span_work_of(step, spans::WorkKind::op);
  return step.span_work;
}

}  // namespace

void run_steps(const std::vector<Step>& steps, const Frame& frame) {
  Profile* profile = Profile::active();
  const Step* step = steps.data();
  const Step* const end = step + steps.size();
  try {
    for (; step != end; ++step) {
      if (step->prepares && frame.state().is_prepared) continue;
      running_step.store(step, std::memory_order_relaxed);
      const spans::Span span([step] { return span_work(*step); });
      profile ? profile->run(*step, frame) : step->run(frame);
    }
  } catch (...) {
    RunState& state = frame.state();
    if (state.failed == nullptr) state.failed = step;
    state.failed_outermost = step;
    throw;
  }
}

std::string Plan::text() const {
  std::string lines = str(steps.size(), " steps, arena ", bytes_text(arena_bytes), ", ",
                          constants.size(), " constants, ", fixed(flops * 1e-6, 3), " MFLOP\n");
  for (const Step& step : steps) lines += step.text + '\n';
  return lines;
}

}  // namespace cpu
}  // namespace systolic::inline v0
