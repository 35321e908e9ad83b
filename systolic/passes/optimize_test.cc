// Each simplification: the ops that are left, and equal results before and after.
#include "systolic/passes/optimize.h"

#include <gtest/gtest.h>

#include <cmath>

#include "backends/interpreter/evaluate.h"
#include "systolic/base/text.h"
#include "systolic/ir/builder/builder.h"
#include "systolic/ir/infer/verify.h"
#include "systolic/ir/print/print.h"

namespace systolic {
namespace {

using namespace ir;
using Values = std::vector<Value>;

struct Row {
  const char* name;
  std::function<Value(Builder&, Value)> build;  // from x: f32[2, 3]
  std::vector<OpCode> left;                     // ops after optimizing, in order
};

enum class Doubled { alone, beside_sums, negated_beside_sums };

// x doubled `trips` times, and with it the sum of all that came before: the sum of both.
Value repeated(Builder& b, Value x, double trips, Doubled how) {
  Values start{b.filled(DType::i32, {}, 0), x};
  if (how != Doubled::alone) start.push_back(b.filled(DType::f32, {2, 3}, 0));
  const auto body = [&](std::span<const Value> s) {
    Values next{s[0] + 1.0, s[1] + s[1]};
    if (how == Doubled::negated_beside_sums) next[1] = -next[1];
    if (s.size() > 2) next.push_back(s[2] + s[1]);
    return next;
  };
  const Values results = while_loop(
      start, [&](std::span<const Value> s) { return compare(s[0], trips, Direction::lt); }, body);
  return how == Doubled::alone ? results[1] : results[1] + results[2];
}

const std::vector<Row> rows{
    {"x * 1", [](Builder&, Value x) { return x * 1.0; }, {}},
    {"1 * x", [](Builder&, Value x) { return 1.0 * x; }, {}},
    {"x / 1", [](Builder&, Value x) { return x / 1.0; }, {}},
    {"x - 0", [](Builder&, Value x) { return x - 0.0; }, {}},
    {"x + -0", [](Builder&, Value x) { return x + -0.0; }, {}},
    {"x + 0 turns -0 into 0",
     [](Builder&, Value x) { return x + 0.0; },
     {OpCode::constant, OpCode::broadcast_in_dim, OpCode::add}},
    {"x * 0 keeps NaN",
     [](Builder&, Value x) { return x * 0.0; },
     {OpCode::constant, OpCode::broadcast_in_dim, OpCode::multiply}},
    {"-(-x)", [](Builder&, Value x) { return -(-x); }, {}},
    {"max(x, x)", [](Builder&, Value x) { return binary(OpCode::maximum, x, x); }, {}},
    {"select with one side",
     [](Builder&, Value x) { return select(compare(x, 0.0, Direction::lt), x, x); },
     {}},
    {"select of a known predicate",
     [](Builder& b, Value x) {
       return select(b.filled(DType::pred, {2, 3}, 0), unary(OpCode::exponential, x), x);
     },
     {}},
    {"convert and back",
     [](Builder&, Value x) { return convert(convert(x, DType::f64), DType::f32); },
     {}},
    {"convert through a wider type",
     [](Builder&, Value x) {
       return convert(convert(convert(x, DType::bf16), DType::f32), DType::f64);
     },
     {OpCode::convert, OpCode::convert}},
    {"rounding stays",
     [](Builder&, Value x) { return convert(convert(x, DType::bf16), DType::f32); },
     {OpCode::convert, OpCode::convert}},
    {"reshape of reshape",
     [](Builder&, Value x) {
       return reshape(reshape(x, {6}), {3, 2});
     },
     {OpCode::reshape}},
    {"reshape and back",
     [](Builder&, Value x) {
       return reshape(reshape(x, {6}), {2, 3});
     },
     {}},
    {"arrays without elements",
     [](Builder&, Value x) {
       return unary(OpCode::exponential, slice(x, {1, 0}, {1, 3}));
     },
     {OpCode::constant}},
    {"transpose and back",
     [](Builder&, Value x) {
       return transpose(transpose(x, {1, 0}), {1, 0});
     },
     {}},
    {"transpose of transpose",
     [](Builder&, Value x) {
       return transpose(transpose(reshape(x, {1, 2, 3}), {1, 2, 0}), {1, 2, 0});
     },
     {OpCode::reshape, OpCode::transpose}},
    {"broadcast of a reshape that adds axes of size 1",
     [](Builder&, Value x) {
       return broadcast_in_dim(reshape(x, {1, 2, 1, 3}), {5, 2, 4, 3}, {0, 1, 2, 3});
     },
     {OpCode::broadcast_in_dim}},
    {"broadcast of a reshape of other axes",
     [](Builder&, Value x) {
       return broadcast_in_dim(reshape(x, {1, 3, 1, 2}), {5, 3, 4, 2}, {0, 1, 2, 3});
     },
     {OpCode::reshape, OpCode::broadcast_in_dim}},
    {"broadcast of broadcast",
     [](Builder&, Value x) {
       return broadcast_to(broadcast_to(x, {4, 2, 3}), {5, 4, 2, 3});
     },
     {OpCode::broadcast_in_dim}},
    {"slice of all",
     [](Builder&, Value x) {
       return slice(x, {0, 0}, {2, 3});
     },
     {}},
    {"reverse twice", [](Builder&, Value x) { return reverse(reverse(x, {1}), {1}); }, {}},
    {"pad by nothing",
     [](Builder& b, Value x) {
       return pad(x, b.filled(DType::f32, {}, 1), {0, 0}, {0, 0});
     },
     {}},
    {"concatenation of one part", [](Builder&, Value x) { return concatenate(Values{x}, 0); }, {}},
    {"constants",
     [](Builder& b, Value x) {
       const Value c = b.filled(DType::f32, {2, 3}, 0.1) * 3.0 + 1.0;
       return x * c;
     },
     {OpCode::constant, OpCode::broadcast_in_dim, OpCode::multiply}},
    {"equal ops",
     [](Builder&, Value x) { return unary(OpCode::tanh, x) * unary(OpCode::tanh, x); },
     {OpCode::tanh, OpCode::multiply}},
    {"equal constants, different attributes",
     [](Builder&, Value x) {
       const Value a = reduce_sum(x * 2.0, {0, 1});
       const Value t = transpose(x, {1, 0});
       return a + reduce_sum(t * 2.0, {0, 1});
     },
     {OpCode::constant, OpCode::broadcast_in_dim, OpCode::multiply, OpCode::constant,
      OpCode::reduce, OpCode::transpose, OpCode::broadcast_in_dim, OpCode::multiply, OpCode::reduce,
      OpCode::add}},
    {"a barrier stays",
     [](Builder&, Value x) { return optimization_barrier(Values{x})[0]; },
     {OpCode::optimization_barrier}},
    {"what is computed again after a barrier",
     [](Builder&, Value x) {
       const Value again = unary(OpCode::tanh, optimization_barrier(Values{x})[0]);
       const Value third = unary(OpCode::tanh, optimization_barrier(Values{x})[0]);
       return unary(OpCode::tanh, x) + again + third;
     },
     {OpCode::optimization_barrier, OpCode::tanh, OpCode::optimization_barrier, OpCode::tanh,
      OpCode::tanh, OpCode::add, OpCode::add}},
    {"dead loop",
     [](Builder& b, Value x) {
       while_loop(
           Values{b.filled(DType::i32, {}, 0)},
           [](std::span<const Value> s) { return compare(s[0], 3, Direction::lt); },
           [](std::span<const Value> s) { return Values{s[0] + 1.0}; });
       return x;
     },
     {}},
    {"a loop that another one contains",
     [](Builder& b, Value x) {
       const Value y = repeated(b, x, 3, Doubled::alone);
       const Value z = unary(OpCode::tanh, y);
       return z + repeated(b, x, 3, Doubled::beside_sums);
     },
     {OpCode::constant, OpCode::constant, OpCode::broadcast_in_dim, OpCode::while_, OpCode::tanh,
      OpCode::add, OpCode::add}},
    {"loops of other trips",
     [](Builder& b, Value x) {
       const Value y = repeated(b, x, 3, Doubled::alone);
       return y + repeated(b, x, 4, Doubled::beside_sums);
     },
     {OpCode::constant, OpCode::while_, OpCode::constant, OpCode::broadcast_in_dim, OpCode::while_,
      OpCode::add, OpCode::add}},
    {"loops that compute other values",
     [](Builder& b, Value x) {
       const Value y = repeated(b, x, 3, Doubled::alone);
       return y + repeated(b, x, 3, Doubled::negated_beside_sums);
     },
     {OpCode::constant, OpCode::while_, OpCode::constant, OpCode::broadcast_in_dim, OpCode::while_,
      OpCode::add, OpCode::add}},
    {"a loop that goes on from the other",
     [](Builder& b, Value x) {
       const Value y = repeated(b, x, 3, Doubled::alone);
       return repeated(b, y, 3, Doubled::beside_sums);
     },
     {OpCode::constant, OpCode::while_, OpCode::constant, OpCode::broadcast_in_dim, OpCode::while_,
      OpCode::add}},
    {"values of a branch are not seen outside",
     [](Builder& b, Value x) {
       const Value p = compare(reduce_sum(x, {0, 1}), b.filled(DType::f32, {}, 0), Direction::gt);
       const Value inside = if_else(
           p, [&] { return Values{unary(OpCode::tanh, x)}; }, [&] { return Values{x}; })[0];
       return inside + unary(OpCode::tanh, x);
     },
     {OpCode::constant, OpCode::reduce, OpCode::compare, OpCode::if_, OpCode::tanh, OpCode::add}},
};

TEST(Optimize, LeavesWhatIsNeededWithEqualResults) {
  const Literal x = Literal::of<float>({{1.5f, -0.0f, 3}, {-INFINITY, NAN, 0.1f}});
  for (const Row& row : rows) {
    Module module;
    module.functions.emplace_back();
    Builder b(module.main(), &module);
    b.result(row.build(b, b.argument({DType::f32, {2, 3}})));
    const Module better = passes::optimize(module);
    ASSERT_NO_THROW(verify(better)) << row.name;
    std::vector<OpCode> left;
    for (const Op& op : better.main().body.ops) left.push_back(op.code);
    EXPECT_EQ(left, row.left) << row.name << "\n" << to_text(better);
    const Literal before = interpreter::evaluate(module, {x})[0];
    const Literal after = interpreter::evaluate(better, {x})[0];
    EXPECT_EQ(to_string(before), to_string(after)) << row.name;
    for (int64_t i = 0; i < before.size(); ++i) {
      EXPECT_EQ(std::signbit(before.number_at(i)), std::signbit(after.number_at(i))) << row.name;
    }
  }
}

// What they kept apart stays so, and what nobody reads after them goes: here y, in the loop too.
TEST(DropBarriers, LeavesTheOpsAround) {
  Module module;
  module.functions.emplace_back();
  Builder b(module.main(), &module);
  const Value x = b.argument({DType::f32, {2, 3}}), y = unary(OpCode::tanh, x);
  const Values held = optimization_barrier(Values{x, y});
  const auto more = [](std::span<const Value> s) { return compare(s[0], 3, Direction::lt); };
  const auto body = [](std::span<const Value> s) {
    return Values{s[0] + 1.0, optimization_barrier(Values{s[1], s[1] * s[1]})[0] + s[1]};
  };
  const Values last = while_loop(Values{b.filled(DType::i32, {}, 0), held[0]}, more, body);
  b.result(unary(OpCode::exponential, x) + unary(OpCode::exponential, held[0]) + last[1]);
  Module without = module;
  passes::drop_barriers(without);
  ASSERT_NO_THROW(verify(without));
  std::vector<OpCode> left;
  for (const Op& op : without.main().body.ops) left.push_back(op.code);
  EXPECT_EQ(left, (std::vector<OpCode>{OpCode::constant, OpCode::while_, OpCode::exponential,
                                       OpCode::exponential, OpCode::add, OpCode::add}))
      << to_text(without);
  EXPECT_EQ(to_text(without).find("optimization_barrier"), std::string::npos);
  EXPECT_EQ(to_text(without).find("multiply"), std::string::npos);
  const Literal given = Literal::of<float>({{1.5f, 2, 3}, {-1, 0.25f, 0.1f}});
  EXPECT_EQ(to_string(interpreter::evaluate(without, {given})[0]),
            to_string(interpreter::evaluate(module, {given})[0]));
}

TEST(Optimize, KeepsArgumentsNamesAliasesAndLocations) {
  Module module;
  module.num_partitions = 4;
  module.functions.emplace_back();
  Builder b(module.main(), &module);
  b.location = {"train.cc", 5};
  b.argument({DType::f32, {8}}, {.name = "unused"});
  const Value x = b.argument({DType::f32, {8}}, {.name = "w", .aliases_result = 0});
  b.result(unary(OpCode::tanh, x * 1.0), {.sharding = Sharding::along(0, 1, 4)});
  const Function main = passes::optimize(module).main();
  ASSERT_EQ(main.arguments.size(), 2u);
  EXPECT_EQ(main.arguments[1].name, "w");
  EXPECT_EQ(main.arguments[1].aliases_result, 0);
  EXPECT_EQ(main.results[0].sharding, Sharding::along(0, 1, 4));
  EXPECT_EQ(main.body.ops[0].location.line, 5);
}

TEST(Optimize, FoldsWithTheRoundingOfTheType) {
  const std::vector<std::pair<DType, double>> table{{DType::f32, 0.1},
                                                    {DType::bf16, 0.1},
                                                    {DType::f16, 0.1},
                                                    {DType::f64, 0.1},
                                                    {DType::i8, 100}};
  for (const auto& [dtype, number] : table) {
    Module module;
    module.functions.emplace_back();
    Builder b(module.main(), &module);
    const Value c = b.filled(dtype, {}, number);
    b.result((c + c) * c - c);
    const Module better = passes::optimize(module);
    EXPECT_EQ(better.main().body.ops.size(), 1u) << to_string(dtype);
    EXPECT_EQ(interpreter::evaluate(module, {})[0], interpreter::evaluate(better, {})[0])
        << to_string(dtype);
  }
}

}  // namespace
}  // namespace systolic
