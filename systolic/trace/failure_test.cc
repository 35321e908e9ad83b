// Programs that fail while they run: what becomes of variables, and what the error says.
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/runtime/failing_client.h"
#include "systolic/runtime/open_client.h"
#include "systolic/trace/device/compile_cache.h"
#include "systolic/trace/device/default_client.h"
#include "systolic/trace/feed.h"
#include "systolic/trace/function/function.h"
#include "systolic/trace/layer_scope.h"
#include "systolic/trace/ops/control_flow.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/variable.h"

namespace systolic {
namespace {

class Failing : public ::testing::Test {
 protected:
  Failing() { set_default_client(client); }
  ~Failing() override { set_default_client(nullptr); }

  std::shared_ptr<runtime::FailingClient> client =
      std::make_shared<runtime::FailingClient>(runtime::open_client({.cores = 1}));
};

TEST_F(Failing, AStepThatFailsLeavesVariablesAsTheyWere) {
  Variable w(constant({1.f, 2.f}), {.name = "w"}), count(constant(0), {.name = "count"});
  auto step = function(
      [&](const Tensor& g) {
        w.assign_sub(g);
        count.assign_add(1);
      },
      {.name = "train_step"});
  const Tensor g = constant({0.5f, 0.5f});
  step(g);
  client->fail({.program = "train_step"});
  EXPECT_THROW(step(g), Unavailable);
  EXPECT_EQ(w.literal(), Literal::of<float>({0.5f, 1.5f}));
  EXPECT_EQ(count.item<int32_t>(), 1);
  step(g);
  EXPECT_EQ(w.literal(), Literal::of<float>({0.f, 1.f}));
  EXPECT_EQ(count.item<int32_t>(), 2);
}

// A loop that takes values of the host is several programs: all are of one client, or none.
TEST_F(Failing, WhatDoesNotCompileForAnotherClientStaysWithTheFirst) {
  Variable total(constant(0.f), {.name = "total"});
  auto steps = function([&](const Tensor& x) {
    total.assign(x * 2);
    for_range(2, [&](const Tensor&) {
      const auto pull = [] {
        return std::vector{default_client()->from_host(Literal::scalar<float>(3))};
      };
      total.assign_add(add_feed({{.type = {DType::f32, {}}}}, pull, {})[0]);
    });
    return total.value() + 1;
  });
  const Tensor x = constant(5.f);
  EXPECT_EQ(steps(x).item<float>(), 2 * 5 + 2 * 3 + 1);
  const auto other = std::make_shared<runtime::FailingClient>(runtime::open_client({.cores = 1}));
  int compilations = 0;
  other->on_compile([&](const std::string&) {
    if (++compilations == 2) raise<ResourceExhausted>({.what = "no room for the second"});
  });
  other->fail({});  // as soon as one of its programs runs
  set_default_client(other);
  EXPECT_THROW(steps(x), ResourceExhausted);
  EXPECT_EQ(compilations, 2);
  set_default_client(client);
  EXPECT_EQ(steps(x).item<float>(), 2 * 5 + 2 * 3 + 1);
}

TEST_F(Failing, SaysWhichCallFailedAndWhereItWasWritten) {
  Variable w(constant(1.f), {.name = "w"});
  auto step = function([&] { w.assign_add(1); }, {.name = "train_step"});
  const int line = __LINE__ - 1;
  for (int i = 0; i < 3; ++i) step();
  client->fail({.program = "train_step"});
  const std::string text = message_of(step);
  EXPECT_NE(text.find("step 3 of train_step"), std::string::npos) << text;
  EXPECT_NE(text.find(str("failure_test.cc:", line)), std::string::npos) << text;
}

TEST_F(Failing, AProgramOfTheSameOpsSaysItsOwnNameAndLine) {
  auto body = [](const Tensor& x) { return x * 2; };
  auto first = function(body, {.name = "first"}), second = function(body, {.name = "second"});
  auto elsewhere = function([](const Tensor& x) { return x * 2; }, {.name = "second"});
  const Tensor x = constant({1.f, 2.f});
  first(x);
  second(x);
  elsewhere(x);
  client->fail({.program = "second"});
  EXPECT_EQ(first(x).literal(), Literal::of<float>({2, 4}));
  EXPECT_THROW(second(x), Unavailable);
}

TEST_F(Failing, AVariableOverwrittenByTheFailedStepSaysSo) {
  Variable w(constant({1.f, 2.f}), {.name = "dense/kernel"}), other(constant(3.f));
  auto step = function([&] { w.assign_add(1); }, {.name = "train_step"});
  step();
  client->fail({.program = "train_step", .overwrites = true});
  EXPECT_THROW(step(), Unavailable);
  const std::string text = message_of([&] { w.literal(); });
  EXPECT_NE(text.find("variable 'dense/kernel' lost its value"), std::string::npos) << text;
  EXPECT_NE(text.find("step 1 of train_step: the device stopped"), std::string::npos) << text;
  EXPECT_NE(text.find("set() the variable"), std::string::npos) << text;
  EXPECT_EQ(message_of(step), text.substr(0, text.rfind("\n  at")));
  EXPECT_EQ(other.item<float>(), 3);
  w.set(Literal::of<float>({5, 6}));
  step();
  EXPECT_EQ(w.literal(), Literal::of<float>({6, 7}));
}

TEST_F(Failing, WhatAnEagerProgramDidNotComputeSaysWhy) {
  Variable w(constant({1.f, 2.f}), {.name = "w"}), other(constant(3.f));
  w.assign_add(1);
  EXPECT_EQ(w.literal(), Literal::of<float>({2, 3}));
  client->fail({});
  w.assign_add(1);
  const Tensor failing = constant(2.f) * 3, waiting = constant(2.f) * 4;
  EXPECT_THROW(failing.literal(), Unavailable);
  EXPECT_EQ(w.literal(), Literal::of<float>({2, 3}));  // as after a compiled step that fails
  for (const auto& read :
       {+[](const Tensor& t) { t.literal(); }, +[](const Tensor& t) { (t + 1).literal(); }}) {
    const std::string text = message_of([&] { read(waiting); });
    EXPECT_NE(text.find("could not be computed"), std::string::npos) << text;
    EXPECT_NE(text.find("the device stopped"), std::string::npos) << text;
  }
  EXPECT_EQ(other.item<float>(), 3);
  w.set(Literal::of<float>({5, 6}));
  w.assign_add(1);
  EXPECT_EQ(w.literal(), Literal::of<float>({6, 7}));
}

// Eager calls of the same ops share a program; each error names the line of its own call.
TEST_F(Failing, AnEagerProgramNamesTheLineOfThisCall) {
  const Tensor x = constant({1.f, 2.f});
  const auto first = [&] { (x * 5).literal(); };
  const int first_line = __LINE__ - 1;
  const auto second = [&] {
    const Tensor y = x * 5;
    y.literal();
  };
  const int second_line = __LINE__ - 3;
  const auto in_layer = [&] {
    const LayerScope scope("net/scale");
    (x * 5).literal();
  };
  first();
  const int64_t compiled = CompileCache::of_process().compilations();
  for (const auto& [call, line] : {std::pair<std::function<void()>, int>(first, first_line),
                                   {second, second_line},
                                   {first, first_line}}) {
    client->fail({.at_op = true});
    const std::string text = message_of(call);
    EXPECT_NE(text.find(str("failure_test.cc:", line)), std::string::npos) << text;
  }
  client->fail({.at_op = true});
  EXPECT_EQ(message_of(in_layer).find("net/scale: "), 0u);
  EXPECT_EQ(CompileCache::of_process().compilations(), compiled);
  // Where no op is to blame, the line that asks for the value.
  const Tensor y = x * 5;
  client->fail({});
  const std::string text = message_of([&] { y.literal(); });
  EXPECT_NE(text.find(str("failure_test.cc:", __LINE__ - 1)), std::string::npos) << text;
}

TEST_F(Failing, AVariableWithoutAValueSaysSo) {
  Variable none;
  for (const auto& use : std::vector<std::function<void()>>{
           [&] { none.name(); }, [&] { none.literal(); }, [&] { none.assign_add(1); },
           [&] { none.set(Literal::scalar(1.f)); }, [&] { (none + 1).literal(); }}) {
    EXPECT_NE(message_of(use).find("this Variable holds nothing"), std::string::npos);
  }
}

TEST_F(Failing, AnInitializerOfAnotherTypeIsRefused) {
  const auto wrong = [] { return Literal::zeros(DType::f32, {3}); };
  const Variable w(DType::f32, {2}, wrong, {.name = "w"});
  const std::string text = message_of([&] { w.literal(); });
  EXPECT_NE(text.find("the initializer of variable 'w' gave f32[3], expected f32[2]"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("failure_test.cc:"), std::string::npos) << text;
  EXPECT_EQ(message_of([&] { (w + 1).literal(); }).find(text.substr(0, 20)), 0u);
}

TEST_F(Failing, AnExceptionWhileTracingLeavesVariablesAndTheNextTraceAlone) {
  Variable w(constant({1.f, 2.f}), {.name = "w"});
  bool fails = true;
  auto step = function([&] {
    w.assign_add(1);
    if (fails) throw std::runtime_error("of the user");
  });
  EXPECT_THROW(step(), std::runtime_error);
  EXPECT_EQ(w.literal(), Literal::of<float>({1, 2}));
  fails = false;
  step();
  EXPECT_EQ(w.literal(), Literal::of<float>({2, 3}));
}

}  // namespace
}  // namespace systolic
