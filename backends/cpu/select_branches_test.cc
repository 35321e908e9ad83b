// Which branches become selects; that they compute the same is for tests/backends.
#include "backends/cpu/rewrite/select_branches.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "systolic/ir/builder/builder.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

using ir::OpCode;
using ir::Value;

const ir::Type array{DType::f32, {8}};

// How many branches are left among the ops of main() and of its regions.
int branches_left(const std::function<Value(Value)>& on_true) {
  ir::Module module;
  ir::Function& main = module.functions.emplace_back();
  ir::Builder b(main, &module);
  const Value p = b.argument({DType::pred, {}}), x = b.argument(array);
  b.result(ir::if_else(
      p, [&] { return std::vector<Value>{on_true(x)}; }, [&] { return std::vector<Value>{x}; })[0]);
  select_branches(module);
  int branches = 0;
  ir::for_each_op(main.body, [&](const ir::Op& op) { branches += op.code == OpCode::if_ ? 1 : 0; });
  return branches;
}

Value times(Value x, int count) {
  for (int i = 0; i < count; ++i) x = x * x;
  return x;
}

TEST(SelectBranches, WhereTheyAreCheapForWhatTheyGive) {
  struct Row {
    const char* what;
    std::function<Value(Value)> branch;
    int left;
  };
  const Row table[] = {
      {"nothing", [](Value x) { return x; }, 0},
      {"a few ops", [](Value x) { return times(x, 6); }, 0},
      {"too many", [](Value x) { return times(x, 7); }, 1},
      {"a dear op", [](Value x) { return ir::unary(OpCode::exponential, x); }, 1},
      {"a dear op on a scalar",
       [](Value x) {
         const Value scalar = x.builder().filled(DType::f32, {}, 2);
         return x * ir::broadcast_to(ir::unary(OpCode::exponential, scalar), {8});
       },
       0},
      {"a sum", [](Value x) { return ir::broadcast_to(ir::reduce_sum(x, {0}), {8}); }, 1},
      {"a branch in a branch",
       [](Value x) {
         const Value positive =
             ir::compare(x.builder().filled(DType::f32, {}, 2), 1, ir::Direction::gt);
         return ir::if_else(
             positive, [&] { return std::vector<Value>{x + x}; },
             [&] { return std::vector<Value>{x}; })[0];
       },
       0},
      {"a dear branch in a branch",
       [](Value x) {
         const Value positive =
             ir::compare(x.builder().filled(DType::f32, {}, 2), 1, ir::Direction::gt);
         return ir::if_else(
             positive, [&] { return std::vector<Value>{ir::unary(OpCode::exponential, x)}; },
             [&] { return std::vector<Value>{x}; })[0];
       },
       2},
  };
  for (const Row& row : table) EXPECT_EQ(branches_left(row.branch), row.left) << row.what;
}

}  // namespace
}  // namespace cpu
}  // namespace systolic::inline v0
