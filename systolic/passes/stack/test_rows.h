// For the tests of the rules: small programs, each run by the interpreter as it is, core by core,
// and as stack_cores rewrites it, for every placement of the arguments.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "backends/interpreter/evaluate.h"
#include "systolic/base/text.h"
#include "systolic/ir/builder/builder.h"
#include "systolic/ir/infer/verify.h"
#include "systolic/ir/print/print.h"
#include "systolic/ir/window.h"
#include "systolic/passes/stack/stack_cores.h"

namespace systolic {
namespace stacking {

using namespace ir;
using Values = std::vector<Value>;
using Arguments = std::span<const Value>;

constexpr int64_t cores = 4;

struct Row {
  const char* name;
  std::vector<Type> arguments;  // of one core
  std::function<Values(Builder&, Arguments)> build;
};

// Small numbers of any type: integers in [0, 6), floats in [-2, 2).
inline Literal random_literal(const Type& type, std::mt19937& random) {
  Literal numbers(DType::f64, type.shape);
  const bool whole = !is_float(type.dtype) && !is_complex(type.dtype);
  std::uniform_real_distribution<double> real(-2, 2);
  for (double& x : numbers.mutable_data<double>()) {
    x = whole ? static_cast<double>(random() % 6) : real(random);
  }
  if (type.dtype == DType::pred) {
    for (double& x : numbers.mutable_data<double>()) x = static_cast<int>(x) % 2;
  }
  return numbers.convert(type.dtype);
}

inline Module build(const Row& row, unsigned stacked) {
  Module module;
  module.num_replicas = cores;
  module.functions.emplace_back();
  Builder b(module.main(), &module);
  Values arguments;
  for (size_t i = 0; i < row.arguments.size(); ++i) {
    arguments.push_back(b.argument(row.arguments[i], {.uniform = (stacked >> i & 1u) == 0}));
  }
  for (const Value& result : row.build(b, arguments)) b.result(result);
  return module;
}

inline void expect_close(const Literal& got, const Literal& wanted, const std::string& what) {
  ASSERT_EQ(got.shape(), wanted.shape()) << what;
  ASSERT_EQ(got.dtype(), wanted.dtype()) << what;
  const double tolerance = got.dtype() == DType::bf16 ? 0.03 : 2e-5;
  for (int64_t i = 0; i < got.size(); ++i) {
    const double a = got.number_at(i), b = wanted.number_at(i);
    if (std::isnan(a) && std::isnan(b)) continue;
    ASSERT_LE(std::fabs(a - b), tolerance * (1 + std::fabs(b))) << what << " at " << i;
  }
}

inline void check(const Row& row, unsigned stacked, std::mt19937& random) {
  const Module module = build(row, stacked);
  const passes::StackedModule together = passes::stack_cores(module);
  const std::string what =
      str(row.name, ", stacked arguments ", stacked, "\n", to_text(together.module));
  ASSERT_NO_THROW(verify(together.module)) << what;
  std::vector<Literal> arguments;
  for (size_t i = 0; i < row.arguments.size(); ++i) {
    Type type = row.arguments[i];
    if (stacked >> i & 1u) type.shape = type.shape.with_inserted(0, cores);
    arguments.push_back(random_literal(type, random));
  }
  const std::vector<Literal> wanted = interpreter::evaluate(module, arguments);
  const std::vector<Literal> got = interpreter::evaluate(together.module, arguments);
  ASSERT_EQ(got.size(), wanted.size()) << what;
  for (size_t i = 0; i < got.size(); ++i) {
    if (together.result_is_stacked[i]) {
      expect_close(got[i], wanted[i], what);
      continue;
    }
    for (int64_t core = 0; core < cores; ++core) expect_close(got[i], wanted[i].row(core), what);
  }
}

inline void check_all(const std::vector<Row>& rows) {
  std::mt19937 random(7);
  for (const Row& row : rows) {
    for (unsigned stacked = 0; stacked < 1u << row.arguments.size(); ++stacked) {
      ASSERT_NO_THROW(check(row, stacked, random)) << row.name << " " << stacked;
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

inline Type f32(Shape shape) { return {DType::f32, shape}; }
inline Type i32(Shape shape) { return {DType::i32, shape}; }

// [batch, width, channels] images, padded so that they stay as large by a kernel of 3.
inline ConvolutionAttributes convolution_1d() {
  ConvolutionAttributes a = channels_last_convolution(1);
  a.padding = {{1, 1}};
  return a;
}

}  // namespace stacking
}  // namespace systolic
