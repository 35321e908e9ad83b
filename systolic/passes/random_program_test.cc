// Random programs of square arrays through the passes: every result must stay what it is.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "backends/interpreter/evaluate.h"
#include "systolic/base/text.h"
#include "systolic/core/test_literals.h"
#include "systolic/ir/builder/builder.h"
#include "systolic/ir/infer/verify.h"
#include "systolic/ir/print/print.h"
#include "systolic/passes/optimize.h"
#include "systolic/passes/stack/stack_cores.h"

namespace systolic {
namespace {

using namespace ir;
using Values = std::vector<Value>;
using Arguments = std::span<const Value>;

constexpr int64_t cores = 3;
constexpr int64_t side = 3;
const Type square{DType::f64, {side, side}};

// Appends random ops over square arrays; all of them keep numbers small.
class Author {
 public:
  Author(Builder& b, uint32_t seed) : b_(b), random_(seed) {}

  Value pick(const Values& values) { return values[random_() % values.size()]; }

  Value op(Values& values, int depth) {
    const Value x = pick(values), y = pick(values);
    switch (random_() % 20) {
      case 0:
        return unary(OpCode::tanh, x);
      case 1:
        return x + y;
      case 2:
        return unary(OpCode::sine, x) * y;
      case 3:
        return -x;
      case 4:
        return select(compare(x, y, Direction::lt), x, y);
      case 5:
        return transpose(x, {1, 0});
      case 6:
        return reshape(reverse(x, {0}), square.shape);
      case 7:
        return dot(x, y) * 0.25;
      case 8:
        return dot_general(x, y, {{}, {}, {0}, {0}, {}}) * 0.25;
      case 9:
        return broadcast_in_dim(reduce_sum(x, {0}) * 0.25, square.shape, {1});
      case 10:
        return broadcast_in_dim(reduce_max(x, {1}), square.shape, {0});
      case 11:
        return all_reduce(x, OpCode::add) * 0.25;
      case 12:
        return all_reduce(dot_general(x, y, {{}, {}, {0}, {0}, {}}) * 0.1, OpCode::add);
      case 13:
        return slice(all_gather(x, 0, cores), {2, 0}, {2 + side, side});
      case 14:
        return collective_permute(x, {{{0, 1}, {1, 2}, {2, 0}}, 0});
      case 15:
        return shifted_by_core(x);
      case 16:
        return exchanged(x);
      case 17:
        return all_reduce(x, OpCode::maximum, {{{0, 2}, {1}}, 0, false});
      case 18:
        return depth > 0 ? branch(values, depth) : x * 1.0;
      default:
        return depth > 0 ? loop(values, depth) : x - y;
    }
  }

  void write(Values& values, int count, int depth) {
    for (int i = 0; i < count; ++i) values.push_back(op(values, depth));
  }

 private:
  Value shifted_by_core(Value x) {
    return x + broadcast_to(convert(replica_id(b_), DType::f64) * 0.1, square.shape);
  }

  // Each core's row of every core, as one array again.
  Value exchanged(Value x) {
    return reshape(all_to_all(x, {0, 1, cores, {}}), square.shape) + folded(x);
  }

  // [side, side] to all cores and back through a reduce_scatter.
  Value folded(Value x) {
    const Value part = reduce_scatter(x, OpCode::add, 0, cores);
    return broadcast_in_dim(reshape(part, {side}) * 0.25, square.shape, {1});
  }

  // The condition is the same on all cores: an all_reduce.
  Value branch(const Values& values, int depth) {
    const Value sum = all_reduce(reduce_sum(pick(values), {0, 1}), OpCode::add);
    const auto side_of = [&] {
      Values inside = values;
      write(inside, 3, depth - 1);
      return Values{inside.back()};
    };
    return if_else(compare(sum, 0, Direction::gt), side_of, side_of)[0];
  }

  // As many turns as the core's number, or two on all cores.
  Value loop(const Values& values, int depth) {
    const bool differ = random_() % 2 == 0;
    const Value limit = differ ? convert(replica_id(b_), DType::i32) : b_.filled(DType::i32, {}, 2);
    const Value initial = pick(values), other = pick(values);
    return while_loop(
        Values{b_.filled(DType::i32, {}, 0), initial},
        [&](Arguments s) { return compare(s[0], limit, Direction::lt); },
        [&](Arguments s) {
          if (differ) return Values{s[0] + 1.0, unary(OpCode::tanh, s[1] + other)};
          Values inside = values;
          inside.push_back(s[1]);
          write(inside, 2, depth - 1);
          return Values{s[0] + 1.0, inside.back()};
        })[1];
  }

  Builder& b_;
  std::mt19937 random_;
};

Module random_module(uint32_t seed) {
  Module module;
  module.num_replicas = cores;
  module.functions.emplace_back();
  Builder b(module.main(), &module);
  Values values{b.argument(square, {.uniform = true}), b.argument(square), b.argument(square)};
  Author author(b, seed);
  author.write(values, 12, 2);
  b.result(values.back());
  b.result(author.pick(values));
  return module;
}

Literal numbers(Shape shape, uint32_t seed) {
  std::mt19937 random(seed);
  Literal literal(DType::f64, shape);
  for (double& x : literal.mutable_data<double>()) {
    x = std::uniform_real_distribution<double>(-1, 1)(random);
  }
  return literal;
}

TEST(RandomPrograms, KeepTheirResults) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    const Module module = random_module(seed);
    const std::vector<Literal> arguments{numbers({side, side}, 1), numbers({cores, side, side}, 2),
                                         numbers({cores, side, side}, 3)};
    const std::vector<Literal> wanted = interpreter::evaluate(module, arguments);
    const Module better = passes::optimize(module);
    const std::vector<Literal> optimized = interpreter::evaluate(better, arguments);
    for (size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_EQ(optimized[i], wanted[i]) << "seed " << seed << "\n" << to_text(module);
    }
    const passes::StackedModule stacked = passes::stack_cores(better);
    ASSERT_NO_THROW(verify(stacked.module)) << "seed " << seed;
    const std::vector<Literal> together =
        interpreter::evaluate(passes::optimize(stacked.module), arguments);
    for (size_t i = 0; i < wanted.size(); ++i) {
      const std::string what = str("seed ", seed, "\n", to_text(module));
      for (int64_t core = 0; core < cores; ++core) {
        expect_near(stacked.result_is_stacked[i] ? together[i].row(core) : together[i],
                    wanted[i].row(core), {.absolute = 1e-9, .relative = 1e-9}, what);
      }
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace systolic
