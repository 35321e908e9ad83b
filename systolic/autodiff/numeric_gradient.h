// Tests only: compares the gradients of a program with central differences of its values, all in
// f64 on the interpreter.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "systolic/autodiff/gradient.h"
#include "systolic/core/literal.h"

namespace systolic::inline v0 {
namespace autodiff {

using Program = std::function<ir::Value(std::span<const ir::Value>)>;

// Numbers in [low, high) that depend on `seed` alone, of type f64.
Literal random_array(const Shape& shape, uint64_t seed, double low = -1.0, double high = 1.0);

// A module with one argument for each input; `program` gives its results.
ir::Module build_module(
    std::span<const Literal> inputs,
    const std::function<std::vector<ir::Value>(std::span<const ir::Value>)>& program,
    int64_t num_replicas = 1);

std::vector<Literal> run(const ir::Module& module, std::span<const Literal> inputs);

struct GradientCheck {
  double tolerance = 1e-6;  // relative to the largest gradient, at least 1
  double step = 1e-4;
};

// Expects the gradients for all f64 inputs to be those of central differences.
void expect_gradients(const std::string& name, std::span<const Literal> inputs,
                      const Program& program, GradientCheck check = {});

// The gradients of the sum of the program's elements, for all f64 inputs; zeros where unconnected.
std::vector<Literal> gradients_of(std::span<const Literal> inputs, const Program& program);

// One gradient in a program under construction; expects that there is one.
ir::Value gradient_of(ir::Value output, ir::Value source);

}  // namespace autodiff
}  // namespace systolic::inline v0
