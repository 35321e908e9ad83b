#include "systolic/torch_xla/sync.h"

#include <utility>
#include <vector>

#include "systolic/torch/process.h"
#include "systolic/torch_xla/ordinals/ordinal.h"
#include "systolic/torch_xla/ordinals/ordinals_client.h"
#include "systolic/trace/flush.h"
#include "systolic/trace/trace.h"

namespace systolic::inline v0 {
namespace torch_xla {
namespace {

// Those of the program itself, outside of spawn.
std::vector<std::function<void()>>& closures_of_program() {
  static thread_local std::vector<std::function<void()>> closures;
  return closures;
}

std::vector<std::function<void()>>& closures() {
  Ordinal* ordinal = Ordinal::current();
  return ordinal != nullptr ? ordinal->closures : closures_of_program();
}

// Programs that run meanwhile are steps of all ordinals.
class StepScope {
 public:
  StepScope(Ordinal& ordinal, const char* name, SourceLocation location)
      : ordinal_(ordinal), name_(ordinal.step_name) {
    ordinal_.in_step = true;
    ordinal_.step_name = name;
    ordinal_.step_at = location;
  }
  ~StepScope() {
    ordinal_.in_step = false;
    ordinal_.donated = nullptr;
    ordinal_.step_name = name_;
    ordinal_.step_at = {};
  }
  StepScope(const StepScope&) = delete;
  StepScope& operator=(const StepScope&) = delete;

 private:
  Ordinal& ordinal_;
  const char* name_;
};

}  // namespace

void sync_at(const char* name, SourceLocation location) {
  torch::internal::Process::current().autograd().forget();
  Trace& trace = Trace::implicit();
  if (Ordinal* ordinal = Ordinal::current()) {
    const StepScope step(*ordinal, name, location);
    if (trace.has_pending()) {
      // Whoever acts for all ordinals runs the program, and sees to the variables of all.
      ImplicitFlush::flush(
          trace, location,
          [&](runtime::Executable& executable, std::vector<runtime::BufferPtr>&& arguments,
              DonatedVariables& donated) {
            ordinal->donated = &donated;
            return executable.execute(std::move(arguments));
          });
    } else {
      join_with_nothing();
    }
  } else {
    ImplicitFlush::flush(trace, location, run_donating);
  }
  for (const auto& closure : std::exchange(closures(), {})) closure();
}

void sync(SourceLocation location) { sync_at("a step", location); }

void call_after_step(std::function<void()> closure) { closures().push_back(std::move(closure)); }

torch::Device device() {
  const Ordinal* ordinal = Ordinal::current();
  return {.type = "xla", .index = ordinal != nullptr ? ordinal->index : 0};
}

}  // namespace torch_xla
}  // namespace systolic::inline v0
