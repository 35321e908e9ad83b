// A product that a block adds to what it found is added where the sum lies: no array of its own.
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "tests/backends/compare.h"
#include "tests/backends/run_planned.h"

namespace systolic {
namespace {

using ir::Builder;
using ir::OpCode;
using ir::Value;

// sum [300, 280], x [300, 270], y [270, 280]: large enough for every way to multiply.
struct SumInputs {
  Value sum, x, y;
};

struct SumRow {
  const char* name;
  std::function<std::vector<Value>(const SumInputs& in)> build;
  bool in_place;
};

const SumRow sum_rows[] = {
    {"the caller gets it",
     [](const SumInputs& in) -> std::vector<Value> { return {in.sum + ir::dot(in.x, in.y)}; },
     true},
    {"the product comes first",
     [](const SumInputs& in) -> std::vector<Value> { return {ir::dot(in.x, in.y) + in.sum}; },
     true},
    {"the array is a number",
     [](const SumInputs& in) -> std::vector<Value> { return {ir::dot(in.x, in.y) + 2.0}; }, false},
    {"a loop adds up",
     [](const SumInputs& in) {
       const Value initial[] = {in.sum.builder().filled(DType::i32, {}, 0), in.sum};
       return ir::while_loop(
           initial,
           [](std::span<const Value> s) { return ir::compare(s[0], 3, ir::Direction::lt); },
           [&](std::span<const Value> s) {
             return std::vector<Value>{s[0] + 1.0, s[1] + ir::dot(in.x, in.y)};
           });
     },
     true},
    {"the array is computed",
     [](const SumInputs& in) -> std::vector<Value> {
       return {(1.0 - in.sum) + ir::dot(in.x, in.y)};
     },
     false},
    {"what was found is read again",
     [](const SumInputs& in) -> std::vector<Value> {
       return {in.sum + ir::dot(in.x, in.y), in.sum * 2.0};
     },
     false},
    {"the sum is read",
     [](const SumInputs& in) -> std::vector<Value> {
       const Value sum = in.sum + ir::dot(in.x, in.y);
       return {sum, sum * 2.0};
     },
     false},
    {"the product is read",
     [](const SumInputs& in) -> std::vector<Value> {
       const Value product = ir::dot(in.x, in.y);
       return {in.sum + product, product};
     },
     false},
    {"twice the product",
     [](const SumInputs& in) -> std::vector<Value> {
       const Value product = ir::dot(in.x, in.y);
       return {product + product};
     },
     false},
};

TEST(ProductSum, IsWhereItWasFound) {
  for (const SumRow& row : sum_rows) {
    const ir::Module module = make_module([&](Builder& b) {
      const SumInputs in{b.argument({DType::f32, {300, 280}}), b.argument({DType::f32, {300, 270}}),
                         b.argument({DType::f32, {270, 280}})};
      for (const Value result : row.build(in)) b.result(result);
    });
    expect_same(module, 200, row.name, {-1, 1});
    const std::string text = plan_summary(2, module).text;
    EXPECT_EQ(text.find("+ sum") != std::string::npos, row.in_place) << row.name << "\n" << text;
  }
}

}  // namespace
}  // namespace systolic
