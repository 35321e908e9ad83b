// Ops between cores, in a module of 2 replicas and 2 partitions.
#include "systolic/stablehlo/verify/test_violations.h"

namespace systolic {
namespace {

const std::string channel = ", channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>";
const std::string global = ", use_global_device_ids";

std::string groups(const std::string& rows, const std::string& shape,
                   const std::string& more = "") {
  return "replica_groups = dense<" + rows + "> : tensor<" + shape + "xi64>" + more;
}
const std::string both = groups("[[0, 1]]", "1x2");

std::string all_gather(const std::string& attributes, int axis = 0) {
  return str("{all_gather_dim = ", axis, " : i64, ", attributes, "}");
}
std::string all_reduce(const std::string& attributes, const std::string& body = reducer("f32")) {
  return "(" + body + ") {" + attributes + "}";
}
std::string all_to_all(int split, int concat, int count, const std::string& attributes) {
  return str("{split_dimension = ", split, " : i64, concat_dimension = ", concat,
             " : i64, split_count = ", count, " : i64, ", attributes, "}");
}
std::string reduce_scatter(int axis, const std::string& attributes,
                           const std::string& body = reducer("f32")) {
  return str("(", body, ") {scatter_dimension = ", axis, " : i64, ", attributes, "}");
}
std::string pairs(const std::string& rows, const std::string& shape, const std::string& more = "") {
  return "{source_target_pairs = dense<" + rows + "> : tensor<" + shape + "xi64>" + more + "}";
}

const std::vector<Violating> reducing = {
    {"all_gather", "2x3xf32", all_gather(both), "4x3xf32", ""},
    {"all_gather", "2x3xf32", all_gather(both + channel), "8x3xf32", ""},
    {"all_gather_i3", "2x3xf32", all_gather(groups("[[[0, 1]]]", "1x1x2")), "4x3xf32",
     "rank(replica_groups), got 3, expected 2"},
    {"all_gather_c6", "2x3xf32", all_gather(both + channel), "5x3xf32",
     "dim(results[0], 0), got 5, expected 8"},
    {"all_gather_c1", "2x3xf32", all_gather(both, 2), "4x3xf32",
     "all_gather_dim, got 2, expected numbers in [0, 2)"},
    {"all_gather_c2", "2x3xf32", all_gather(groups("[[0, 0]]", "1x2")), "4x3xf32",
     "replica_groups, got [0, 0], expected each number once"},
    {"all_gather_c3", "2x3xf32", all_gather(groups("[[0]]", "1x1")), "2x3xf32",
     "size(replica_groups), got 1, expected 2"},
    {"all_gather_c3", "2x3xf32", all_gather(both + channel + global), "4x3xf32",
     "size(replica_groups), got 2, expected 4"},
    {"all_gather_c4", "2x3xf32", all_gather(groups("[[0, 2]]", "1x2")), "4x3xf32",
     "replica_groups, got [0, 2], expected numbers in [0, 2)"},
    {"all_gather_c5", "2x3xf32", all_gather(groups("[[0, 1, 2, 3]]", "1x4") + global), "8x3xf32",
     "channel_id with use_global_device_ids, got 0, expected 1 or more"},
    {"all_gather_c6", "2x3xf32", all_gather(both), "6x3xf32",
     "dim(results[0], 0), got 6, expected 4"},
    {"all_gather_c6", "2x3xf32", all_gather(both), "4x3xf64",
     "element_type(results[0]), got f64, expected f32 = element_type(operands[0])"},
    {"all_reduce", "2xf32; 3xf32", all_reduce(both), "2xf32; 3xf32", ""},
    {"all_reduce_i2", "2xf32", all_reduce(groups("[0, 1]", "2")), "2xf32",
     "rank(replica_groups), got 1, expected 2"},
    {"all_reduce_c1", "2xf32", all_reduce(groups("[[1], [1]]", "2x1")), "2xf32",
     "replica_groups, got [1, 1], expected each number once"},
    {"all_reduce_c2", "2xf32", all_reduce(groups("[[0, -1]]", "1x2")), "2xf32",
     "size(replica_groups), got 1, expected 2"},
    {"all_reduce_c3", "2xf32", all_reduce(groups("[[0, 2]]", "1x2")), "2xf32",
     "replica_groups, got [0, 2], expected numbers in [0, 2)"},
    {"all_reduce_c4", "2xf32", all_reduce(groups("[[0, 1]]", "1x2") + global), "2xf32",
     "channel_id with use_global_device_ids, got 0, expected 1 or more"},
    {"all_reduce_c5", "2xf32", all_reduce(both, reducer("i32")), "2xf32",
     "computation: type(result 0), got tensor<i32>, expected a scalar that the elements of "
     "tensor<2xf32> promote to"},
    {"all_reduce_c6", "2xf32", all_reduce(both), "3xf32",
     "shape(results[0]), got [3], expected [2] = shape(operands[0])"},
    {"all_reduce_c7", "2xf32", all_reduce(both), "2xf64",
     "baseline_element_type(results[0]), got f64, expected that of its result[0], f32"},
    {"reduce_scatter", "4xf32", reduce_scatter(0, both), "2xf32", ""},
    {"reduce_scatter_i3", "4xf32", reduce_scatter(0, groups("0", "2")), "2xf32",
     "rank(replica_groups), got 1, expected 2"},
    {"reduce_scatter_c1", "5xf32", reduce_scatter(0, both), "2xf32",
     "dim(operand, 0), got 5, expected a multiple of dim(process_groups, 1) = 2"},
    {"reduce_scatter_c2", "4xf32", reduce_scatter(1, both), "2xf32",
     "scatter_dimension, got 1, expected numbers in [0, 1)"},
    {"reduce_scatter_c3", "4xf32", reduce_scatter(0, groups("[[0, 0]]", "1x2")), "2xf32",
     "replica_groups, got [0, 0], expected each number once"},
    {"reduce_scatter_c4", "4xf32", reduce_scatter(0, groups("[[0]]", "1x1")), "4xf32",
     "size(replica_groups), got 1, expected 2"},
    {"reduce_scatter_c5", "4xf32", reduce_scatter(0, groups("[[0, -1]]", "1x2")), "2xf32",
     "replica_groups, got [0, -1], expected numbers in [0, 2)"},
    {"reduce_scatter_c6", "4xf32", reduce_scatter(0, both + global), "2xf32",
     "channel_id with use_global_device_ids, got 0, expected 1 or more"},
    {"reduce_scatter_c7", "4xf32", reduce_scatter(0, both, region_of("f32", "f32")), "2xf32",
     "type(computation), got 1 arguments, 1 results, expected 2 arguments, 1 results"},
    {"reduce_scatter_c8", "4xf32", reduce_scatter(0, both), "3xf32",
     "dim(result, 0), got 3, expected 2"},
    {"reduce_scatter_c9", "4xf32", reduce_scatter(0, both), "2xf16",
     "baseline_element_type(result), got f16, expected that of its result[0], f32"},
    {"collective_reduce", "2xf32", all_reduce(both), "2xf32", ""},
    {"collective_reduce_c1", "2xf32", all_reduce(groups("[[1, 1]]", "1x2")), "2xf32",
     "replica_groups, got [1, 1], expected each number once"},
    {"collective_reduce_c2", "2xf32", all_reduce(groups("[[1, 2]]", "1x2")), "2xf32",
     "replica_groups, got [1, 2], expected numbers in [0, 2)"},
    {"collective_reduce_c3", "2xf32", all_reduce(both), "3xf32",
     "shape(results[0]), got [3], expected [2] = shape(operands[0])"},
    {"collective_reduce_c3", "2xf32; 2xi32", all_reduce(both + ", has_dynamic_root"), "2xf32",
     "shape(operands[1]), got [2], expected [1]"},
    {"collective_reduce_c4", "2xf32", all_reduce(both, reducer("i1")), "2xf32",
     "computation: type(result 0), got tensor<i1>, expected a scalar that the elements of "
     "tensor<2xf32> promote to"},
};
INSTANTIATE_TEST_SUITE_P(Reducing, Violations, testing::ValuesIn(reducing), name_of);

const std::string root = "{" + both + ", has_dynamic_root = true}";

const std::vector<Violating> moving = {
    {"all_to_all", "2x4xf32", all_to_all(1, 0, 2, both), "4x2xf32", ""},
    {"all_to_all", "2x4xf32", all_to_all(1, 1, 2, both), "2x4xf32", ""},
    {"all_to_all_i5", "2x4xf32", all_to_all(1, 0, 2, groups("[0, 1]", "2")), "4x2xf32",
     "rank(replica_groups), got 1, expected 2"},
    {"all_to_all_c1", "2x4xf32", all_to_all(2, 0, 2, both), "4x2xf32",
     "split_dimension, got 2, expected numbers in [0, 2)"},
    {"all_to_all_c2", "2x5xf32", all_to_all(1, 0, 2, both), "4x2xf32",
     "dim(operands[0], 1), got 5, expected a multiple of split_count = 2"},
    {"all_to_all_c3", "2x4xf32", all_to_all(1, -1, 2, both), "4x2xf32",
     "concat_dimension, got -1, expected numbers in [0, 2)"},
    {"all_to_all_c4", "2x4xf32", all_to_all(1, 0, 0, both), "4x2xf32",
     "split_count, got 0, expected 1 or more"},
    {"all_to_all_c5", "2x4xf32", all_to_all(1, 0, 2, groups("[[1, 1]]", "1x2")), "4x2xf32",
     "replica_groups, got [1, 1], expected each number once"},
    {"all_to_all_c6", "2x4xf32", all_to_all(1, 0, 1, groups("[[0]]", "1x1")), "2x4xf32",
     "size(replica_groups), got 1, expected 2"},
    {"all_to_all_c7", "2x4xf32", all_to_all(1, 0, 2, groups("[[0, 3]]", "1x2")), "4x2xf32",
     "replica_groups, got [0, 3], expected numbers in [0, 2)"},
    {"all_to_all_c8", "2x4xf32", all_to_all(1, 0, 2, groups("[[0], [1]]", "2x1")), "4x2xf32",
     "dim(replica_groups, 1), got 1, expected 2"},
    {"all_to_all_c9", "2x4xf32", all_to_all(1, 0, 2, both), "2x4xf32",
     "shape(results[0]), got [2, 4], expected [4, 2]"},
    {"all_to_all_c9", "2x4xf32", all_to_all(1, 0, 2, both), "4x2xi32",
     "element_type(results[0]), got i32, expected f32 = element_type(operands[0])"},
    {"collective_broadcast", "2xf32", "{" + both + "}", "2xf32", ""},
    {"collective_broadcast", "2xf32; 1xi32", root, "2xf32", ""},
    {"collective_broadcast_c1", "2xf32", "{" + groups("[[0, 0]]", "1x2") + "}", "2xf32",
     "replica_groups, got [0, 0], expected each number once"},
    {"collective_broadcast_c2", "2xf32", "{" + groups("[[0, 2]]", "1x2") + "}", "2xf32",
     "replica_groups, got [0, 2], expected numbers in [0, 2)"},
    {"collective_broadcast_c3", "2xf32", "{" + both + "}", "2xf64",
     "type(results[0]), got tensor<2xf64>, expected tensor<2xf32> = type(operands[0])"},
    {"collective_broadcast_c3", "", "{" + both + "}", "",
     "size(operands), got 0, expected 1 or more"},
    {"collective_broadcast_c4", "1xi32", root, "", "size(operands), got 1, expected 2 or more"},
    {"collective_broadcast_c4", "2xf32; 2xi32", root, "2xf32",
     "type(operands[1]), got tensor<2xi32>, expected tensor<1xi32>"},
    {"collective_broadcast_c4", "2xf32; 1xi32", root, "3xf32",
     "type(results[0]), got tensor<3xf32>, expected tensor<2xf32> = type(operands[0])"},
    {"collective_broadcast_c5", "2xf32", "{" + both + "}", "2xf32; 2xf32",
     "size(results), got 2, expected 1"},
    {"collective_permute", "2xf32", pairs("[[0, 1], [1, 0]]", "2x2"), "2xf32", ""},
    {"collective_permute_i1", "2x!quant.uniform<i8:f32:0, {1.0, 2.0}>", pairs("[[0, 1]]", "1x2"),
     "2x!quant.uniform<i8:f32:0, {1.0, 2.0}>",
     "operand 0, got tensor<2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>, expected an array of elements "
     "that are not quantized per axis"},
    {"collective_permute_c1", "2xf32", pairs("[[0, 1, 0]]", "1x3"), "2xf32",
     "shape(source_target_pairs), got [1, 3], expected [pairs, 2]"},
    {"collective_permute_c2", "2xf32", pairs("[[0, 1], [0, 0]]", "2x2"), "2xf32",
     "source_target_pairs[:, 0], got [0, 0], expected each number once"},
    {"collective_permute_c3", "2xf32", pairs("[[0, 1], [1, 1]]", "2x2"), "2xf32",
     "source_target_pairs[:, 1], got [1, 1], expected each number once"},
    {"collective_permute_c4", "2xf32", pairs("[[0, 2]]", "1x2"), "2xf32",
     "source_target_pairs, got [0, 2], expected numbers in [0, 2)"},
    {"collective_permute_c5", "2xf32", pairs("[[0, 1]]", "1x2"), "3xf32",
     "type(result), got tensor<3xf32>, expected tensor<2xf32> = type(operand)"},
};
INSTANTIATE_TEST_SUITE_P(Moving, Violations, testing::ValuesIn(moving), name_of);

std::string handle(int type, bool host) {
  return str(", channel_handle = #stablehlo.channel_handle<handle = 1, type = ", type,
             ">, is_host_transfer = ", host ? "true" : "false");
}

std::vector<Violating> transfers() {
  std::vector<Violating> rows;
  for (const bool sends : {true, false}) {
    const std::string op = sends ? "send" : "recv";
    const std::string in = sends ? "2xf32; !stablehlo.token" : "!stablehlo.token";
    const std::string out = sends ? "!stablehlo.token" : "2xf32; !stablehlo.token";
    const std::string good = handle(1, false);
    rows.push_back({op, in, pairs("[[0, 1]]", "1x2", good), out, ""});
    rows.push_back({op, in, pairs("[[0, 1]]", "1x2", handle(sends ? 2 : 3, true)), out, ""});
    rows.push_back({op + "_c1", in, pairs("[[0], [1]]", "2x1", good), out,
                    "shape(source_target_pairs), got [2, 1], expected [pairs, 2]"});
    rows.push_back({op + "_c2", in, pairs("[[1, 0], [1, 1]]", "2x2", good), out,
                    "source_target_pairs[:, 0], got [1, 1], expected each number once"});
    rows.push_back({op + "_c3", in, pairs("[[0, 0], [1, 0]]", "2x2", good), out,
                    "source_target_pairs[:, 1], got [0, 0], expected each number once"});
    rows.push_back({op + "_c4", in, pairs("[[0, 2]]", "1x2", good), out,
                    "source_target_pairs, got [0, 2], expected numbers in [0, 2)"});
    rows.push_back({op + "_c5", in, pairs("[[0, 1]]", "1x2", handle(3, false)), out,
                    "channel_type, got 3, expected 1, DEVICE_TO_DEVICE"});
    rows.push_back({op + "_c5", in, pairs("[[0, 1]]", "1x2", handle(1, true)), out,
                    str("channel_type, got 1, expected ", sends ? 2 : 3, " for a host transfer")});
  }
  return rows;
}
INSTANTIATE_TEST_SUITE_P(Transfers, Violations, testing::ValuesIn(transfers()), name_of);

}  // namespace
}  // namespace systolic
