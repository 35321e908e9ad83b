// What a classifier of the first position leaves out: parts of arrays after slices and pads.
#include "backends/cpu/rewrite/narrow.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "backends/interpreter/evaluate.h"
#include "systolic/autodiff/gradient.h"
#include "systolic/base/text.h"
#include "systolic/ir/infer/verify.h"
#include "systolic/ir/print/print.h"
#include "systolic/passes/optimize.h"
#include "tests/backends/compare.h"

namespace systolic {
namespace {

using ir::Axes;
using ir::Builder;
using ir::OpCode;
using ir::Value;

const Shape cube{4, 4, 4};

// Random programs over cubes, of the ops that keep parts apart and some that do not. All keep
// numbers small.
class Author {
 public:
  Author(Builder& b, uint32_t seed) : b_(b), random_(seed) {}

  Value next(const std::vector<Value>& values) {
    const Value x = pick(values), y = pick(values);
    const int64_t axis = number(3);
    switch (number(14)) {
      case 0:
        return ir::unary(OpCode::tanh, x);
      case 1:
        return (x + y) * 0.5;
      case 2:
        return x * ir::unary(OpCode::sine, y);
      case 3:
        return -x;
      case 4:
        return x / (ir::unary(OpCode::exponential, ir::unary(OpCode::tanh, y)));
      case 5:
        return ir::select(ir::compare(y, 0.0, ir::Direction::gt), x, b_.filled_like(x, 0));
      case 6:
        return ir::transpose(x, {axis, (axis + 1) % 3, (axis + 2) % 3});
      case 7:
        return ir::dot_general(x, y, {{axis}, {axis}, {(axis + 1) % 3}, {(axis + 2) % 3}, {}}) *
               0.25;
      case 8:
        return contracted_over_two(x, y, axis);
      case 9:
        return ir::broadcast_in_dim(ir::reduce_sum(x, {axis}) * 0.25, cube, {0, 2});
      case 10:
        return ir::broadcast_in_dim(ir::reduce_max(x, {axis}), cube, {1, 2});
      case 11:
        return reshaped(x);
      default:
        return cut_and_padded(x, axis);
    }
  }
  Value pick(const std::vector<Value>& values) {
    return values[static_cast<size_t>(number(static_cast<int64_t>(values.size())))];
  }
  // Some elements along one axis.
  Value cut(Value x, int64_t axis, int64_t begin, int64_t end) {
    Axes from(3, 0), to(3, 4);
    from[static_cast<size_t>(axis)] = begin;
    to[static_cast<size_t>(axis)] = end;
    return ir::slice(x, from, to);
  }

 private:
  int64_t number(int64_t below) { return static_cast<int64_t>(random_() % below); }

  Value contracted_over_two(Value x, Value y, int64_t axis) {
    const Value matrix = ir::dot_general(
        x, y, {{}, {}, {axis, (axis + 1) % 3}, {(axis + 2) % 3, (axis + 1) % 3}, {}});
    return ir::broadcast_in_dim(matrix * 0.06, cube, {0, 1});
  }
  Value reshaped(Value x) {
    const Value wide = ir::unary(OpCode::tanh, ir::reshape(x, {4, 2, 2, 1, 4}));
    return ir::reshape(ir::transpose(wide, {0, 2, 1, 3, 4}), cube);
  }
  Value cut_and_padded(Value x, int64_t axis) {
    const int64_t begin = number(4), end = begin + 1 + number(4 - begin);
    Axes low(3, 0), high(3, 0);
    low[static_cast<size_t>(axis)] = number(4 - (end - begin) + 1);
    high[static_cast<size_t>(axis)] = 4 - (end - begin) - low[static_cast<size_t>(axis)];
    const Value zero = b_.constant(Literal::zeros(x.dtype(), {}));
    return ir::pad(cut(x, axis, begin, end), zero, low, high, {0, 0, 0});
  }

