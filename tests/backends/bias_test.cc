// Who adds the bias of a product: the product itself, or the elementwise program that reads it.
#include <gtest/gtest.h>

#include "tests/backends/compare.h"
#include "tests/backends/run_planned.h"

namespace systolic {
namespace {

using ir::Builder;
using ir::OpCode;
using ir::Value;

// x [6, 20] · w [20, 33] + bias, and what is done with it.
struct Dense {
  Value x, w, y;
  void result(Value value) const { value.builder().result(value); }
  Value residual() const { return y.builder().argument(y.type()); }
};

struct Row {
  const char* name;
  void (*read)(const Dense&);
  bool in_product;  // adds it
  DType dtype = DType::f32;
};

const Row rows[] = {
    {"nothing", [](const Dense& d) { d.result(d.y); }, true},
    {"relu",
     [](const Dense& d) {
       d.result(ir::binary(OpCode::maximum, d.y, d.y.builder().filled_like(d.y, 0)));
     },
     true},
    {"residual", [](const Dense& d) { d.result(d.residual() + d.y); }, false},
    {"several elementwise ops",
     [](const Dense& d) { d.result(0.5 * d.y * (ir::unary(OpCode::tanh, d.y * 0.8) + 1.0)); },
     false},
    {"its square", [](const Dense& d) { d.result(d.y * d.y); }, false},
    {"an elementwise op, and the caller",
     [](const Dense& d) {
       d.result(d.y * 2.0);
       d.result(d.y);
     },
     true},
    {"an elementwise op, and again later",
     [](const Dense& d) {
       const Value z = d.y * 2.0;
       const Value next = ir::dot_general(z, d.w, {{}, {}, {1}, {1}});
       d.result(next);
       d.result(ir::dot_general(next, d.w, {{}, {}, {1}, {0}}) * d.y);
     },
     true},
    {"another shape",
     [](const Dense& d) {
       d.result(ir::reshape(d.y, {6, 3, 11}) * 2.0);
     },
     true},
    {"an elementwise op and another shape",
     [](const Dense& d) {
       const Value turned = ir::transpose(d.y, {1, 0});
       d.result(d.y * 2.0);
       d.result(ir::dot(turned, d.x));
     },
     true},
    {"a sum", [](const Dense& d) { d.result(ir::reduce_sum(d.y, {1})); }, true},
    {"another product",
     [](const Dense& d) {
       d.result(ir::dot_general(d.y, d.w, {{}, {}, {1}, {1}}));
     },
     true},
    {"residual of bf16", [](const Dense& d) { d.result(d.residual() + d.y); }, true, DType::bf16},
};

TEST(Bias, IsAddedByElementwiseOpsThatReadItNext) {
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const ir::Module module = make_module([&](Builder& b) {
      Dense d;
      d.x = b.argument({row.dtype, {6, 20}});
      d.w = b.argument({row.dtype, {20, 33}});
      const Value bias = b.argument({row.dtype, {33}});
      d.y = ir::dot(d.x, d.w) + ir::broadcast_in_dim(bias, {6, 33}, {1});
      row.read(d);
    });
    const std::string plan = plan_summary(2, module).text;
    EXPECT_EQ(plan.find("+ bias") != std::string::npos, row.in_product) << plan;
    expect_same(module, 64, row.name, {-1, 1});
  }
}

}  // namespace
}  // namespace systolic
