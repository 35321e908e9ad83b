// Tensors as C++ code sees them: operators, indexing, variables, threads.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/trace/device/compile_cache.h"
#include "systolic/trace/device/device.h"
#include "systolic/trace/function/function.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/trace/variable.h"

namespace systolic {
namespace {

std::vector<float> values(const Tensor& tensor) {
  const Literal literal = tensor.literal();
  const auto data = literal.data<float>();
  return {data.begin(), data.end()};
}

TEST(Eager, MatmulPrintsAsTheGuideShows) {
  const Tensor a = constant({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
  const Tensor b = constant({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}});
  std::ostringstream out;
  out << matmul(a, b);
  EXPECT_EQ(out.str(), "Tensor(\n[[22. 28.]\n [49. 64.]], shape=(2, 2), dtype=float32)");
}

TEST(Eager, ATensorNamesItsCore) {
  EXPECT_EQ(constant(1.f).device(), "/job:worker/replica:0/task:0/device:TPU:0");
  EXPECT_NE(message_of<InvalidArgument>([] {
              device("/TPU:99", [] { return constant(1.f) + 1; });
            }).find("there is no device '/TPU:99', expected /TPU:0 to /TPU:"),
            std::string::npos);
}

TEST(Eager, BroadcastsAndTakesNumbers) {
  const Tensor a = constant({{1.f, 2.f}, {3.f, 4.f}});
  EXPECT_EQ(values(2 * a + constant({10.f, 20.f})), (std::vector<float>{12, 24, 16, 28}));
  EXPECT_EQ(values(a - 1), (std::vector<float>{0, 1, 2, 3}));
  EXPECT_TRUE(static_cast<bool>(all(a > 0)));
}

TEST(Eager, ANewNumberIsNotANewProgram) {
  const Tensor a = constant({1.f, 2.f});
  values(a * 0.123);
  const int64_t before = CompileCache::of_process().compilations();
  EXPECT_EQ(values(a * 0.25f)[1], 0.5f);
  values(a * 0.456);
  values(a * 0.789);
  EXPECT_LE(CompileCache::of_process().compilations() - before, 1);
}

// More ops than are gathered at a time.
TEST(Eager, ManyOpsBetweenReadsRunOnTheWay) {
  Tensor sum = constant({0.f});
  Variable counter(Literal::scalar<int32_t>(0));
  const Tensor one = constant({1.f});
  for (int i = 0; i < 30'000; ++i) {
    sum = i % 2 == 0 ? sum + 1.0 : sum + one;
    counter.assign_add(1);
  }
  EXPECT_EQ(sum.literal().number_at(0), 30'000);
  EXPECT_EQ(counter.item<int32_t>(), 30'000);
}

TEST(Eager, WrongShapesNameBothAndTheLine) {
  const std::string message = message_of<InvalidArgument>([] {
    return constant({1.f, 2.f}) + constant({1.f, 2.f, 3.f});
  });
  EXPECT_NE(message.find("(2,) and (3,)"), std::string::npos) << message;
  EXPECT_NE(message.find("trace_test.cc:"), std::string::npos) << message;
}

TEST(Eager, MixedTypesShowTheCast) {
  const std::string message =
      message_of<InvalidArgument>([] { return constant({1.f}) + constant({1}); });
  EXPECT_NE(message.find("cast(x, DType::f32)"), std::string::npos) << message;
}

TEST(Indexing, FollowsPython) {
  const Tensor x = reshape(cast(range(24), DType::f32), {2, 3, 4});
  struct Case {
    Tensor got;
    Shape shape;
    std::vector<float> wanted;
  };
  const Case cases[] = {
      {x[1][2][3], {}, {23}},
      {x[{0, 1}], {4}, {4, 5, 6, 7}},
      {x[{ellipsis, -1}], {2, 3}, {3, 7, 11, 15, 19, 23}},
      {x[{1, all, 0}], {3}, {12, 16, 20}},
      {x[{0, 0, Slice{.begin = 1, .end = 3}}], {2}, {1, 2}},
      {x[{0, 0, Slice{.step = -2}}], {2}, {3, 1}},
      {x[{0, 0, Slice{.begin = -3}}], {3}, {1, 2, 3}},
      {x[{0, new_axis, 0}], {1, 4}, {0, 1, 2, 3}},
      {x[{constant(1), constant(-1)}], {4}, {20, 21, 22, 23}},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(c.got.shape(), c.shape);
    EXPECT_EQ(values(c.got), c.wanted);
  }
}

TEST(Indexing, AMaskShowsTheRecipe) {
  const Tensor x = constant({1.f, 2.f});
  const std::string message = message_of<InvalidArgument>([&] { return x[x > 0]; });
  EXPECT_NE(message.find("where(mask, x, 0)"), std::string::npos) << message;
}

TEST(Variables, AreUpdatedInOrder) {
  Variable v(constant(1.f), {.name = "v"});
  v.assign_add(2);
  const Tensor before = v.value();
  v.assign(v.value() * 10);
  EXPECT_EQ(before.item<float>(), 3);
  EXPECT_EQ(v.item<float>(), 30);
  v.set(Literal::scalar(7.f));
  EXPECT_EQ((v + 1).item<float>(), 8);
}

TEST(Threads, ATensorThatWaitsElsewhereSaysWhatToDo) {
  const Tensor waiting = constant(2.f) * 3;
  std::string message;
  std::thread([&] {
    message = message_of<FailedPrecondition>([&] { (waiting + 1).item<float>(); });
  }).join();
  EXPECT_NE(message.find("another thread"), std::string::npos) << message;
  EXPECT_NE(message.find("literal()"), std::string::npos) << message;
  EXPECT_EQ((waiting + 1).item<float>(), 7);  // here it is as it was
}

TEST(Threads, ATensorOfAFunctionIsOfNoUseElsewhere) {
  std::string message;
  auto f = function([&](const Tensor& x) {
    const Tensor inside = x * 2;
    std::thread([&] {
      message = message_of<FailedPrecondition>([&] { (inside + 1).item<float>(); });
    }).join();
    return inside;
  });
  EXPECT_EQ(f(constant(2.f)).item<float>(), 4);
  EXPECT_NE(message.find("function"), std::string::npos) << message;
}

TEST(Eager, WrappedMemoryMayChangeAfterwards) {
  alignas(64) float frame[16] = {1};
  const Literal wrapped = Literal::wrap(DType::f32, {16}, frame, nullptr);
  const Tensor waiting(wrapped);
  const Variable variable(DType::f32, {16}, [&] { return wrapped; });
  const Tensor placed = waiting + 0;
  variable.literal();
  frame[0] = 2;
  EXPECT_EQ(values(waiting)[0], 1);
  EXPECT_EQ(values(placed)[0], 1);
  EXPECT_EQ(variable.literal().number_at(0), 1);
}

TEST(Reductions, FollowNumPy) {
  const Tensor x = constant({{1.f, 5.f, 2.f}, {7.f, 0.f, 7.f}});
  EXPECT_EQ(values(sum(x, {.axis = 0})), (std::vector<float>{8, 5, 9}));
  const std::vector<float> means = values(mean(x, {.axis = -1, .keepdims = true}));
  EXPECT_FLOAT_EQ(means[0], 8.f / 3);
  EXPECT_FLOAT_EQ(means[1], 14.f / 3);
  EXPECT_EQ(max(x).item<float>(), 7);
  EXPECT_EQ(argmax(x).literal(), (Literal::of<int32_t>({1, 0})));
  EXPECT_EQ(values(top_k(x, 2).values), (std::vector<float>{5, 2, 7, 7}));
  EXPECT_EQ(top_k(x, 2).indices.literal(), (Literal::of<int32_t>({{1, 2}, {0, 2}})));
  EXPECT_EQ(values(cumsum(x, 1)), (std::vector<float>{1, 6, 8, 7, 7, 14}));
  EXPECT_NEAR(logsumexp(constant({1000.f, 1000.f})).item<float>(), 1000 + std::log(2.0), 1e-3);
}

}  // namespace
}  // namespace systolic
