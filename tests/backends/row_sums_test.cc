// Gradients of embeddings: scatters of rows into zeros, which the software TPU does not store where
// only elementwise ops read them.
#include <gtest/gtest.h>

#include <functional>

#include "backends/cpu/client.h"
#include "backends/cpu/executable.h"
#include "systolic/runtime/client.h"
#include "tests/backends/compare.h"

namespace systolic {
namespace {

using ir::Builder;
using ir::OpCode;
using ir::Value;

constexpr int64_t rows = 300, width = 24;

// A table of zeros to which rows [ids] are added.
Value gradient(Builder& b, int64_t count, DType dtype = DType::f32) {
  const Value ids = b.argument({DType::i32, {count, 1}});
  const Value updates = b.argument({dtype, {count, width}});
  const ir::ScatterAttributes attributes{.update_window_dims = {1},
                                         .inserted_window_dims = {0},
                                         .scatter_dims_to_operand_dims = {0},
                                         .index_vector_dim = 1};
  return ir::scatter(b.filled(dtype, {rows, width}, 0), ids, updates, attributes, OpCode::add);
}

const ir::Type table_type{DType::f32, {rows, width}};

// A table whose memory goes to the result.
Value donated(Builder& b, int64_t result = 0) {
  return b.argument(table_type, {.name = "table", .aliases_result = result});
}

struct Case {
  const char* name;
  int64_t count;
  std::function<void(Builder&, Value)> use;
  bool stored;  // the table
};

const Case cases[] = {
    {"a step of momentum", 40,
     [](Builder& b, Value g) {
       const Value m = b.argument(table_type) * 0.9 + g;
       b.result(m);
       b.result(b.argument(table_type) - m * 0.1);
     },
     false},
    {"limited by its norm", 40,
     [](Builder& b, Value g) {
       const Value norm = ir::unary(OpCode::sqrt, ir::reduce_sum(g * g, {0, 1}));
       const Value factor = ir::broadcast_in_dim(1.0 / (norm + 1.0), g.shape(), {});
       b.result(b.argument(table_type) - g * factor);
     },
     false},
    {"and a product, as of a table that is tied to the head", 40,
     [](Builder& b, Value g) {
       const Value x = b.argument({DType::f32, {rows, 8}}),
                   y = b.argument({DType::f32, {8, width}});
       b.result(b.argument(table_type) - (g + ir::dot(x, y)) * 0.1);
     },
     false},
    {"a step without momentum", 40, [](Builder& b, Value g) { b.result(donated(b) - g * 0.1); },
     false},
    {"a step of Adagrad", 40,
     [](Builder& b, Value g) {
       const Value sums = donated(b) + g * g;
       b.result(sums);
       b.result(donated(b, 1) -
                g * 0.1 / ir::unary(OpCode::sqrt, ir::unary(OpCode::abs, sums) + 1.0));
     },
     false},
    {"a step with decay", 40,
     [](Builder& b, Value g) {
       const Value value = donated(b);
       b.result(value - (g + value * 0.1) * 0.1);
     },
     false},
    {"a step whose result is twice what it was", 40,
     [](Builder& b, Value g) {
       const Value value = donated(b);
       b.result(value + value - g);
     },
     false},
    {"a result too", 40,
     [](Builder& b, Value g) {
       b.result(g);
       b.result(b.argument(table_type) - g);
     },
     true},
    {"read turned", 40,
     [](Builder& b, Value g) {
       b.result(b.argument({DType::f32, {width, rows}}) - ir::transpose(g, {1, 0}));
     },
     true},
    {"more updates than rows", 301,
     [](Builder& b, Value g) { b.result(b.argument(table_type) - g); }, true},
};

TEST(RowSums, GiveWhatTheStoredTableGives) {
  for (const Case& one : cases) {
    const ir::Module module = make_module([&](Builder& b) { one.use(b, gradient(b, one.count)); });
    // Some indices lie outside.
    expect_same(module, 8, one.name, {.low = -3, .high = 40});
  }
}

TEST(RowSums, AreNotStored) {
  const runtime::ClientPtr client = cpu::open_software_tpu("v3-8", 1);
  for (const Case& one : cases) {
    const ir::Module module = make_module([&](Builder& b) { one.use(b, gradient(b, one.count)); });
    const auto program =
        std::dynamic_pointer_cast<cpu::CpuExecutable>(client->compile(module, {.name = "step"}));
    ASSERT_NE(program, nullptr);
    const std::string plan = program->plan().text();
    EXPECT_EQ(plan.find("list updates of scatter") == std::string::npos, one.stored)
        << one.name << "\n"
        << plan;
  }
}

}  // namespace
}  // namespace systolic
