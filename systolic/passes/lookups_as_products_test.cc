// Which lookups become products, and that these give the same rows.
#include "systolic/passes/lookups_as_products.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "backends/interpreter/evaluate.h"
#include "systolic/ir/builder/builder.h"
#include "systolic/ir/infer/verify.h"

namespace systolic {
namespace {

struct Row {
  const char* name;
  Shape table, ids;
  ir::GatherAttributes gather;
  DType dtype = DType::f32;
  DType index_dtype = DType::i32;
  bool product = true;
};

const Row rows[] = {
    {"rows", {5, 3}, {4, 1}, {{1}, {0}, {}, {}, {0}, 1, {1, 3}}},
    {"without an axis for the index", {5, 3}, {2, 4}, {{2}, {0}, {}, {}, {0}, 2, {1, 3}}},
    {"of more axes", {5, 3, 2}, {2, 4, 1}, {{2, 3}, {0}, {}, {}, {0}, 2, {1, 3, 2}}},
    {"by i64", {5, 3}, {4, 1}, {{1}, {0}, {}, {}, {0}, 1, {1, 3}}, DType::f32, DType::i64},
    {"single numbers", {5}, {4, 1}, {{}, {0}, {}, {}, {0}, 1, {1}}},
    {"one row", {5, 3}, {1}, {{0}, {0}, {}, {}, {0}, 0, {1, 3}}},
    {"too many rows",
     {7, 3},
     {4, 1},
     {{1}, {0}, {}, {}, {0}, 1, {1, 3}},
     DType::f32,
     DType::i32,
     false},
    {"integers", {5, 3}, {4, 1}, {{1}, {0}, {}, {}, {0}, 1, {1, 3}}, DType::i32, DType::i32, false},
    {"parts of rows",
     {5, 3},
     {4, 1},
     {{1}, {0}, {}, {}, {0}, 1, {1, 2}},
     DType::f32,
     DType::i32,
     false},
    {"columns", {3, 5}, {4, 1}, {{0}, {1}, {}, {}, {1}, 1, {3, 1}}, DType::f32, DType::i32, false},
};

bool has(const ir::Module& module, ir::OpCode code) {
  const std::vector<ir::Op>& ops = module.main().body.ops;
  return std::any_of(ops.begin(), ops.end(), [&](const ir::Op& op) { return op.code == code; });
}

TEST(LookupsAsProducts, GiveTheRowsOfSmallTables) {
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    ir::Module module;
    module.functions.emplace_back();
    ir::Builder b(module.main());
    const ir::Value table = b.argument({row.dtype, row.table});
    const ir::Value ids = b.argument({row.index_dtype, row.ids});
    b.result(ir::gather(table, ids, row.gather));
    const ir::Module products = passes::lookups_as_products(module, 6);
    ir::verify(products);
    EXPECT_EQ(has(products, ir::OpCode::dot_general), row.product);
    EXPECT_EQ(has(products, ir::OpCode::gather), !row.product);
    Literal numbers(DType::f32, row.table), places = Literal::zeros(DType::i32, row.ids);
    for (int64_t i = 0; i < numbers.size(); ++i) {
      numbers.mutable_data<float>()[static_cast<size_t>(i)] = static_cast<float>(i) / 7 - 1;
    }
    for (int64_t i = 0; i < places.size(); ++i) {  // some lie outside
      places.mutable_data<int32_t>()[static_cast<size_t>(i)] = static_cast<int32_t>(i * 3 % 10) - 2;
    }
    const std::vector<Literal> arguments{numbers.convert(row.dtype),
                                         places.convert(row.index_dtype)};
    EXPECT_EQ(interpreter::evaluate(products, arguments), interpreter::evaluate(module, arguments));
  }
}

}  // namespace
}  // namespace systolic
