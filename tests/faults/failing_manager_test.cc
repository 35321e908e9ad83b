// Each call to the system under a CheckpointManager fails once, or from then on: what save() has
// given back is not lost, and the next run takes it up.
#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/io/files/test_files.h"
#include "systolic/systolic.h"
#include "tests/faults/failing_system.h"

namespace systolic {
namespace {

constexpr int64_t most_steps = 4;

// A loop of one's own that goes on from what is there.
struct Loop {
  int64_t restored = 0, step = 0;
  int64_t saved = 0;  // the last whose save() came back
  Variable sum{Tensor(Literal::of<float>({1, 2, 3}))};

  void run(const std::string& directory, bool asynchronous) {
    CheckpointManager manager(Checkpoint({{"step", step}, {"sum", sum}}), directory,
                              {.max_to_keep = 2, .asynchronous = asynchronous});
    manager.restore_or_initialize();
    restored = saved = step;
    while (step < most_steps) {
      ++step;
      sum.assign_add(Literal::of<float>({1, 0.5f, 0.25f}) * static_cast<float>(step));
      manager.save();
      saved = asynchronous ? step - 1 : step;
    }
    manager.wait();
    saved = step;
  }
};

// Whether there was such a call.
bool run_loop_with(const Fault& fault, bool asynchronous, const Literal& whole) {
  const TemporaryFolder folder;
  const CaughtLog log;
  Loop cut, rest;
  bool failed = false;
  {
    const FailingSystem failing(fault);
    const std::string error = error_of([&] { cut.run(folder / "run", asynchronous); });
    failed = failing.failed();
    if (error != "no error") {
      EXPECT_TRUE(contains(error, fault.error == ENOSPC ? "ResourceExhausted" : "Unavailable"))
          << error;
      EXPECT_TRUE(contains(error, "systolic-test-")) << error;
    }
  }
  rest.run(folder / "run", asynchronous);
  EXPECT_GE(rest.restored, cut.saved);
  EXPECT_TRUE(rest.sum.literal() == whole);
  return failed;
}

TEST(FailingManager, EveryCall) {
  const TemporaryFolder folder;
  Loop whole;
  whole.run(folder / "run", false);
  constexpr int64_t most_calls = 200;
  int64_t faults = 0;
  for (const bool asynchronous : {false, true}) {
    for (const SystemCall call : {SystemCall::open, SystemCall::write, SystemCall::fsync,
                                  SystemCall::rename, SystemCall::mkdir, SystemCall::unlink}) {
      for (const int error : {EIO, ENOSPC}) {
        int64_t number = 1;
        for (; number < most_calls; ++number, ++faults) {
          SCOPED_TRACE(str(name_of(call), " ", number, " ", error, " ", asynchronous));
          const Fault fault{
              .call = call, .number = number, .error = error, .and_later = error == ENOSPC};
          if (!run_loop_with(fault, asynchronous, whole.sum.literal())) break;
        }
        EXPECT_LT(number, most_calls) << name_of(call);
      }
    }
  }
  EXPECT_GT(faults, 100);
}

}  // namespace
}  // namespace systolic
