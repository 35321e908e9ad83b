// Weights in f32 whose rounding to bf16 the products that read them do as they pack them.
#include <gtest/gtest.h>

#include <string>

#include "backends/cpu/kernels/amx/amx.h"
#include "systolic/base/text.h"
#include "tests/backends/compare.h"
#include "tests/backends/run_planned.h"

namespace systolic {
namespace {

using ir::Builder;
using ir::OpCode;
using ir::Value;

constexpr int64_t rows = 512, inner = 64, wide = 96;

enum class Reader { tall, tall_transposed, few_rows, elementwise, in_loop };

std::string to_string(Reader reader) {
  constexpr const char* names[] = {"tall", "tall and transposed", "few rows", "elementwise",
                                   "in a loop"};
  return names[static_cast<int>(reader)];
}

// Sums of products of small whole numbers and weights between 3/4 and 5/4, which lose bits when
// they are rounded: exact in f32, in any order.
struct Weights {
  explicit Weights(Builder& b)
      : b(b), rounded(ir::convert(b.argument({DType::f32, {inner, wide}}), DType::bf16)) {}

  Value whole(const Shape& shape) const {
    return ir::unary(OpCode::floor, b.argument({DType::bf16, shape}) * 8.0) - 8.0;
  }
  Value product(const Value& x, int64_t of_weights) const {
    return ir::dot_general(x, rounded, {{}, {}, {1}, {of_weights}}, DType::f32);
  }
  Value read_by(Reader reader) const {
    switch (reader) {
      case Reader::tall:
        return product(whole({rows, inner}), 0);
      case Reader::tall_transposed:
        return product(whole({rows, wide}), 1);
      case Reader::few_rows:
        return product(whole({8, inner}), 0);
      case Reader::elementwise:
        return ir::convert(rounded, DType::f32) * 3.0;
      default:
        return in_loop();
    }
  }
  Value in_loop() const {
    const Value x = whole({rows, inner});
    const Value initial[] = {b.filled(DType::i32, {}, 0), product(x, 0)};
    const auto less = [](std::span<const Value> state) {
      return ir::compare(state[0], 2, ir::Direction::lt);
    };
    const auto once = [&](std::span<const Value> state) {
      return std::vector<Value>{state[0] + 1.0, state[1] + product(x, 0)};
    };
    return ir::while_loop(initial, less, once)[1];
  }

  Builder& b;
  Value rounded;
};

ir::Module read_by(Reader first, Reader second) {
  return make_module([&](Builder& b) {
    const Weights weights(b);
    b.result(weights.read_by(first));
    b.result(weights.read_by(second));
  });
}

TEST(RoundedOperand, IsThatOfTheInterpreter) {
  const Reader readers[] = {Reader::tall, Reader::tall_transposed, Reader::few_rows,
                            Reader::elementwise, Reader::in_loop};
  for (Reader first : readers) {
    for (Reader second : readers) {
      expect_same(read_by(first, second), 0, to_string(first) + ", " + to_string(second),
                  {0.75, 1.25});
    }
  }
}

TEST(RoundedOperand, IsStoredWhereAReaderCannotRoundIt) {
  if (!kernels::amx::is_available()) GTEST_SKIP() << "this processor has no matrix unit";
  const auto stores = [](Reader first, Reader second) {
    return plan_summary(2, read_by(first, second)).text.find("convert") != std::string::npos;
  };
  EXPECT_FALSE(stores(Reader::tall, Reader::tall_transposed));
  EXPECT_TRUE(stores(Reader::tall, Reader::few_rows));
  EXPECT_TRUE(stores(Reader::few_rows, Reader::tall));
}

}  // namespace
}  // namespace systolic
