// Four devices of two processes, on a mesh a=2, b=2: "a" lies along the processes.
#include "plugin/processes/share.h"

#include <gtest/gtest.h>

#include <string>

#include "plugin/program/signature.h"
#include "systolic/base/test_errors.h"
#include "systolic/base/text.h"
#include "systolic/ir/op_code.h"
#include "systolic/stablehlo/import/check_cores.h"
#include "systolic/stablehlo/import/import.h"
#include "systolic/stablehlo/parse.h"

namespace systolic {
namespace {

using namespace plugin;

constexpr int64_t four_devices = 4;
const std::vector<std::vector<size_t>> two_by_two = {{0, 1}, {2, 3}};

// %x is 8x6, its axes cut as said; %w, 6x4, is everywhere. %r is the result, cut as `result` says.
std::string program_text(const std::string& x, const std::string& ops, const std::string& type,
                         const std::string& result, const std::string& element) {
  const std::string cut = "{sdy.sharding = #sdy.sharding<@m, [";
  return str("module {\n sdy.mesh @m = <[\"a\"=2, \"b\"=2]>\n func.func @main(%x: tensor<8x6x",
             element, "> ", cut, x, "]>}, %w: tensor<6x4xf32> ", cut, "{}, {}]>}) -> (", type, " ",
             cut, result, "]>}) {\n", ops, "\n return %r : ", type, "\n }\n}");
}

std::optional<Share> shared(const std::string& text) {
  const stablehlo::Program program = stablehlo::parse(text);
  const auto is_known = [](std::string_view name) { return name == "tell"; };
  ir::Module module = stablehlo::import_module(
      program, {.partitions = stablehlo::has_manual_part(program) ? four_devices : 1,
                .entry_tokens = true,
                .is_custom_function = is_known});
  for (ir::Parameter& argument : module.main().arguments) argument.uniform = true;
  return share_of(module, signature_of(program, module, 1, four_devices), two_by_two);
}

// The ops of a process's program that are no constants, in order, and how argument and result are
// cut: "tanh; 0 -> 0". "whole" where each process computes all.
std::string outline(const std::optional<Share>& share) {
  if (!share) return "whole";
  std::string text;
  ir::for_each_op(share->module.main().body, [&](const ir::Op& op) {
    if (op.code == ir::OpCode::constant) return;
    text += str(text.empty() ? "" : " ", ir::info(op.code).name);
  });
  return str(text, "; ", share->argument_cuts[0], " -> ", share->result_cuts[0]);
}

struct ShareRow {
  const char *what, *x, *ops, *type, *result, *wanted;
  const char* element = "f32";
};

const char* const tanh_of_x = "%r = stablehlo.tanh %x : tensor<8x6xf32>";
const char* const sum_of_rows =
    "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "%r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : "
    "(tensor<8x6xf32>, tensor<f32>) -> tensor<6xf32>";

const ShareRow share_rows[] = {
    {"rows", "{\"a\"}, {}", tanh_of_x, "tensor<8x6xf32>", "{\"a\"}, {}", "tanh; 0 -> 0"},
    {"rows of each device", "{\"a\", \"b\"}, {}", tanh_of_x, "tensor<8x6xf32>",
     "{\"a\", \"b\"}, {}", "tanh; 0 -> 0"},
    {"rows, which a process's devices cut further", "{\"a\"}, {\"b\"}", tanh_of_x,
     "tensor<8x6xf32>", "{\"a\"}, {\"b\"}", "tanh; 0 -> 0"},
    {"columns", "{}, {\"a\"}", tanh_of_x, "tensor<8x6xf32>", "{}, {\"a\"}", "tanh; 1 -> 1"},
    {"a result that all want", "{\"a\"}, {}", tanh_of_x, "tensor<8x6xf32>", "{}, {}",
     "tanh all_gather; 0 -> -1"},
    {"a result cut otherwise", "{\"a\"}, {}", tanh_of_x, "tensor<8x6xf32>", "{}, {\"a\"}",
     "tanh all_to_all; 0 -> 1"},
    {"a product", "{\"a\"}, {}",
     "%r = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x6xf32>, "
     "tensor<6x4xf32>) -> tensor<8x4xf32>",
     "tensor<8x4xf32>", "{\"a\"}, {}", "dot_general; 0 -> 0"},
    {"a sum along the cut", "{\"a\"}, {}", sum_of_rows, "tensor<6xf32>", "{}",
     "reduce add all_reduce add broadcast_in_dim add; 0 -> -1"},
    {"a cut within each process", "{\"b\"}, {}", tanh_of_x, "tensor<8x6xf32>", "{\"b\"}, {}",
     "whole"},
    {"rows that lie in turn on the processes", "{\"b\", \"a\"}, {}", tanh_of_x, "tensor<8x6xf32>",
     "{\"b\", \"a\"}, {}", "whole"},
    {"a foreign function", "{\"a\"}, {}",
     "stablehlo.custom_call @tell(%x) {has_side_effect = true} : (tensor<8x6xf32>) -> ()\n"
     "%r = stablehlo.tanh %x : tensor<8x6xf32>",
     "tensor<8x6xf32>", "{\"a\"}, {}", "whole"},
    {"a sum that would have to wrap", "{\"a\"}, {}",
     "%z = stablehlo.constant dense<0> : tensor<i4>\n"
     "%r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : "
     "(tensor<8x6xi4>, tensor<i4>) -> tensor<6xi4>",
     "tensor<6xi4>", "{}", "whole", "i4"},
};

TEST(Share, OfProgramsOverWholeArrays) {
  for (const ShareRow& row : share_rows) {
    EXPECT_EQ(outline(shared(program_text(row.x, row.ops, row.type, row.result, row.element))),
              row.wanted)
        << row.what;
  }
}

// Each round sorts the rows, for which a process hands its 96 bytes to the others; argument and
// result have 576 bytes together, with the weights, which are unused.
std::string sorted_in_rounds(const std::string& rounds) {
  return program_text(
      "{\"a\"}, {}",
      str("%zero = stablehlo.constant dense<0> : tensor<i32>\n"
          "%one = stablehlo.constant dense<1> : tensor<i32>\n",
          rounds,
          "\n%q:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<8x6xf32>\n"
          "cond {\n"
          " %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
          " stablehlo.return %c : tensor<i1>\n"
          "} do {\n"
          " %s = \"stablehlo.sort\"(%y) <{dimension = 0 : i64, is_stable = true}> ({\n"
          " ^bb0(%k: tensor<f32>, %l: tensor<f32>):\n"
          "  %m = stablehlo.compare LT, %k, %l : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
          "  stablehlo.return %m : tensor<i1>\n"
          " }) : (tensor<8x6xf32>) -> tensor<8x6xf32>\n"
          " %j = stablehlo.add %i, %one : tensor<i32>\n"
          " stablehlo.return %j, %s : tensor<i32>, tensor<8x6xf32>\n"
          "}\n%r = stablehlo.tanh %q#1 : tensor<8x6xf32>"),
      "tensor<8x6xf32>", "{\"a\"}, {}", "f32");
}

TEST(Share, IsNotWorthMoreBytesThanAProgramHas) {
  const auto constant = [](int rounds) {
    return str("%n = stablehlo.constant dense<", rounds, "> : tensor<i32>");
  };
  EXPECT_CONTAINS(outline(shared(sorted_in_rounds(constant(2)))), "sort");
  EXPECT_EQ(outline(shared(sorted_in_rounds(constant(20)))), "whole");
  // How often is known only while it runs.
  EXPECT_EQ(outline(shared(sorted_in_rounds(
                "%f = stablehlo.slice %w [0:1, 0:1] : (tensor<6x4xf32>) -> tensor<1x1xf32>\n"
                "%g = stablehlo.reshape %f : (tensor<1x1xf32>) -> tensor<f32>\n"
                "%n = stablehlo.convert %g : (tensor<f32>) -> tensor<i32>"))),
            "whole");
}

struct ManualRow {
  const char *what, *groups, *result;  // of the all_reduce; how %r is said to lie
  int64_t rows;                        // of %r
  const char* wanted;                  // the collectives of a process's program
};

const ManualRow manual_rows[] = {
    {"a sum of all", "[[0, 1, 2, 3]]> : tensor<1x4xi64>", "{}, {}", 2, "all_reduce"},
    {"sums within each process", "[[0, 1], [2, 3]]> : tensor<2x2xi64>", "{\"a\"}, {}", 4, ""},
    {"sums of each process's n-th", "[[0, 2], [1, 3]]> : tensor<2x2xi64>", "{\"b\"}, {}", 4,
     "all_reduce"},
    {"said to be the same, and is not", "[[0, 1], [2, 3]]> : tensor<2x2xi64>", "{}, {}", 2, ""},
};

// Each device has two rows, which are added up between devices.
std::string manual_text(const ManualRow& row) {
  const std::string type = str("tensor<", row.rows, "x6xf32>");
  return program_text(
      "{\"a\", \"b\"}, {}",
      str("%r = \"sdy.manual_computation\"(%x) <{in_shardings = "
          "#sdy.sharding_per_value<[<@m, [{\"a\", \"b\"}, {}]>]>, out_shardings = "
          "#sdy.sharding_per_value<[<@m, [",
          row.result, "]>]>, manual_axes = #sdy<manual_axes{\"a\", \"b\"}>}> ({\n",
          "^bb0(%part: tensor<2x6xf32>):\n"
          " %t = stablehlo.tanh %part : tensor<2x6xf32>\n"
          " %s = \"stablehlo.all_reduce\"(%t) <{channel_handle = "
          "#stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<",
          row.groups,
          ", use_global_device_ids}> ({\n"
          " ^bb0(%c: tensor<f32>, %d: tensor<f32>):\n"
          "  %e = stablehlo.add %c, %d : tensor<f32>\n"
          "  stablehlo.return %e : tensor<f32>\n"
          " }) : (tensor<2x6xf32>) -> tensor<2x6xf32>\n"
          " \"sdy.return\"(%s) : (tensor<2x6xf32>) -> ()\n"
          "}) : (tensor<8x6xf32>) -> ",
          type),
      type, row.result, "f32");
}

std::string collectives(const std::optional<Share>& share) {
  if (!share) return "whole";
  std::string text;
  ir::for_each_op(share->module.main().body, [&](const ir::Op& op) {
    const ir::OpInfo& info = ir::info(op.code);
    if (info.family == ir::OpFamily::collective) text += str(text.empty() ? "" : " ", info.name);
  });
  return text;
}

TEST(Share, OfProgramsWithAPartForEachDevice) {
  for (const ManualRow& row : manual_rows) {
    EXPECT_EQ(collectives(shared(manual_text(row))), row.wanted) << row.what;
  }
}

TEST(Share, PartsWithinAPiece) {
  const stablehlo::Parts parts{.size = {2, 3}, .start = {{0, 0}, {2, 0}, {4, 0}, {6, 0}}};
  const Piece second{.axis = 0, .first = 4, .size = 4};
  EXPECT_TRUE(second.is_cut());
  EXPECT_EQ(parts_within(parts, second).start[3], (std::vector<int64_t>{2, 0}));
  EXPECT_EQ(parts_within(parts, Piece{}), parts);
}

}  // namespace
}  // namespace systolic
