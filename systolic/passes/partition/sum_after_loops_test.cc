// Loops that add up, as they are and with the sums after them, by the interpreter.
#include "systolic/passes/partition/sum_after_loops.h"

#include <gtest/gtest.h>

#include "systolic/passes/partition/collective_bytes.h"
#include "systolic/passes/stack/test_rows.h"

namespace systolic {
namespace {

using namespace stacking;

constexpr int64_t rounds = 5;

// What a round adds to the sum, from x [4, 3] and w [4, 2] of each core and the sum so far, [3, 2].
using Round = std::function<Value(Builder&, Value x, Value w, Value sum)>;

Value product(Value x, Value w) { return dot_general(x, w, {{}, {}, {0}, {0}, {}}); }
Value summed_product(Value x, Value w) { return all_reduce(product(x, w), OpCode::add); }

Module loop_of(const Round& round) {
  Module module;
  module.num_replicas = cores;
  module.functions.emplace_back();
  Builder b(module.main(), &module);
  const Value x = b.argument(Type{DType::f32, {4, 3}}), w = b.argument(Type{DType::f32, {4, 2}});
  const Value start = b.argument(Type{DType::f32, {3, 2}}, {.uniform = true});
  const Values initial{b.filled(DType::i32, {}, 0), start, x};
  const Values results = while_loop(
      initial,
      [&](Arguments s) { return compare(s[0], static_cast<double>(rounds), Direction::lt); },
      [&](Arguments s) {
        return Values{s[0] + 1.0, s[1] + round(b, s[2], w, s[1]), s[2] * 0.5};
      });
  b.result(results[1] * 2.0);
  b.result(results[2]);
  return module;
}

struct LoopRow {
  const char* what;
  Round round;
  double wanted;  // sums of [3, 2] that a run exchanges
};

const LoopRow loop_rows[] = {
    {"a product", [](Builder&, Value x, Value w, Value) { return summed_product(x, w); }, 1},
    {"two products, one turned and scaled",
     [](Builder&, Value x, Value w, Value) {
       return summed_product(x, w) - transpose(summed_product(w, x) * 0.25, {1, 0}) / 3.0;
     },
     1},
    {"one after zeros, as a fold of rows leaves it",
     [](Builder& b, Value x, Value w, Value) {
       return b.filled(DType::f32, {3, 2}, 0) + summed_product(x, w);
     },
     1},
    {"one times another, of which one is after the loop",
     [](Builder&, Value x, Value w, Value) {
       return summed_product(x, w) * unary(OpCode::tanh, summed_product(x, w));
     },
     1 + rounds},
    {"what is no sum stays",
     [](Builder&, Value x, Value w, Value) { return unary(OpCode::tanh, summed_product(x, w)); },
     rounds},
    {"nor does one that the loop reads",
     [](Builder&, Value x, Value w, Value sum) { return summed_product(x, w) * sum; }, rounds},
    {"nor one with an addend that is not zero",
     [](Builder& b, Value x, Value w, Value) {
       return b.filled(DType::f32, {3, 2}, 1) + summed_product(x, w);
     },
     rounds},
    {"nor the largest of the cores",
     [](Builder&, Value x, Value w, Value) { return all_reduce(product(x, w), OpCode::maximum); },
     rounds},
};

TEST(SumAfterLoops, EqualsTheSumsOfEachRound) {
  std::mt19937 random(5);
  for (const LoopRow& row : loop_rows) {
    const Module before = loop_of(row.round), after = passes::sum_after_loops(before);
    const std::string what = str(row.what, "\n", to_text(after));
    ASSERT_NO_THROW(verify(after)) << what;
    EXPECT_EQ(passes::collective_bytes_of_all_rounds(after), row.wanted * 3 * 2 * 4) << what;
    const std::vector<Literal> arguments = {random_literal({DType::f32, {cores, 4, 3}}, random),
                                            random_literal({DType::f32, {cores, 4, 2}}, random),
                                            random_literal({DType::f32, {3, 2}}, random)};
    const auto wanted = interpreter::evaluate(before, arguments);
    const auto got = interpreter::evaluate(after, arguments);
    ASSERT_EQ(got.size(), wanted.size());
    for (size_t i = 0; i < got.size(); ++i) expect_close(got[i], wanted[i], what);
  }
}

TEST(SumAfterLoops, OfALoopWithinALoopIsAfterBoth) {
  Module module;
  module.num_replicas = cores;
  module.functions.emplace_back();
  Builder b(module.main(), &module);
  const Value x = b.argument(Type{DType::f32, {4, 3}});
  const auto three_times = [](Arguments s) { return compare(s[0], 3, Direction::lt); };
  const Values outer{b.filled(DType::i32, {}, 0), b.filled(DType::f32, {3, 3}, 0)};
  b.result(while_loop(outer, three_times, [&](Arguments s) {
    const Values inner{b.filled(DType::i32, {}, 0), b.filled(DType::f32, {3, 3}, 0)};
    const Values turns = while_loop(inner, three_times, [&](Arguments t) {
      return Values{t[0] + 1.0, t[1] + summed_product(x, x)};
    });
    return Values{s[0] + 1.0, s[1] + turns[1]};
  })[1]);
  std::mt19937 random(6);
  const std::vector<Literal> arguments = {random_literal({DType::f32, {cores, 4, 3}}, random)};
  const Module after = passes::sum_after_loops(module);
  EXPECT_EQ(passes::collective_bytes_of_all_rounds(after), 3 * 3 * 4);
  expect_close(interpreter::evaluate(after, arguments)[0],
               interpreter::evaluate(module, arguments)[0], to_text(after));
}

}  // namespace
}  // namespace systolic
