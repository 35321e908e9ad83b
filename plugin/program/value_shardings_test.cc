#include "plugin/program/value_shardings.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/stablehlo/parse.h"

namespace systolic {
namespace {

using Sizes = std::vector<int64_t>;

// The part of the first result of a program whose %x is 8x6 on a mesh a=2, b=4, its axes cut as
// said.
Sizes part_of(const std::string& x, const std::string& ops, const std::string& type) {
  const stablehlo::Program program = stablehlo::parse(
      "module {\n sdy.mesh @m = <[\"a\"=2, \"b\"=4]>\n func.func @main(%x: tensor<8x6xf32> "
      "{sdy.sharding = #sdy.sharding<@m, [" +
      x + "]>}, %w: tensor<6x4xf32>) -> " + type + " {\n" + ops + "\n return %r : " + type +
      "\n }\n}");
  const plugin::ValueShardings shardings(program, program.entry(), 8);
  const Shape shape(program.type(program.entry().result_types.at(0)).dims);
  return shardings.result(0, shape).size;
}

struct Row {
  const char *name, *ops, *type;
  Sizes part;  // of %r, where %x has the rows cut by "b"
};
const Row rows[] = {
    {"a chain",
     "%a = stablehlo.tanh %x : tensor<8x6xf32>\n%r = stablehlo.add %a, %x : tensor<8x6xf32>",
     "tensor<8x6xf32>",
     {2, 6}},
    {"a constraint that says otherwise",
     "%r = \"sdy.sharding_constraint\"(%x) <{sharding = #sdy.sharding<@m, [{}, {}]>}> : "
     "(tensor<8x6xf32>) -> tensor<8x6xf32>",
     "tensor<8x6xf32>",
     {8, 6}},
    {"a constraint with an open axis",
     "%r = \"sdy.sharding_constraint\"(%x) <{sharding = #sdy.sharding<@m, [{?}, {}]>}> : "
     "(tensor<8x6xf32>) -> tensor<8x6xf32>",
     "tensor<8x6xf32>",
     {2, 6}},
    {"a constraint that does not divide the axis",
     "%r = \"sdy.sharding_constraint\"(%x) <{sharding = #sdy.sharding<@m, [{}, {\"b\"}]>}> : "
     "(tensor<8x6xf32>) -> tensor<8x6xf32>",
     "tensor<8x6xf32>",
     {8, 6}},
    {"a constraint of memory",
     "%r = stablehlo.custom_call @LayoutConstraint(%x) : (tensor<8x6xf32>) -> tensor<8x6xf32>",
     "tensor<8x6xf32>",
     {2, 6}},
    {"reverse",
     "%r = stablehlo.reverse %x, dims = [0] : tensor<8x6xf32>",
     "tensor<8x6xf32>",
     {2, 6}},
    {"transpose",
     "%r = stablehlo.transpose %x, dims = [1, 0] : (tensor<8x6xf32>) -> tensor<6x8xf32>",
     "tensor<6x8xf32>",
     {6, 2}},
    {"a product",
     "%r = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x6xf32>, "
     "tensor<6x4xf32>) -> tensor<8x4xf32>",
     "tensor<8x4xf32>",
     {2, 4}},
    {"a reshape that splits into the cut",
     "%r = stablehlo.reshape %x : (tensor<8x6xf32>) -> tensor<4x2x6xf32>",
     "tensor<4x2x6xf32>",
     {1, 2, 6}},
    {"a reshape that leaves a part of a mesh axis",
     "%r = stablehlo.reshape %x : (tensor<8x6xf32>) -> tensor<2x4x6xf32>",
     "tensor<2x4x6xf32>",
     {2, 4, 6}},
    {"a reshape that joins",
     "%r = stablehlo.reshape %x : (tensor<8x6xf32>) -> tensor<48xf32>",
     "tensor<48xf32>",
     {12}},
    {"a broadcast",
     "%r = stablehlo.broadcast_in_dim %x, dims = [1, 2] : (tensor<8x6xf32>) -> tensor<3x8x6xf32>",
     "tensor<3x8x6xf32>",
     {3, 2, 6}},
    {"a slice that four parts do not divide",
     "%r = stablehlo.slice %x [0:6, 0:6] : (tensor<8x6xf32>) -> tensor<6x6xf32>",
     "tensor<6x6xf32>",
     {6, 6}},
    {"an argument that is left open, back from where it is used",
     "%t = stablehlo.transpose %x, dims = [1, 0] : (tensor<8x6xf32>) -> tensor<6x8xf32>\n"
     "%y = stablehlo.dot_general %t, %x, contracting_dims = [1] x [0] : (tensor<6x8xf32>, "
     "tensor<8x6xf32>) -> tensor<6x6xf32>\n"
     "%z = stablehlo.dot_general %y, %w, contracting_dims = [1] x [0] : (tensor<6x6xf32>, "
     "tensor<6x4xf32>) -> tensor<6x4xf32>\n"
     "%r = \"sdy.sharding_constraint\"(%w) <{sharding = #sdy.sharding<@m, [{\"a\"}, {?}]>}> : "
     "(tensor<6x4xf32>) -> tensor<6x4xf32>",
     "tensor<6x4xf32>",
     {3, 4}},
    {"bytes of elements",
     "%r = stablehlo.bitcast_convert %x : (tensor<8x6xf32>) -> tensor<8x6x4xi8>",
     "tensor<8x6x4xi8>",
     {2, 6, 4}},
    {"a part that is per core along one axis of the mesh",
     "%r = \"sdy.manual_computation\"(%x) <{in_shardings = #sdy.sharding_per_value<[<@m, [{?}, "
     "{\"a\", ?}]>]>, out_shardings = #sdy.sharding_per_value<[<@m, [{?}, {\"a\", ?}]>]>, "
     "manual_axes = #sdy<manual_axes{\"a\"}>}> ({\n ^bb0(%p: tensor<8x3xf32>):\n %n = "
     "stablehlo.negate %p : tensor<8x3xf32>\n sdy.return %n : tensor<8x3xf32>\n }) : "
     "(tensor<8x6xf32>) -> tensor<8x6xf32>",
     "tensor<8x6xf32>",
     {2, 3}},
    {"a sum over cores in such a part",
     "%r = \"sdy.manual_computation\"(%x) <{in_shardings = #sdy.sharding_per_value<[<@m, [{?}, "
     "{\"a\", ?}]>]>, out_shardings = #sdy.sharding_per_value<[<@m, [{?}, {?}]>]>, manual_axes = "
     "#sdy<manual_axes{\"a\"}>}> ({\n ^bb0(%p: tensor<8x3xf32>):\n %n = "
     "\"stablehlo.all_reduce\"(%p) <{replica_groups = dense<[[0, 4]]> : tensor<1x2xi64>}> ({\n "
     "^bb1(%c: tensor<f32>, %d: tensor<f32>):\n %e = stablehlo.add %c, %d : tensor<f32>\n "
     "stablehlo.return %e : tensor<f32>\n }) : (tensor<8x3xf32>) -> tensor<8x3xf32>\n sdy.return "
     "%n : tensor<8x3xf32>\n }) : (tensor<8x6xf32>) -> tensor<8x3xf32>",
     "tensor<8x3xf32>",
     {2, 3}},
    {"a loop",
     "%r = stablehlo.while(%v = %x) : tensor<8x6xf32>\n cond {\n %c = stablehlo.constant "
     "dense<true> : tensor<i1>\n stablehlo.return %c : tensor<i1>\n } do {\n %n = "
     "stablehlo.negate %v : tensor<8x6xf32>\n stablehlo.return %n : tensor<8x6xf32>\n }",
     "tensor<8x6xf32>",
     {2, 6}},
    {"an op that nothing is known of",
     "%r = stablehlo.custom_call @f(%x) : (tensor<8x6xf32>) -> tensor<8x6xf32>",
     "tensor<8x6xf32>",
     {8, 6}},
    {"an op with a rule written to it",
     "%r = stablehlo.custom_call @f(%x) {sdy.sharding_rule = "
     "#sdy.op_sharding_rule<([i, j])->([k, i]) {i=8, j=6, k=3}, custom>} : (tensor<8x6xf32>) -> "
     "tensor<3x8xf32>",
     "tensor<3x8xf32>",
     {3, 2}},
};

TEST(ValueShardings, FollowTheOps) {
  for (const Row& row : rows) {
    EXPECT_EQ(part_of("{\"b\"}, {}", row.ops, row.type), row.part) << row.name;
  }
}

// Where two operands are cut by one axis of the mesh, the result follows the larger one, else the
// first.
TEST(ValueShardings, DecideWhereCutsMeet) {
  const std::string twice =
      "%t = stablehlo.transpose %x, dims = [1, 0] : (tensor<8x6xf32>) -> tensor<6x8xf32>\n"
      "%r = stablehlo.dot_general %t, %x, contracting_dims = [1] x [0] : (tensor<6x8xf32>, "
      "tensor<8x6xf32>) -> tensor<6x6xf32>";
  EXPECT_EQ(part_of("{}, {\"a\"}", twice, "tensor<6x6xf32>"), (Sizes{3, 6}));
  EXPECT_EQ(part_of("{\"b\"}, {\"a\"}", twice, "tensor<6x6xf32>"), (Sizes{3, 6}));
}

// Arrays of a group, as JAX's shard_alike writes them, lie as any of them says; constants too.
TEST(ValueShardings, HoldGroupsTogether) {
  const std::string group = "\"sdy.sharding_group\"(";
  const std::string id = ") <{group_id = 3 : i64}> : (tensor<8x6xf32>) -> ()\n";
  const std::string iota = "%r = stablehlo.iota dim = 0 : tensor<8x6xf32>\n";
  const std::string one_group = group + "%x" + id + group + "%r" + id;
  EXPECT_EQ(part_of("{\"b\"}, {}", iota + one_group, "tensor<8x6xf32>"), (Sizes{2, 6}));
  EXPECT_EQ(part_of("{\"b\"}, {\"a\"}", iota + one_group, "tensor<8x6xf32>"), (Sizes{2, 3}));
  EXPECT_EQ(part_of("{}, {}", iota + one_group, "tensor<8x6xf32>"), (Sizes{8, 6}));
  EXPECT_EQ(part_of("{\"b\"}, {}", iota + group + "%r" + id, "tensor<8x6xf32>"), (Sizes{8, 6}));
}

TEST(ValueShardings, KnowWhichPartEachCoreHas) {
  const stablehlo::Program program = stablehlo::parse(
      "module {\n sdy.mesh @m = <[\"a\"=2, \"b\"=4]>\n func.func @main(%x: tensor<8x4xf32> "
      "{sdy.sharding = #sdy.sharding<@m, [{\"b\"}, {\"a\"}]>}) -> tensor<4x8xf32> {\n %r = "
      "stablehlo.transpose %x, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>\n return %r : "
      "tensor<4x8xf32>\n }\n}");
  const stablehlo::Parts parts =
      plugin::ValueShardings(program, program.entry(), 8).result(0, {4, 8});
  for (int64_t core = 0; core < 8; ++core) {
    EXPECT_EQ(parts.start.at(static_cast<size_t>(core)), (Sizes{core / 4 * 2, core % 4 * 2}));
  }
}

// Callers have an array for a token.
TEST(ValueShardings, LeaveTokensWhole) {
  const stablehlo::Program program = stablehlo::parse(
      "module {\n sdy.mesh @m = <[\"c\"=4]>\n func.func @main(%x: tensor<8xf32> {sdy.sharding = "
      "#sdy.sharding<@m, [{\"c\"}]>}, %t: !stablehlo.token) -> !stablehlo.token {\n return %t : "
      "!stablehlo.token\n }\n}");
  const plugin::ValueShardings shardings(program, program.entry(), 4);
  EXPECT_EQ(shardings.result(0, {0}), stablehlo::whole_parts({0}, 4));
}

// How JAX writes jax.debug.callback(f, x, partitioned=True), in a loop too.
TEST(ValueShardings, SayWhichPartACallIsMadeOn) {
  const char* call =
      "stablehlo.custom_call @f(%v) {has_side_effect = true, mhlo.backend_config = {partitioned = "
      "true}} : (tensor<8x4xf32>) -> ()\n";
  const std::string on_argument = "%v = stablehlo.negate %x : tensor<8x4xf32>\n";
  const std::string in_loop =
      str("%w = stablehlo.while(%v = %x) : tensor<8x4xf32>\n cond {\n %c = stablehlo.constant "
          "dense<true> : tensor<i1>\n stablehlo.return %c : tensor<i1>\n } do {\n ",
          call, "stablehlo.return %v : tensor<8x4xf32>\n }\n");
  for (const std::string& ops : {on_argument + call, in_loop}) {
    const stablehlo::Program program = stablehlo::parse(
        "module {\n sdy.mesh @m = <[\"c\"=4]>\n func.func @main(%x: tensor<8x4xf32> {sdy.sharding "
        "= #sdy.sharding<@m, [{\"c\"}, {}]>}) {\n" +
        ops + "return\n }\n}");
    const plugin::ValueShardings shardings(program, program.entry(), 4);
    const stablehlo::Operation* made = &program.entry().body.operations.at(1);
    if (ops == in_loop) {
      made = &program.entry().body.operations.at(0).regions.at(1).operations.at(0);
    }
    const std::vector<stablehlo::Parts> parts = shardings.operands(*made);
    ASSERT_EQ(parts.size(), 1u) << ops;
    EXPECT_EQ(parts[0].size, (std::vector<int64_t>{2, 4})) << ops;
    EXPECT_TRUE(shardings.operands(program.entry().body.operations.at(0)).empty()) << ops;
  }
}

}  // namespace
}  // namespace systolic
