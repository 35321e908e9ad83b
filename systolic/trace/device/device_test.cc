#include "systolic/trace/device/device.h"

#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/runtime/open_client.h"
#include "systolic/runtime/test_process_client.h"
#include "systolic/trace/device/default_client.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/tensor.h"

namespace systolic {
namespace {

TEST(DeviceScope, NamesCoresOfItsOwnProcess) {
  struct Case {
    runtime::Processes processes;
    const char* name;
    std::string result;  // the device of a Tensor, or the error
  };
  const std::string worker = "/job:worker/replica:0/task:";
  for (const Case& c : {
           Case{{}, "/TPU:3", worker + "0/device:TPU:3"},
           Case{{}, "/TPU:4", "there is no device '/TPU:4', expected /TPU:0 to /TPU:3"},
           Case{{}, "/job:worker/replica:0/task:1/device:TPU:0", "there is no device"},
           Case{{2, 1}, "/TPU:3", worker + "1/device:TPU:3"},
           Case{{2, 1}, "/TPU:4", "there is no device"},
           Case{{2, 1}, "/job:worker/replica:0/task:1/device:TPU:2", worker + "1/device:TPU:2"},
           Case{{2, 1}, "/job:worker/replica:0/task:0/device:TPU:2", "is another process's"},
       }) {
    set_default_client(std::make_shared<runtime::ProcessClient>(
        runtime::open_client({.tpu = "v3-8", .cores = 4}), c.processes));
    std::string result;
    try {
      result = device(c.name, [] { return (constant(1.f) + 1).device(); });
    } catch (const InvalidArgument& error) {
      result = error.what();
    }
    EXPECT_CONTAINS(result, c.result);
  }
  set_default_client(nullptr);
}

}  // namespace
}  // namespace systolic
