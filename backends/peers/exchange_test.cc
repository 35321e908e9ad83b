#include "backends/peers/exchange.h"

#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/ir/builder/builder.h"
#include "systolic/ir/infer/verify.h"

namespace systolic {
namespace {

using namespace ir;
using Values = std::vector<Value>;

// The names of the calls and of all other ops but constants, in order: "start(2) add wait(2)".
std::string outline(const Module& module) {
  std::string text;
  for_each_op(module.main().body, [&](const Op& op) {
    if (op.code == OpCode::constant || op.code == OpCode::broadcast_in_dim) return;
    if (!text.empty()) text += " ";
    if (op.code != OpCode::custom_call) {
      text += info(op.code).name;
      return;
    }
    const std::string& name = op.get<CustomCallAttributes>().call_target_name;
    text += name.substr(name.rfind('.') + 1);
    if (name.find("reduce") != std::string::npos) {
      const bool starts = name.find("start") != std::string::npos;
      text += str("(", starts ? op.operands.size() : op.results.size(), ")");
    }
  });
  return text;
}

std::string exchanged(const std::vector<Type>& arguments,
                      const std::function<Values(Builder&, std::span<const Value>)>& build) {
  Module module;
  module.num_replicas = 2;
  module.functions.emplace_back();
  Builder b(module.main(), &module);
  Values values;
  for (const Type& type : arguments) values.push_back(b.argument(type));
  for (const Value& result : build(b, values)) b.result(result);
  const Module written = peers::with_exchange(module, "x.");
  verify(written);
  return outline(written);
}

Value sum(Value x) { return all_reduce(x, OpCode::add); }

TEST(Exchange, SumsTravelTogetherUntilOneIsRead) {
  const Type small{DType::f32, {4}}, large{DType::f32, {1 << 19}};
  const struct {
    const char* what;
    std::vector<Type> arguments;
    std::function<Values(Builder&, std::span<const Value>)> build;
    std::string wanted;
  } cases[] = {
      {"both leave when one is read",
       {small, small},
       [](Builder&, std::span<const Value> x) {
         const Value a = sum(x[0]), b = sum(x[1]), c = x[0] * x[1];
         return Values{a + c, b};
       },
       "multiply reduce_start(2) reduce_wait(2) add"},
      {"a full bucket leaves while the program goes on",
       {large, small},
       [](Builder&, std::span<const Value> x) {
         const Value a = sum(x[0]), b = sum(x[1]), c = x[1] * x[1];
         return Values{a, b + c};
       },
       "reduce_start(1) multiply reduce_start(1) reduce_wait(1) add reduce_wait(1)"},
      {"types and folds travel apart",
       {small, {DType::i32, {}}},
       [](Builder&, std::span<const Value> x) {
         return Values{sum(x[0]), sum(x[1]), all_reduce(x[0], OpCode::maximum)};
       },
       "reduce_start(1) reduce_start(1) reduce_start(1) reduce_wait(1) reduce_wait(1) "
       "reduce_wait(1)"},
      {"a branch that reads a sum comes after it",
       {small, {DType::pred, {}}},
       [](Builder&, std::span<const Value> x) {
         const Value a = sum(x[0]);
         return if_else(
             x[1], [&] { return Values{a + x[0]}; }, [&] { return Values{sum(a)}; });
       },
       "reduce_start(1) reduce_wait(1) if add reduce_start(1) reduce_wait(1)"},
      {"gathers stand where they stood",
       {small},
       [](Builder& b, std::span<const Value> x) {
         return Values{all_gather(x[0], 0, 2), replica_id(b)};
       },
       "all_gather reshape process_index"},
  };
  for (const auto& one : cases)
    EXPECT_EQ(exchanged(one.arguments, one.build), one.wanted) << one.what;
}

TEST(Exchange, WhatIsNotBetweenAllProcessesIsRefused) {
  EXPECT_CONTAINS(error_of([] {
                    exchanged({{DType::f32, {4}}}, [](Builder&, std::span<const Value> x) {
                      return Values{collective_permute(
                          x[0], {.source_target_pairs = {{0, 1}}, .channel_id = 0})};
                    });
                  }),
                  "Unimplemented: collective_permute among some of the processes");
}

}  // namespace
}  // namespace systolic
