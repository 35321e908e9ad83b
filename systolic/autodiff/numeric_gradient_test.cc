#include "systolic/autodiff/numeric_gradient.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "backends/interpreter/evaluate.h"
#include "systolic/autodiff/rules/formula.h"
#include "systolic/ir/infer/verify.h"

namespace systolic::inline v0 {
namespace autodiff {

using ir::Builder;
using ir::Module;
using ir::no_value;
using ir::Value;
using ir::ValueId;

Literal random_array(const Shape& shape, uint64_t seed, double low, double high) {
  Literal array(DType::f64, shape);
  uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
  for (double& number : array.mutable_data<double>()) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    number = low + (high - low) * static_cast<double>(state >> 11) * 0x1p-53;
  }
  return array;
}

Module build_module(std::span<const Literal> inputs,
                    const std::function<std::vector<Value>(std::span<const Value>)>& program,
                    int64_t num_replicas) {
  Module module;
  module.num_replicas = num_replicas;
  module.functions.emplace_back();
  Builder builder(module.main(), &module);
  std::vector<Value> arguments;
  for (const Literal& input : inputs) {
    arguments.push_back(builder.argument({input.dtype(), input.shape()}));
  }
  for (Value result : program(arguments)) builder.result(result);
  return module;
}

std::vector<Literal> run(const Module& module, std::span<const Literal> inputs) {
  ir::verify(module);
  return interpreter::evaluate(module, inputs);
}

namespace {

// The sum of the elements, each with a weight of its own, so that none can stand for another.
Value weighed_sum(Value y) {
  const Value weights = y.builder().constant(random_array(y.shape(), 77, 0.5, 1.5));
  return sum_of_all(y * weights);
}

std::vector<Value> gradients_for(Value loss, std::span<const Value> arguments) {
  std::vector<ValueId> sources;
  for (Value argument : arguments) {
    if (argument.dtype() == DType::f64) sources.push_back(argument.id());
  }
  const ValueId output = loss.id();
  std::vector<Value> gradients;
  const std::vector<ValueId> found =
      gradient(loss.builder(), {.outputs = {&output, 1}, .sources = sources});
  for (size_t i = 0; i < found.size(); ++i) {
    gradients.push_back(found[i] == no_value ? zeros_like(loss.builder().value(sources[i]))
                                             : loss.builder().value(found[i]));
  }
  return gradients;
}

double value_at(const Module& module, std::vector<Literal>& inputs, size_t input, size_t element,
                double change) {
  const double before = inputs[input].data<double>()[element];
  inputs[input].mutable_data<double>()[element] = before + change;
  const double value = interpreter::evaluate(module, inputs)[0].item<double>();
  inputs[input].mutable_data<double>()[element] = before;
  return value;
}

}  // namespace

void expect_gradients(const std::string& name, std::span<const Literal> inputs,
                      const Program& program, GradientCheck check) {
  SCOPED_TRACE(name);
  const Module value = build_module(inputs, [&](auto arguments) -> std::vector<Value> {
    return {weighed_sum(program(arguments))};
  });
  const Module differentiated = build_module(inputs, [&](auto arguments) {
    return gradients_for(weighed_sum(program(arguments)), arguments);
  });
  const std::vector<Literal> gradients = run(differentiated, inputs);
  std::vector<Literal> changed(inputs.begin(), inputs.end());
  size_t next = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].dtype() != DType::f64) continue;
    const auto found = gradients[next++].data<double>();
    double largest = 1.0;
    for (double number : found) largest = std::max(largest, std::abs(number));
    for (size_t k = 0; k < found.size(); ++k) {
      const double up = value_at(value, changed, i, k, check.step);
      const double down = value_at(value, changed, i, k, -check.step);
      EXPECT_NEAR(found[k], (up - down) / (2 * check.step), check.tolerance * largest)
          << "input " << i << ", element " << k;
    }
  }
}

std::vector<Literal> gradients_of(std::span<const Literal> inputs, const Program& program) {
  const Module module = build_module(inputs, [&](auto arguments) {
    return gradients_for(sum_of_all(program(arguments)), arguments);
  });
  return run(module, inputs);
}

Value gradient_of(Value output, Value source) {
  const ValueId from = output.id(), to = source.id();
  const ValueId found = gradient(output.builder(), {.outputs = {&from, 1}, .sources = {&to, 1}})[0];
  EXPECT_NE(found, no_value);
  return output.builder().value(found);
}

namespace {

// The check itself must see a wrong gradient: round is flat here, its values are not.
TEST(NumericGradient, SeesAWrongGradient) {
  EXPECT_NONFATAL_FAILURE(
      expect_gradients("floor at the jump", std::vector<Literal>{Literal::of<double>({2.0})},
                       [](auto x) { return floor(x[0]); }),
      "element 0");
}

}  // namespace
}  // namespace autodiff
}  // namespace systolic::inline v0