  Builder& b_;
  std::mt19937 random_;
};

ir::Module random_module(uint32_t seed, DType dtype) {
  return make_module([&](Builder& b) {
    std::vector<Value> values{b.argument({dtype, cube}), b.argument({dtype, cube})};
    Author author(b, seed);
    for (int i = 0; i < 14; ++i) values.push_back(author.next(values));
    b.result(author.cut(values.back(), seed % 3, 1, 2));
    b.result(values[values.size() - 2]);
  });
}

TEST(Narrow, RandomProgramsKeepTheirResults) {
  for (uint32_t seed = 0; seed < 400; ++seed) {
    const DType dtype = seed % 4 == 0 ? DType::f32 : DType::f64;
    const ir::Module module = random_module(seed, dtype);
    const ir::Module narrow = cpu::narrow_values(cpu::hoist_pads(passes::optimize(module)));
    ASSERT_NO_THROW(ir::verify(narrow)) << "seed " << seed;
    // Fourteen ops, one after the other, of sums of up to 16.
    expect_same(module, 64, str("seed ", seed, "\n", ir::to_text(module), ir::to_text(narrow)),
                {-1, 1});
    if (::testing::Test::HasFailure()) return;
  }
}

double multiply_adds(const ir::Module& module) {
  double sum = 0;
  for (const ir::Op& op : module.main().body.ops) {
    if (op.code != OpCode::dot_general) continue;
    const Shape& left = module.main().type(op.operands[0]).shape;
    double depth = 1;
    for (int64_t axis : op.get<ir::DotAttributes>().lhs_contracting_dimensions) {
      depth *= static_cast<double>(left[static_cast<int>(axis)]);
    }
    sum += depth * static_cast<double>(module.main().type(op.results[0]).shape.elements());
  }
  return sum;
}

constexpr int64_t batch = 3, positions = 8, width = 6;

Value dense(Value x, Value kernel) {
  return ir::dot_general(x, kernel, {{}, {}, {x.rank() - 1}, {0}, {}});
}

// Layers of attention with residuals, then the loss of the first position and its gradients.
ir::Module classifier(int layers) {
  return make_module([&](Builder& b) {
    const ir::Type weights{DType::f32, {width, width}};
    Value x = b.argument({DType::f32, {batch, positions, width}});
    std::vector<ir::ValueId> sources;
    const auto weight = [&] {
      const Value w = b.argument(weights);
      sources.push_back(w.id());
      return w;
    };
    for (int layer = 0; layer < layers; ++layer) {
      const Value q = dense(x, weight()), k = dense(x, weight()), v = dense(x, weight());
      const Value scores = ir::dot_general(q, k, {{0}, {0}, {2}, {2}, {}}) * 0.1;
      const Value powers = ir::unary(OpCode::exponential, scores);
      const Value total = ir::broadcast_in_dim(ir::reduce_sum(powers, {2}), powers.shape(), {0, 1});
      x = x + ir::dot_general(powers / total, v, {{0}, {0}, {2}, {1}, {}});
      x = x + dense(ir::unary(OpCode::tanh, dense(x, weight())), weight());
    }
    const Value first = ir::reshape(ir::slice(x, {0, 0, 0}, {batch, 1, width}), {batch, width});
    const ir::ValueId loss[] = {ir::reduce_sum(first * first, {0, 1}).id()};
    for (ir::ValueId gradient : autodiff::gradient(b, {.outputs = loss, .sources = sources})) {
      b.result(b.value(gradient));
    }
    b.result(b.value(loss[0]));
  });
}

TEST(Narrow, ClassifierOfTheFirstPositionKeepsItsGradients) {
  for (int layers : {1, 2}) {
    expect_same(classifier(layers), 64, str(layers, " layers"), {-0.5, 0.5});
  }
}

// The last layer keeps the products of one position, and for all positions those that make keys and
// values, forward and backward: for each of the two, one product forward and two backward. The
// gradient of the input is not asked for.
TEST(Narrow, LeavesOutTheOtherPositionsOfTheLastLayer) {
  const ir::Module module = passes::optimize(classifier(1));
  const ir::Module narrow = passes::optimize(cpu::narrow_values(cpu::hoist_pads(module)));
  const double all = batch * positions * width * width, one = batch * width * width;
  const double attention = batch * positions * width;
  EXPECT_EQ(multiply_adds(module), (5 + 5 + 2) * all + 6 * positions * attention);
  EXPECT_EQ(multiply_adds(narrow), (2 + 2) * all + (3 + 3 + 2) * one + 6 * attention);
}

// Where one factor was padded the product is 0, whatever the other factor is there.
TEST(Narrow, PaddedZerosStayZeros) {
  const ir::Module module = make_module([](Builder& b) {
    const Value x = b.argument({DType::f32, {2, 1}}), y = b.argument({DType::f32, {2, 3}});
    const Value zero = b.constant(Literal::zeros(DType::f32, {}));
    b.result(ir::pad(x, zero, {0, 1}, {0, 1}, {0, 0}) * y);
  });
  const std::vector<Literal> arguments{Literal::of<float>({{2}, {3}}),
                                       Literal::of<float>({{INFINITY, 5, NAN}, {NAN, 7, 1}})};
  const std::vector<Literal> results = interpreter::evaluate(cpu::hoist_pads(module), arguments);
  EXPECT_EQ(results[0], Literal::of<float>({{0, 10, 0}, {0, 21, 0}}));
}

// 0 over 0 is NaN in the padding too, of divisors that are padded alike or that hold zeros.
TEST(Narrow, PaddedZerosOverZeroAreNaN) {
  using Divisor = std::function<Value(Builder&, Value)>;
  const auto hoisted = [](const Divisor& divisor) {
    return cpu::hoist_pads(make_module([&](Builder& b) {
      const Value x = b.argument({DType::f32, {3}}), y = b.argument({DType::f32, {3}});
      const Value zero = b.constant(Literal::zeros(DType::f32, {}));
      b.result(ir::pad(x, zero, {0}, {2}, {0}) / divisor(b, ir::pad(y, zero, {0}, {2}, {0})));
    }));
  };
  const auto divisions_of = [](const ir::Module& module) {
    for (const ir::Op& op : module.main().body.ops) {
      if (op.code == OpCode::divide) return module.main().type(op.results[0]).shape.elements();
    }
    return int64_t{0};
  };
  const std::vector<Literal> arguments{Literal::of<float>({2, 3, 8}),
                                       Literal::of<float>({1, 0, 2})};
  struct Row {
    const char* what;
    Divisor divisor;
    int64_t divisions;
    float second, last;
  };
  const float sum = std::exp(1.0f) + std::exp(2.0f) + 3;
  const Row table[] = {
      {"padded alike", [](Builder&, Value y) { return y; }, 5, INFINITY, NAN},
      {"its square", [](Builder&, Value y) { return y * y; }, 5, INFINITY, NAN},
      {"its square and more", [](Builder&, Value y) { return y * y + 0.5; }, 3, 6, 0},
      {"a power", [](Builder&, Value y) { return ir::unary(OpCode::exponential, y); }, 3, 3, 0},
      {"a sum of powers",
       [](Builder&, Value y) {
         return ir::broadcast_in_dim(ir::reduce_sum(ir::unary(OpCode::exponential, y), {0}), {5},
                                     {});
       },
       3, 3 / sum, 0},
      {"the larger of it and a bound",
       [](Builder& b, Value y) { return ir::binary(OpCode::maximum, y, b.filled_like(y, 0.25)); },
       3, 12, 0},
      {"a number", [](Builder& b, Value y) { return b.filled_like(y, -2); }, 3, -1.5, 0},
      {"zero", [](Builder& b, Value y) { return b.filled_like(y, 0); }, 5, INFINITY, NAN},
  };
  for (const Row& row : table) {
    SCOPED_TRACE(row.what);
    const ir::Module module = hoisted(row.divisor);
    EXPECT_EQ(divisions_of(module), row.divisions);
    const Literal result = interpreter::evaluate(module, arguments)[0];
    EXPECT_FLOAT_EQ(static_cast<float>(result.number_at(1)), row.second);
    EXPECT_EQ(std::isnan(result.number_at(4)), std::isnan(row.last));
    if (!std::isnan(row.last)) {
      EXPECT_EQ(result.number_at(4), row.last);
    }
  }
}

}  // namespace
}  // namespace systolic
