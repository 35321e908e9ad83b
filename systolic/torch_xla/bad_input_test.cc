// Ordinals that do not do the same: every case ends, with an error that says who did what.
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <string>

#include "systolic/base/test_errors.h"
#include "systolic/torch_xla/torch_xla.h"
#include "systolic/trace/function/function.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic {
namespace {

namespace utils = torch::utils::data;

std::string error_on_two(const std::function<void(int)>& fn) {
  return error_of([&] { xmp::spawn(fn, {.nprocs = 2}); });
}

// A value that the next step computes.
torch::Tensor pending(int64_t rows = 2) { return torch::Tensor(ones({rows}) * 2.0); }

TEST(BadOrdinals, TracesThatDifferNameTheFirstOpAndItsLine) {
  const int line = __LINE__ + 3;
  const std::string error = error_on_two([](int index) {
    const torch::Tensor x = pending();
    const torch::Tensor y = index == 0 ? torch::Tensor(x + 1.0) : torch::Tensor(exp(x));
    torch_xla::sync();
  });
  EXPECT_CONTAINS(error, "FailedPrecondition: ordinal ");
  EXPECT_CONTAINS(error, "programs of one step differ: op ");
  EXPECT_CONTAINS(error, "add(f32[2], f32[2]) to f32[2] on ordinal 0");
  EXPECT_CONTAINS(error, "exponential(f32[2]) to f32[2] on ordinal 1");
  EXPECT_CONTAINS(error, str("bad_input_test.cc:", line));
}

TEST(BadOrdinals, ShapesThatDifferNameTheFirstOp) {
  const torch::nn::Linear model(3, 2);
  const std::string error = error_on_two([&](int index) {
    const torch::Tensor x = Literal::zeros(DType::f32, {2 + index, 3});
    const torch::Tensor y = model(x);
    torch_xla::sync();
  });
  EXPECT_CONTAINS(error, "dot_general(f32[2,3], f32[2,3]) to f32[2,2]");
  EXPECT_CONTAINS(error, "dot_general(f32[3,3], f32[2,3]) to f32[3,2]");
}

TEST(BadOrdinals, OneThatHasNothingToRunIsNamed) {
  const std::string error = error_on_two([](int index) {
    torch::Tensor x;
    if (index == 1) x = pending();
    torch_xla::sync();
  });
  EXPECT_CONTAINS(error, "not there on ordinal 0");
}

TEST(BadOrdinals, OneThatThrowsEndsTheOthers) {
  const std::string error = error_on_two([](int index) {
    if (index == 1) throw std::runtime_error("no such file");
    const torch::Tensor x = pending();
    torch_xla::sync();
  });
  EXPECT_CONTAINS(error, "FunctionFailed: ordinal 1: no such file");
}

TEST(BadOrdinals, OneThatLeavesEarlyIsNamed) {
  const std::string error = error_on_two([](int index) {
    for (int step = 0; step < 2 + index; ++step) {
      const torch::Tensor x = pending();
      torch_xla::sync();
    }
  });
  EXPECT_CONTAINS(error, "ordinal 1 waits at a step");
  EXPECT_CONTAINS(error, "for ordinal 0, which has left: it returned");
}

TEST(BadOrdinals, DifferentPlacesAreNamed) {
  const std::string error = error_on_two([](int index) {
    if (index == 0) {
      xm::rendezvous("init");
    } else {
      xm::rendezvous("end");
    }
  });
  EXPECT_CONTAINS(error, "ordinal 0 to rendezvous 'init'");
  EXPECT_CONTAINS(error, "ordinal 1 to rendezvous 'end'");
}

TEST(BadOrdinals, ALoaderThatEndsEarlyIsNamed) {
  const std::string error = error_on_two([](int index) {
    const utils::TensorDataset rows({{"x", Literal::zeros(DType::f32, {4 + 2 * index, 3})}});
    const pl::MpDeviceLoader loader(utils::DataLoader(rows, {.batch_size = 2}), xm::xla_device());
    for (const utils::Batch& batch : loader) torch::Tensor(batch["x"] * 2.0);
  });
  EXPECT_CONTAINS(error, "ordinal 0 to a loader's end");
  EXPECT_CONTAINS(error, "ordinal 1 to a loader's next batch");
}

TEST(BadOrdinals, ACollectiveInsideAFunctionIsRefused) {
  const std::string error = error_on_two([](int) {
    auto sum =
        function([](const Tensor& x) -> Tensor { return xm::all_reduce(xm::REDUCE_SUM, x); });
    sum(ones({2})).literal();
  });
  EXPECT_CONTAINS(error, "Unimplemented: ordinal ");
  EXPECT_CONTAINS(error, "a collective between ordinals inside `function`");
}

TEST(BadOrdinals, SpawnInsideSpawnIsRefused) {
  const std::string error = error_on_two([](int) { xmp::spawn([](int) {}, {.nprocs = 2}); });
  EXPECT_CONTAINS(error, "spawn inside the function that a spawn runs");
}

TEST(BadOrdinals, OptionsThatCannotBe) {
  for (const int nprocs : {0, -1, 9}) {
    EXPECT_CONTAINS(error_of([&] { xmp::spawn([](int) {}, {.nprocs = nprocs}); }), "1 to 8");
  }
  EXPECT_CONTAINS(error_of([] { xmp::spawn([](int) {}, {.nprocs = 2, .join = false}); }),
                  "Unimplemented: spawn with join = false");
  EXPECT_CONTAINS(error_of([] { xmp::spawn([](int) {}, {.nprocs = 2, .start_method = "frok"}); }),
                  "start_method 'frok'");
}

TEST(BadOrdinals, AnotherSpawnWorksAfterOneThatFailed) {
  error_on_two([](int) { throw std::runtime_error("first"); });
  int sum = 0;
  xmp::spawn(
      [&](int index) {
        const int all =
            xm::mesh_reduce("sum", index + 1, [](const auto& of) { return of[0] + of[1]; });
        if (index == 0) sum = all;
      },
      {.nprocs = 2});
  EXPECT_EQ(sum, 3);
}

TEST(Backward, NeedsARecordedScalar) {
  const torch::nn::Linear model(3, 2);
  const torch::Tensor x = Literal::zeros(DType::f32, {4, 3});
  EXPECT_CONTAINS(error_of([&] { model(x).backward(); }), "a scalar");
  torch_xla::sync();
  EXPECT_CONTAINS(error_of([&] {
                    const torch::no_grad guard;
                    model(x).sum().backward();
                  }),
                  "not under no_grad");
}

}  // namespace
}  // namespace systolic
