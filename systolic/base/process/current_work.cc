#include "systolic/base/process/current_work.h"

#include <atomic>

namespace systolic::inline v0 {
namespace {

std::atomic<WorkPlace (*)()> describe_work{nullptr};

}  // namespace

void set_describe_work(WorkPlace (*describe)()) { describe_work = describe; }

WorkPlace current_work() {
  WorkPlace (*const describe)() = describe_work.load();
  return describe == nullptr ? WorkPlace{} : describe();
}

}  // namespace systolic::inline v0
