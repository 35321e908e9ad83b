// Products that a loop makes of one row in each trip are made of all rows before it; products that
// it adds up are one product after it: the products that are left in its body, and equal results.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "backends/cpu/rewrite/loops/hoist_products.h"
#include "backends/cpu/rewrite/loops/sum_products.h"
#include "backends/interpreter/evaluate.h"
#include "systolic/ir/builder/builder.h"
#include "systolic/ir/infer/verify.h"

namespace systolic {
namespace {

using ir::Builder;
using ir::Direction;
using ir::OpCode;
using ir::Value;
using LoopValues = std::vector<Value>;
using LoopState = std::span<const Value>;

constexpr int32_t loop_trips = 5;

Value loop_number(Builder& b, int32_t number) { return b.constant(Literal::scalar(number)); }

// Row `at` of x.
Value loop_row(Value x, Value at) {
  Builder& b = x.builder();
  LoopValues starts(static_cast<size_t>(x.rank()), loop_number(b, 0));
  starts[0] = at;
  ir::Axes sizes = x.shape().to_vector();
  sizes[0] = 1;
  return ir::reshape(ir::dynamic_slice(x, starts, sizes), x.shape().without(0));
}

// Carries a counter and then `carried`, `loop_trips` times; what was carried last.
LoopValues loop_of(LoopValues carried,
                   const std::function<LoopValues(Value trip, LoopState state)>& body) {
  Builder& b = carried[0].builder();
  carried.insert(carried.begin(), loop_number(b, 0));
  LoopValues last = ir::while_loop(
      carried,
      [&](LoopState s) {
        return ir::compare(s[0], loop_number(s[0].builder(), loop_trips), Direction::lt);
      },
      [&](LoopState s) {
        LoopValues next = body(s[0], s.subspan(1));
        next.insert(next.begin(), s[0] + 1.0);
        return next;
      });
  last.erase(last.begin());
  return last;
}

// xs: f32[5, 2, 3], ys: f32[5, 2, 4], w: f32[3, 4], state: f32[2, 4].
struct LoopInputs {
  Value xs, ys, w, state;
};

struct LoopRow {
  const char* name;
  std::function<Value(const LoopInputs& in)> build;
  int left;  // products in the body
};

ir::DotAttributes summed_rows() {
  ir::DotAttributes rows;
  rows.lhs_contracting_dimensions = rows.rhs_contracting_dimensions = {0};
  return rows;
}

Value from_the_end(Value trip) { return (loop_trips - 1.0) - trip; }

const LoopRow hoisted_rows[] = {
    {"RowsInOrder",
     [](const LoopInputs& in) {
       return loop_of({in.state}, [&](Value trip, LoopState s) -> LoopValues {
         return {s[0] * ir::dot(loop_row(in.xs, trip), in.w)};
       })[0];
     },
     0},
    {"RowsFromTheEnd",
     [](const LoopInputs& in) {
       return loop_of({in.state}, [&](Value trip, LoopState s) -> LoopValues {
         return {s[0] - ir::dot(loop_row(in.xs, from_the_end(trip)), in.w)};
       })[0];
     },
     0},
    {"WeightsThatChange",
     [](const LoopInputs& in) {
       return loop_of({in.state, in.w}, [&](Value trip, LoopState s) -> LoopValues {
         return {s[0] - ir::dot(loop_row(in.xs, trip), s[1]), s[1] * 0.5};
       })[0];
     },
     1},
    {"ARowThatChanges",
     [](const LoopInputs& in) {
       return loop_of({in.state}, [&](Value trip, LoopState s) -> LoopValues {
         const Value row = loop_row(in.xs, trip) * ir::slice(s[0], {0, 0}, {2, 3});
         return {s[0] - ir::dot(row, in.w)};
       })[0];
     },
     1},
};

const LoopRow summed_products[] = {
    {"RowsFromOutside",
     [](const LoopInputs& in) {
       return loop_of({in.w}, [&](Value trip, LoopState s) -> LoopValues {
         return {s[0] +
                 ir::dot_general(loop_row(in.xs, trip), loop_row(in.ys, trip), summed_rows())};
       })[0];
     },
     0},
    {"RowsFromTheEndAndOneThatIsKept",
     [](const LoopInputs& in) {
       return loop_of({in.w, in.state}, [&](Value trip, LoopState s) -> LoopValues {
         const Value x = loop_row(in.xs, from_the_end(trip));
         return {ir::dot_general(x, s[1], summed_rows()) + s[0], s[1] * 2.0};
       })[0];
     },
     0},
    {"BothAreKeptAndTransposed",
     [](const LoopInputs& in) {
       const Value sum = ir::transpose(in.w, {1, 0});
       return loop_of({sum, in.state}, [&](Value, LoopState s) -> LoopValues {
         const Value x = ir::slice(s[1], {0, 0}, {1, 3}), y = ir::slice(s[1], {1, 0}, {2, 4});
         return {s[0] + ir::transpose(ir::dot_general(x, y, summed_rows()), {1, 0}), s[1] + 1.0};
       })[0];
     },
     0},
    {"RowsOfDifferentTrips",
     [](const LoopInputs& in) {
       return loop_of({in.w}, [&](Value trip, LoopState s) -> LoopValues {
         return {s[0] + ir::dot_general(loop_row(in.xs, trip), loop_row(in.ys, from_the_end(trip)),
                                        summed_rows())};
       })[0];
     },
     0},
    {"ARowThatIsReadAgain",
     [](const LoopInputs& in) {
       return loop_of({in.w}, [&](Value trip, LoopState s) -> LoopValues {
         const Value first = loop_number(in.w.builder(), 0);
         return {s[0] +
                 ir::dot_general(loop_row(in.xs, trip), loop_row(in.ys, first), summed_rows())};
       })[0];
     },
     0},
    {"ASumThatTheLoopReads",
     [](const LoopInputs& in) {
       return loop_of({in.w}, [&](Value trip, LoopState s) -> LoopValues {
         return {s[0] * 0.5 +
                 ir::dot_general(loop_row(in.xs, trip), loop_row(in.ys, trip), summed_rows())};
       })[0];
     },
     1},
    {"FactorsLargerThanTheSum",
     [](const LoopInputs& in) {
       const Value sum = in.w.builder().filled(DType::f32, {}, 2);
       return loop_of({sum, in.state}, [&](Value, LoopState s) -> LoopValues {
         ir::DotAttributes all;
         all.lhs_contracting_dimensions = all.rhs_contracting_dimensions = {0, 1};
         return {s[0] + ir::dot_general(s[1], s[1], all), s[1] * 0.5};
       })[0];
     },
     1},
};

ir::Module loop_program(const LoopRow& row) {
  ir::Module module;
  module.functions.emplace_back();
  Builder b(module.main());
  const Value xs = b.argument({DType::f32, {loop_trips, 2, 3}});
  const Value ys = b.argument({DType::f32, {loop_trips, 2, 4}});
  const Value w = b.argument({DType::f32, {3, 4}});
  b.result(row.build({xs, ys, w, b.argument({DType::f32, {2, 4}})}));
  return module;
}

int products_in_loop(const ir::Module& module) {
  const auto& ops = module.main().body.ops;
  const auto loop = std::find_if(ops.begin(), ops.end(),
                                 [](const ir::Op& op) { return op.code == OpCode::while_; });
  const auto& body = loop->regions[1].ops;
  const std::vector<ir::ValueId>& results = loop->regions[1].results;
  // Those that are added to nothing that the loop gives back are dead.
  return static_cast<int>(std::count_if(body.begin(), body.end(), [&](const ir::Op& op) {
    if (op.code != OpCode::dot_general) return false;
    return std::any_of(body.begin(), body.end(), [&](const ir::Op& reader) {
      const auto& read = reader.operands;
      const bool reads = std::find(read.begin(), read.end(), op.results[0]) != read.end();
      return reads && std::find(results.begin(), results.end(), reader.results[0]) != results.end();
    });
  }));
}

Literal loop_numbers(const Shape& shape) {
  Literal numbers(DType::f32, shape);
  int next = static_cast<int>(shape.elements());
  for (float& number : numbers.mutable_data<float>()) {
    next = (next * 5 + 3) % 7;
    number = static_cast<float>(next - 3);
  }
  return numbers;
}

void expect_same_results(const LoopRow& row, void (*pass)(ir::Module&)) {
  const ir::Module before = loop_program(row);
  ir::Module after = before;
  pass(after);
  ir::verify(after);
  EXPECT_EQ(products_in_loop(after), row.left);
  // Sums of small whole numbers and halves are exact in any order.
  const std::vector<Literal> inputs{loop_numbers({loop_trips, 2, 3}),
                                    loop_numbers({loop_trips, 2, 4}), loop_numbers({3, 4}),
                                    loop_numbers({2, 4})};
  EXPECT_EQ(interpreter::evaluate(after, inputs), interpreter::evaluate(before, inputs));
}

class HoistProducts : public ::testing::TestWithParam<LoopRow> {};
TEST_P(HoistProducts, BeforeTheLoop) { expect_same_results(GetParam(), cpu::hoist_products); }
INSTANTIATE_TEST_SUITE_P(, HoistProducts, ::testing::ValuesIn(hoisted_rows),
                         [](const auto& info) { return std::string(info.param.name); });

class SumProducts : public ::testing::TestWithParam<LoopRow> {};
TEST_P(SumProducts, AfterTheLoop) { expect_same_results(GetParam(), cpu::sum_products); }
INSTANTIATE_TEST_SUITE_P(, SumProducts, ::testing::ValuesIn(summed_products),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace systolic
