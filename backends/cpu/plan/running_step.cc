#include "backends/cpu/plan/running_step.h"

#include "backends/cpu/plan/plan.h"
#include "systolic/base/process/current_work.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

WorkPlace describe_running_step() {
  const Step* step = running_step.load();
  if (step == nullptr) return {};
  return {.what = step->text.c_str(),
          .layer = step->layer_path,
          .file = step->location.file,
          .line = step->location.line};
}

}  // namespace

RunningProgram::RunningProgram() {
  static const bool told = [] {
    set_describe_work(describe_running_step);
    return true;
  }();
  static_cast<void>(told);
}

}  // namespace cpu
}  // namespace systolic::inline v0
