// Divisions by softmax's sums, for which the step that sums leaves their reciprocals.
#include <gtest/gtest.h>

#include <string>

#include "systolic/base/text.h"
#include "tests/backends/compare.h"

namespace systolic {
namespace {

using ir::Builder;
using ir::OpCode;
using ir::Value;

constexpr int64_t rows = 24, columns = 32;

Value spread(Value sums) { return ir::broadcast_in_dim(sums, {rows, columns}, {0}); }

enum class Reader { divide_twice, in_loop, slice, reversed, itself, other_type };

std::string to_string(Reader reader) {
  constexpr const char* names[] = {"twice", "in a loop", "slice", "reversed", "itself", "bits"};
  return names[static_cast<int>(reader)];
}

Value in_loop(Builder& b, Value y, Value sums) {
  const Value initial[] = {b.filled(DType::i32, {}, 0), y};
  const auto less = [](std::span<const Value> state) {
    return ir::compare(state[0], 3, ir::Direction::lt);
  };
  const auto once = [&](std::span<const Value> state) {
    return std::vector<Value>{state[0] + 1.0, state[1] / spread(sums) + y};
  };
  return ir::while_loop(initial, less, once)[1];
}

Value read(Builder& b, Value y, Value sums, Reader reader) {
  switch (reader) {
    case Reader::divide_twice:
      return (y + 1.0) / spread(sums) + y / spread(sums);
    case Reader::in_loop:
      return in_loop(b, y, sums);
    case Reader::slice:
      return b.filled(DType::f32, {rows / 2}, 3) / ir::slice(sums, {rows / 2}, {rows});
    case Reader::reversed:
      return y / spread(ir::reverse(sums, {0}));
    case Reader::itself:
      return sums / sums;
    default:  // two of 16 bits where there was one of 32
      return b.filled(DType::bf16, {rows, 2}, 3) /
             ir::bitcast_convert(sums, {DType::bf16, {rows, 2}});
  }
}

TEST(SoftmaxSums, MayBeDividedByAnyhow) {
  for (Reader reader : {Reader::divide_twice, Reader::in_loop, Reader::slice, Reader::reversed,
                        Reader::itself, Reader::other_type}) {
    expect_same(make_module([&](Builder& b) {
                  const Value x = b.argument({DType::f32, {rows, columns}});
                  const Value e =
                      ir::unary(OpCode::exponential, x - spread(ir::reduce_max(x, {1})));
                  const Value sums = ir::reduce_sum(e, {1});
                  b.result(e);
                  b.result(sums);
                  b.result(read(b, b.argument({DType::f32, {rows, columns}}), sums, reader));
                }),
                8, to_string(reader),
                // All alike, so that sums are exact, where their last bits are read.
                reader == Reader::other_type ? Numbers{1, 1} : Numbers());
  }
}

}  // namespace
}  // namespace systolic
