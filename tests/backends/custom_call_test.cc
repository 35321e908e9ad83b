// Functions that are not ours, on both backends.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "backends/cpu/client.h"
#include "backends/interpreter/client.h"
#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/runtime/custom_function.h"
#include "tests/backends/compare.h"

namespace systolic {
namespace {

using ir::Builder;
using ir::Value;

// The sums of the elements from the first in memory on, times the option `scale`.
struct RunningSum final : CustomFunction {
  explicit RunningSum(float factor) : scale(factor) {}
  void run(std::span<const CustomArray> operands,
           std::span<const CustomArray> results) const override {
    const auto* from = reinterpret_cast<const float*>(operands[0].data);
    auto* to = reinterpret_cast<float*>(results[0].data);
    float sum = 0;
    for (int64_t i = 0; i < operands[0].type.shape.elements(); ++i) to[i] = sum += scale * from[i];
  }
  float scale;
};

// How far the operand's memory lies from the result's, in each element.
struct Distance final : CustomFunction {
  void run(std::span<const CustomArray> operands,
           std::span<const CustomArray> results) const override {
    auto* to = reinterpret_cast<int64_t*>(results[0].data);
    std::fill_n(to, results[0].type.shape.elements(), operands[0].data - results[0].data);
  }
};

// Writes down the number that it is given, and gives how many it has seen.
struct Diary final : CustomFunction {
  void run(std::span<const CustomArray> operands,
           std::span<const CustomArray> results) const override {
    seen().push_back(*reinterpret_cast<const int32_t*>(operands[0].data));
    if (results.empty()) return;
    *reinterpret_cast<int32_t*>(results[0].data) = static_cast<int32_t>(seen().size());
  }
  static std::vector<int32_t>& seen() {
    static std::vector<int32_t> numbers;
    return numbers;
  }
};

void register_functions() {
  register_custom_function(
      "test.diary", [](const ir::CustomCallAttributes&) { return std::make_unique<Diary>(); });
  register_custom_function("test.running_sum", [](const ir::CustomCallAttributes& call) {
    const float scale =
        call.options.empty() ? 1 : std::get<Literal>(call.options[0].value).at<float>({});
    return std::make_unique<RunningSum>(scale);
  });
  register_custom_function("test.distance", [](const ir::CustomCallAttributes&) {
    return std::make_unique<Distance>();
  });
}

ir::Module call_module(const ir::CustomCallAttributes& call, const ir::Type& type) {
  return make_module([&](Builder& b) {
    const Value x = b.argument(type);
    b.result(b.append_one(ir::OpCode::custom_call, {x}, call, {}, {type}));
  });
}

TEST(CustomCall, SeesArraysInTheLayoutItAsksFor) {
  register_functions();
  struct Row {
    ir::Axes from, to;
    std::vector<float> wanted;
  };
  const Row rows[] = {
      {{1, 0}, {1, 0}, {0, 1, 3, 6, 10, 15}},
      {{0, 1}, {0, 1}, {0, 4, 10, 3, 8, 15}},
      {{0, 1}, {1, 0}, {0, 3, 4, 8, 10, 15}},
      {{1, 0}, {0, 1}, {0, 3, 10, 1, 6, 15}},
  };
  const Literal x = Literal::from(std::vector<float>{0, 1, 2, 3, 4, 5}, {2, 3});
  for (const Row& row : rows) {
    const ir::CustomCallAttributes call{.call_target_name = "test.running_sum",
                                        .operand_layouts = {row.from},
                                        .result_layouts = {row.to}};
    expect_result(call_module(call, {DType::f32, {2, 3}}), {x}, Literal::from(row.wanted, {2, 3}));
  }
}

TEST(CustomCall, IsToldItsOptions) {
  register_functions();
  const ir::CustomCallAttributes call{.call_target_name = "test.running_sum",
                                      .options = {{"scale", Literal::scalar(2.0f)}},
                                      .operand_layouts = {{0}},
                                      .result_layouts = {{0}}};
  expect_result(call_module(call, {DType::f32, {3}}),
                {Literal::from(std::vector<float>{1, 2, 3}, {3})},
                Literal::from(std::vector<float>{2, 6, 12}, {3}));
}

TEST(CustomCall, FindsAnAliasedOperandInItsResult) {
  register_functions();
  const ir::CustomCallAttributes call{.call_target_name = "test.distance",
                                      .operand_layouts = {{0, 1}},
                                      .result_layouts = {{0, 1}},
                                      .output_operand_aliases = {{0, 0}}};
  const Literal zeros = Literal::zeros(DType::i64, {2, 3});
  expect_result(call_module(call, {DType::i64, {2, 3}}),
                {Literal::from(std::vector<int64_t>{1, 2, 3, 4, 5, 6}, {2, 3})}, zeros);
}

// A call of the diary; with a result where `counts` says so.
std::vector<Value> note(Value number, bool counts = false, bool once = false) {
  ir::CustomCallAttributes call{.call_target_name = "test.diary",
                                .operand_layouts = {{}},
                                .has_side_effect = true,
                                .once = once};
  if (counts) call.result_layouts.emplace_back();
  const std::vector<ir::Type> results(counts ? 1 : 0, ir::Type{DType::i32, {}});
  return number.builder().append(ir::OpCode::custom_call, {&number, 1}, call, {}, results);
}

Value number(Builder& b, int value) { return b.filled(DType::i32, {}, value); }

// What the diary holds after a run, which is to be the same on both backends.
void expect_notes(const ir::Module& module, const std::vector<Literal>& arguments,
                  const std::vector<int32_t>& wanted) {
  register_functions();
  const auto cores = static_cast<int>(module.num_replicas);
  for (const runtime::ClientPtr& client :
       {cpu::open_software_tpu("v3-8", cores),
        interpreter::open_client(parse_tpu_kind("v3-8"), cores)}) {
    Diary::seen().clear();
    std::vector<runtime::BufferPtr> buffers;
    for (const Literal& argument : arguments) buffers.push_back(client->from_host(argument));
    client->compile(module, {.name = "diary"})->execute(std::move(buffers));
    EXPECT_EQ(Diary::seen(), wanted) << client->platform();
  }
}

TEST(CustomCall, WithSideEffectsIsMadeInItsPlaceThoughNobodyReadsIt) {
  const ir::Module module = make_module([](Builder& b) {
    const Value x = b.argument({DType::i32, {}});
    note(x);
    note(number(b, 7));
    note(x, /*counts=*/true);  // like the next one, and unread
    note(x, /*counts=*/true);
    note(ir::binary(ir::OpCode::add, x, number(b, 1)));
    b.result(x);
  });
  expect_notes(module, {Literal::scalar(3)}, {3, 7, 3, 3, 4});
}

TEST(CustomCall, WithSideEffectsIsMadeInBranchesAndLoops) {
  const ir::Module module = make_module([](Builder& b) {
    const Value x = b.argument({DType::i32, {}});
    const Value positive = compare(x, 0, ir::Direction::gt);
    std::vector<ir::Block> branches;
    for (int sign : {1, -1}) {
      branches.push_back(b.region({}, [&](std::span<const Value>) {
        note(number(b, sign));
        return std::vector<Value>{};
      }));
    }
    b.append(ir::OpCode::if_, {&positive, 1}, {}, std::move(branches));
    const ir::Type counter{DType::i32, {}};
    std::vector<ir::Block> loop;
    loop.push_back(b.region({&counter, 1}, [&](std::span<const Value> state) {
      return std::vector<Value>{ir::compare(state[0], x, ir::Direction::lt)};
    }));
    loop.push_back(b.region({&counter, 1}, [&](std::span<const Value> state) {
      note(state[0]);
      return std::vector<Value>{ir::binary(ir::OpCode::add, state[0], number(b, 1))};
    }));
    const Value start = number(b, 0);
    b.append(ir::OpCode::while_, {&start, 1}, {}, std::move(loop));  // whose result nobody reads
    b.result(x);
  });
  expect_notes(module, {Literal::scalar(3)}, {1, 0, 1, 2});
  expect_notes(module, {Literal::scalar(-2)}, {-1});
}

// Each core its own, in the order of the cores; one for all where the program says so.
TEST(CustomCall, WithSideEffectsIsMadeByEachCore) {
  ir::Module module = make_module([](Builder& b) {
    const Value core = ir::convert(ir::replica_id(b), DType::i32);
    note(core);
    note(number(b, 5));
    note(number(b, 6), false, /*once=*/true);
    b.result(core);
  });
  module.num_replicas = 3;
  expect_notes(module, {}, {0, 1, 2, 5, 5, 5, 6});
}

// Core i goes round i times, and calls only then.
TEST(CustomCall, WithSideEffectsIsMadeByCoresThatComeToIt) {
  ir::Module module = make_module([](Builder& b) {
    const Value core = ir::convert(ir::replica_id(b), DType::i32);
    const ir::Type counter{DType::i32, {}};
    std::vector<ir::Block> loop;
    loop.push_back(b.region({&counter, 1}, [&](std::span<const Value> state) {
      return std::vector<Value>{ir::compare(state[0], core, ir::Direction::lt)};
    }));
    loop.push_back(b.region({&counter, 1}, [&](std::span<const Value> state) {
      const Value ten = ir::binary(ir::OpCode::multiply, core, number(b, 10));
      note(ir::binary(ir::OpCode::add, ten, state[0]));
      return std::vector<Value>{ir::binary(ir::OpCode::add, state[0], number(b, 1))};
    }));
    const Value start = number(b, 0);
    b.result(b.append(ir::OpCode::while_, {&start, 1}, {}, std::move(loop))[0]);
  });
  module.num_replicas = 3;
  expect_notes(module, {}, {10, 20, 21});
}

// Runs a program of the engine that runs the program by which it is called.
struct Nested final : CustomFunction {
  void run(std::span<const CustomArray>, std::span<const CustomArray>) const override {
    program->execute({});
  }
  static runtime::ExecutablePtr program;
};
runtime::ExecutablePtr Nested::program;

TEST(CustomCall, MayNotRunAnotherProgramOfItsEngine) {
  register_custom_function(
      "test.nested", [](const ir::CustomCallAttributes&) { return std::make_unique<Nested>(); });
  const runtime::ClientPtr client = cpu::open_software_tpu("v3-8", 1);
  Nested::program =
      client->compile(make_module([](Builder& b) { b.result(number(b, 1)); }), {.name = "inner"});
  const ir::Module outer = make_module([](Builder& b) {
    b.append(ir::OpCode::custom_call, {},
             ir::CustomCallAttributes{.call_target_name = "test.nested", .has_side_effect = true},
             {}, {});
    b.result(number(b, 2));
  });
  EXPECT_CONTAINS(message_of<FailedPrecondition>(
                      [&] { client->compile(outer, {.name = "outer"})->execute({}); }),
                  "program 'inner' is run by a function that a running program calls");
  EXPECT_EQ(Nested::program->execute({}).size(), 1u);  // the turn was given back
  Nested::program.reset();
}

TEST(CustomCall, OfNobodyIsNamed) {
  const ir::CustomCallAttributes call{
      .call_target_name = "test.nobody", .operand_layouts = {{0}}, .result_layouts = {{0}}};
  try {
    make_custom_function(call);
    FAIL();
  } catch (const NotFound& error) {
    EXPECT_NE(std::string(error.what()).find("test.nobody"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace systolic
