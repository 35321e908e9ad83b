// Constraints on what an operand holds, which are checked where a constant gives it.
#include "systolic/stablehlo/verify/test_violations.h"

namespace systolic {
namespace {

struct KnownOperand {
  std::string label;     // the op alone for a program that is right
  std::string elements;  // of the constant %k
  std::string op;        // its operands, attributes and types
  std::string says;
};

std::string text_of(const KnownOperand& program) {
  return str("func.func @main(%x: tensor<4xf32>, %p: tensor<f32>, %m: tensor<?x?x2xi32>, ",
             "%i: tensor<?x?x?xi32>) {\n  %k = stablehlo.constant ", program.elements,
             "\n  %r = \"stablehlo.", op_of(program.label), "\"", program.op, "\n  return\n}");
}

const std::string to = " : (tensor<4xf32>, tensor<2xi64>) -> ";
const std::string padded =
    "(%x, %p, %k, %k, %k) : (tensor<4xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, "
    "tensor<1xi32>) -> ";
const std::string gathered =
    " : (tensor<?x?x2xi32>, tensor<?x?x?xi32>, tensor<3xi32>) -> tensor<?x?x?xi32>";
std::string gather(const std::string& collapsed) {
  return "(%m, %i, %k) {dimension_numbers = #stablehlo.gather<offset_dims = [2], "
         "collapsed_slice_dims = " +
         collapsed + ", start_index_map = [0, 1], index_vector_dim = 2>}" + gathered;
}
std::string broadcast_root(const std::string& roots) {
  return "dense<" + roots + "> : tensor<1xi32>";
}
const std::string rooted =
    "(%x, %k) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root = true} : "
    "(tensor<4xf32>, tensor<1xi32>) -> tensor<4xf32>";

const std::vector<KnownOperand> known_operands = {
    {"dynamic_broadcast_in_dim", "dense<[3, 4]> : tensor<2xi64>",
     "(%x, %k) {broadcast_dimensions = array<i64: 1>}" + to + "tensor<3x4xf32>", ""},
    {"dynamic_broadcast_in_dim_c5", "dense<[3, 5]> : tensor<2xi64>",
     "(%x, %k) {broadcast_dimensions = array<i64: 1>}" + to + "tensor<?x?xf32>",
     "dim(operand, 0), got 4, expected 5"},
    {"dynamic_broadcast_in_dim_c7", "dense<[1, 4]> : tensor<2xi64>",
     "(%x, %k) {broadcast_dimensions = array<i64: 1>}" + to + "tensor<3x4xf32>",
     "shape(result), got [3, 4], expected [1, 4]"},
    {"dynamic_broadcast_in_dim_c7", "dense<[-1, 4]> : tensor<2xi64>",
     "(%x, %k) {broadcast_dimensions = array<i64: 1>}" + to + "tensor<3x4xf32>",
     "sizes of the result, got [-1, 4], expected 0 or more"},
    {"dynamic_reshape", "dense<[2, 2]> : tensor<2xi64>", "(%x, %k)" + to + "tensor<?x2xf32>", ""},
    {"dynamic_reshape_c2", "dense<[2, 3]> : tensor<2xi64>", "(%x, %k)" + to + "tensor<?x?xf32>",
     "size(operand), got 4, expected 6"},
    {"dynamic_reshape_c4", "dense<2> : tensor<2xi64>", "(%x, %k)" + to + "tensor<1x4xf32>",
     "shape(result), got [1, 4], expected [2, 2]"},
    {"dynamic_iota_c2", "dense<1> : tensor<1xi64>",
     "(%k) {iota_dimension = 0 : i64} : (tensor<1xi64>) -> tensor<4xf32>",
     "shape(result), got [4], expected [1]"},
    {"dynamic_pad", "dense<1> : tensor<1xi32>", padded + "tensor<9xf32>", ""},
    {"dynamic_pad_c3", "dense<-1> : tensor<1xi32>", padded + "tensor<?xf32>",
     "interior_padding, got -1, expected 0 or more"},
    {"dynamic_pad_c4", "dense<1> : tensor<1xi32>", padded + "tensor<4xf32>",
     "dim(result, 0), got 4, expected 9"},
    {"dynamic_gather", "dense<1> : tensor<3xi32>", gather("[0, 1]"), ""},
    {"dynamic_gather_c8", "dense<[1, 1, 2]> : tensor<3xi32>", gather("[0, 2]"),
     "slice_sizes[2], got 2, expected 0 or 1"},
    {"dynamic_gather_c12", "dense<[1, 1, 8]> : tensor<3xi32>", gather("[0, 1]"),
     "slice_sizes[2], got 8, expected 0 to 2 = dim(operand, 2)"},
    {"dynamic_gather_c12", "dense<[1, 1, -1]> : tensor<3xi32>", gather("[0, 1]"),
     "slice_sizes, got [1, 1, -1], expected 0 or more"},
    {"rng_c3", "dense<7> : tensor<1xi64>",
     "(%p, %p, %k) {rng_distribution = #stablehlo<rng_distribution NORMAL>} : "
     "(tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<12xf32>",
     "shape(result), got [12], expected [7]"},
    {"collective_broadcast", broadcast_root("1"), rooted, ""},
    {"collective_broadcast_c6", broadcast_root("2"), rooted,
     "operands[1], got 2, expected numbers in [0, 2)"},
};

class KnownOperands : public testing::TestWithParam<KnownOperand> {};

TEST_P(KnownOperands, AreChecked) {
  const KnownOperand& program = GetParam();
  const std::string text = text_of(program), message = verify_text(text);
  if (op_of(program.label) == program.label) {
    EXPECT_EQ(message, "no error") << text;
    return;
  }
  EXPECT_EQ(message, str("t.mlir:3:8: ", program.label, ": ", program.says, ".")) << text;
}
INSTANTIATE_TEST_SUITE_P(Violations, KnownOperands, testing::ValuesIn(known_operands),
                         [](const testing::TestParamInfo<KnownOperand>& info) {
                           return str(info.param.label, "_", info.index);
                         });

}  // namespace
}  // namespace systolic
