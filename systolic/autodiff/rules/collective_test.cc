// Gradients through collectives: what is differentiated is the sum of all cores' results, so the
// differences are taken of that sum, by each core's inputs.
#include <gtest/gtest.h>

#include "backends/interpreter/evaluate.h"
#include "systolic/autodiff/numeric_gradient.h"
#include "systolic/autodiff/rules/formula.h"
#include "systolic/base/error.h"

namespace systolic {
namespace {

using namespace autodiff;
using ir::OpCode;
using ir::Value;
using Values = std::span<const Value>;

constexpr int64_t cores = 4;

// Some weights that differ between cores, so that where a gradient came from shows.
Value weighed(Value y) {
  const Value core = convert(convert(replica_id(y.builder()), DType::i32), DType::f64);
  const Literal weights = random_array(y.shape(), 9, 0.5, 1.5);
  return sum_of_all(y * y * y.builder().constant(weights) * broadcast_to(core + 1.0, y.shape()));
}

void expect_core_gradients(const std::string& name, const Shape& shape, const Program& program) {
  SCOPED_TRACE(name);
  const std::vector<Literal> one_core{Literal(DType::f64, shape)};
  ir::Module value = build_module(
      one_core, [&](Values x) -> std::vector<Value> { return {weighed(program(x))}; }, cores);
  const ir::Module differentiated = build_module(
      one_core,
      [&](Values x) -> std::vector<Value> { return {gradient_of(weighed(program(x)), x[0])}; },
      cores);
  const Literal inputs = random_array(shape.with_inserted(0, cores), 5);
  const Literal found = run(differentiated, std::vector<Literal>{inputs})[0];
  ASSERT_EQ(found.shape(), inputs.shape());
  const auto total = [&](size_t i, double change) {
    Literal changed = inputs;
    changed.mutable_data<double>()[i] += change;
    double sum = 0;
    const Literal results = interpreter::evaluate(value, std::vector<Literal>{changed})[0];
    for (double number : results.data<double>()) sum += number;
    return sum;
  };
  for (size_t i = 0; i < static_cast<size_t>(inputs.size()); ++i) {
    EXPECT_NEAR(found.data<double>()[i], (total(i, 1e-4) - total(i, -1e-4)) / 2e-4, 1e-6) << i;
  }
}

TEST(CollectiveGradient, AllReduce) {
  expect_core_gradients("all", {3}, [](Values x) { return all_reduce(sin(x[0]), OpCode::add); });
  expect_core_gradients("groups", {3}, [](Values x) {
    return all_reduce(sin(x[0]), OpCode::add, {.replica_groups = {{0, 2}, {3, 1}}});
  });
}

TEST(CollectiveGradient, AllGatherAndReduceScatter) {
  expect_core_gradients("all_gather", {2, 3}, [](Values x) { return all_gather(x[0], 1, cores); });
  expect_core_gradients("all_gather in groups", {2, 1}, [](Values x) {
    return all_gather(x[0], 0, 2, {.replica_groups = {{0, 1}, {2, 3}}});
  });
  expect_core_gradients("reduce_scatter", {8, 2},
                        [](Values x) { return reduce_scatter(x[0], OpCode::add, 0, cores); });
}

TEST(CollectiveGradient, AllToAll) {
  expect_core_gradients("all_to_all", {4, 2}, [](Values x) {
    return all_to_all(x[0], {.split_dimension = 0,
                             .concat_dimension = 1,
                             .split_count = cores,
                             .collective = {.replica_groups = {{0, 1, 2, 3}}}});
  });
}

TEST(CollectiveGradient, Permute) {
  expect_core_gradients("ring", {3}, [](Values x) {
    return collective_permute(x[0], {.source_target_pairs = {{0, 1}, {1, 2}, {2, 3}, {3, 0}}});
  });
  expect_core_gradients("some get nothing", {3}, [](Values x) {
    return collective_permute(x[0], {.source_target_pairs = {{0, 2}, {3, 1}}});
  });
}

TEST(CollectiveGradient, MaximaAndBroadcastsHaveNone) {
  const std::vector<Literal> inputs{random_array({3}, 1)};
  EXPECT_THROW(gradients_of(inputs, [](Values x) { return all_reduce(x[0], OpCode::maximum); }),
               Unimplemented);
  const auto broadcast = [](Values x) {
    return x[0].builder().append_one(OpCode::collective_broadcast, {x[0]},
                                     ir::CollectiveAttributes{.replica_groups = {{0}}});
  };
  EXPECT_THROW(gradients_of(inputs, broadcast), Unimplemented);
}

}  // namespace
}  // namespace systolic
