#include "plugin/shardings/placed_collectives.h"

#include <gtest/gtest.h>

#include <string>

#include "plugin/shardings/program_walk.h"
#include "plugin/shardings/written_collectives.h"
#include "systolic/base/text.h"
#include "systolic/stablehlo/parse.h"

namespace systolic {
namespace {

using plugin::Collective;

std::string text_of(const std::vector<int64_t>& sizes) { return "[" + join(sizes, ",") + "]"; }

// "1: all-gather [2,6] -> [8,6] {0,1,2,3} {4,5,6,7}"; the number is the level.
std::string text_of(const std::vector<Collective>& collectives) {
  std::string text;
  for (const Collective& each : collectives) {
    if (!text.empty()) text += "; ";
    text += str(each.level, ": ", plugin::name_of(each.kind), " ", text_of(each.before), " -> ",
                text_of(each.after));
    for (const auto& group : each.groups) text += " {" + join(group, ",") + "}";
  }
  return text;
}

// A mesh a=2, b=2 of cores 0 1 / 2 3. %x is 8x6 and %w 6x4, cut as said.
struct ExchangeRow {
  const char *name, *x, *w, *ops, *type, *result, *wanted;
};
const ExchangeRow exchange_rows[] = {
    {"nothing is exchanged where each core has what it needs", R"({"a"}, {})", "{}, {}",
     "%r = stablehlo.dot %x, %w : (tensor<8x6xf32>, tensor<6x4xf32>) -> tensor<8x4xf32>",
     "tensor<8x4xf32>", R"({"a"}, {})", ""},
    {"a sum over an axis that is cut", R"({"a"}, {"b"})", R"({"b"}, {})",
     "%r = stablehlo.dot %x, %w : (tensor<8x6xf32>, tensor<6x4xf32>) -> tensor<8x4xf32>",
     "tensor<8x4xf32>", R"({"a"}, {})", "0: all-reduce [4,4] -> [4,4] {0,1} {2,3}"},
    {"the other operand is cut where it is whole", R"({}, {"b"})", "{}, {}",
     "%r = stablehlo.dot %x, %w : (tensor<8x6xf32>, tensor<6x4xf32>) -> tensor<8x4xf32>",
     "tensor<8x4xf32>", "{}, {}", "0: all-reduce [8,4] -> [8,4] {0,1} {2,3}"},
    {"weights whose cut is the batch's: they are gathered", R"({"a"}, {})", R"({"a"}, {})",
     "%r = stablehlo.dot %x, %w : (tensor<8x6xf32>, tensor<6x4xf32>) -> tensor<8x4xf32>",
     "tensor<8x4xf32>", R"({"a"}, {})", "0: all-gather [3,4] -> [6,4] {0,2} {1,3}"},
    {"a sum of all elements", R"({"a"}, {"b"})", "{}, {}",
     "%0 = stablehlo.constant dense<0.0> : tensor<f32>\n"
     "%r = stablehlo.reduce(%x init: %0) applies stablehlo.add across dimensions = [0, 1] : "
     "(tensor<8x6xf32>, tensor<f32>) -> tensor<f32>",
     "tensor<f32>", "", "0: all-reduce [] -> [] {0,1,2,3}"},
    {"a result that is asked for whole", R"({"a"}, {})", "{}, {}",
     "%r = stablehlo.tanh %x : tensor<8x6xf32>", "tensor<8x6xf32>", "{}, {}",
     "0: all-gather [4,6] -> [8,6] {0,2} {1,3}"},
    {"a cut that goes to another axis", R"({"a"}, {})", "{}, {}",
     "%t = stablehlo.tanh %x : tensor<8x6xf32>\n"
     "%r = sdy.sharding_constraint %t <@m, [{}, {\"a\"}]> : tensor<8x6xf32>",
     "tensor<8x6xf32>", R"({}, {"a"})", "0: all-to-all [4,6] -> [4,6] {0,2} {1,3}"},
    {"an op that needs rows whole", R"({}, {"a"})", "{}, {}",
     "%r = \"stablehlo.sort\"(%x) <{dimension = 1 : i64, is_stable = true}> ({\n"
     "^bb0(%l: tensor<f32>, %q: tensor<f32>):\n"
     "%c = stablehlo.compare LT, %l, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
     "stablehlo.return %c : tensor<i1>\n}) : (tensor<8x6xf32>) -> tensor<8x6xf32>",
     "tensor<8x6xf32>", R"({}, {"a"})", "0: all-gather [8,3] -> [8,6] {0,2} {1,3}"},
    {"rows beyond a part's border", R"({"a"}, {})", "{}, {}",
     "%r = stablehlo.slice %x [1:7, 0:6] : (tensor<8x6xf32>) -> tensor<6x6xf32>", "tensor<6x6xf32>",
     R"({"a"}, {})", "0: collective-permute [4,6] -> [4,6] {0,2} {1,3}"},
    {"what two ops need is gathered once", R"({"a"}, {})", "{}, {}",
     "%s = stablehlo.cholesky %y, lower = true : tensor<8x8xf32>\n"
     "%u = stablehlo.cholesky %y, lower = false : tensor<8x8xf32>\n"
     "%r = stablehlo.add %s, %u : tensor<8x8xf32>",
     "tensor<8x8xf32>", R"({"a"}, {})",
     "0: all-gather [4,6] -> [8,6] {0,2} {1,3}; 1: all-gather [4,8] -> [8,8] {0,2} {1,3}"},
    {"one sum after another", R"({"a"}, {"b"})", R"({"b"}, {})",
     "%d = stablehlo.dot %x, %w : (tensor<8x6xf32>, tensor<6x4xf32>) -> tensor<8x4xf32>\n"
     "%0 = stablehlo.constant dense<0.0> : tensor<f32>\n"
     "%r = stablehlo.reduce(%d init: %0) applies stablehlo.add across dimensions = [0] : "
     "(tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>",
     "tensor<4xf32>", "{}",
     "0: all-reduce [4,4] -> [4,4] {0,1} {2,3}; 1: all-reduce [4] -> [4] {0,2} {1,3}"},
    {"what nobody uses is not exchanged", R"({"a"}, {"b"})", R"({"b"}, {})",
     "%d = stablehlo.dot %x, %w : (tensor<8x6xf32>, tensor<6x4xf32>) -> tensor<8x4xf32>\n"
     "%r = stablehlo.tanh %x : tensor<8x6xf32>",
     "tensor<8x6xf32>", R"({"a"}, {"b"})", ""},
    {"a sum that stays unreduced", R"({}, {"a"})", R"({"a"}, {})",
     "%d = stablehlo.dot %x, %w : (tensor<8x6xf32>, tensor<6x4xf32>) -> tensor<8x4xf32>\n"
     "%r = \"sdy.sharding_constraint\"(%d) <{sharding = #sdy.sharding<@m, [{}, {}], "
     "unreduced={\"a\"}>}> : (tensor<8x4xf32>) -> tensor<8x4xf32>",
     "tensor<8x4xf32>", "{}, {}], unreduced={\"a\"}", ""},
    {"sums of addends are reduced once, where they are needed", R"({}, {"a"})", R"({"a"}, {})",
     "%d = stablehlo.dot %x, %w : (tensor<8x6xf32>, tensor<6x4xf32>) -> tensor<8x4xf32>\n"
     "%u = \"sdy.sharding_constraint\"(%d) <{sharding = #sdy.sharding<@m, [{}, {}], "
     "unreduced={\"a\"}>}> : (tensor<8x4xf32>) -> tensor<8x4xf32>\n"
     "%s = stablehlo.add %u, %u : tensor<8x4xf32>\n"
     "%r = sdy.sharding_constraint %s <@m, [{}, {}]> : tensor<8x4xf32>",
     "tensor<8x4xf32>", "{}, {}", "0: all-reduce [8,4] -> [8,4] {0,2} {1,3}"},
};

std::string sharding_text(const std::string& axes) {
  const bool closed = axes.find(']') != std::string::npos;
  return "{sdy.sharding = #sdy.sharding<@m, [" + axes + (closed ? "" : "]") + ">}";
}

TEST(PlacedCollectives, AreWhatCoresNeedOfEachOther) {
  for (const ExchangeRow& row : exchange_rows) {
    const std::string gram =
        "%y = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : "
        "(tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x8xf32>\n";
    const stablehlo::Program program = stablehlo::parse(
        str("module {\n sdy.mesh @m = <[\"a\"=2, \"b\"=2]>\n func.func @main(%x: tensor<8x6xf32> ",
            sharding_text(row.x), ", %w: tensor<6x4xf32> ", sharding_text(row.w), ") -> (",
            row.type, " ", sharding_text(row.result), ") {\n", gram, row.ops,
            "\n return %r : ", row.type, "\n }\n}"));
    plugin::ProgramWalk walk(program, program.entry(), 4);
    walk.placement().propagate();
    EXPECT_EQ(text_of(placed_collectives(walk.placement(), walk.results(), 4)), row.wanted)
        << row.name;
  }
}

TEST(WrittenCollectives, AreThoseOfTheText) {
  const stablehlo::Program program = stablehlo::parse(R"(module {
    func.func @main(%x: tensor<4xf32>) -> tensor<8xf32> {
      %s = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %c = stablehlo.add %a, %b : tensor<f32>
          stablehlo.return %c : tensor<f32>
      }) : (tensor<4xf32>) -> tensor<4xf32>
      %p = "stablehlo.collective_permute"(%s) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
      %g = "stablehlo.all_gather"(%p) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, -1], [2, 3, 4]]> : tensor<2x3xi64>}> : (tensor<4xf32>) -> tensor<8xf32>
      return %g : tensor<8xf32>
    }
  })");
  EXPECT_EQ(text_of(plugin::written_collectives(program)),
            "0: all-reduce [4] -> [4] {0,1} {2,3}; 1: collective-permute [4] -> [4] {0,1}; "
            "2: all-gather [4] -> [8] {0,1} {2,3,4}");
}

}  // namespace
}  // namespace systolic
