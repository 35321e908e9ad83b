// gather, dynamic_gather, scatter.
#include "systolic/stablehlo/verify/test_violations.h"

namespace systolic {
namespace {

struct Numbers {
  std::string offset = "2, 3", collapsed = "0", batching = "1", indices_batching = "0",
              map = "0, 2", vector_dim = "2";
};

std::string numbers(const Numbers& n) {
  return str("{dimension_numbers = #stablehlo.gather<offset_dims = [", n.offset,
             "], collapsed_slice_dims = [", n.collapsed, "], operand_batching_dims = [", n.batching,
             "], start_indices_batching_dims = [", n.indices_batching, "], start_index_map = [",
             n.map, "], index_vector_dim = ", n.vector_dim, ">");
}

// operand 3x2x4x5, start_indices 2x6x2, slices 1x1x2x5, result 2x6x2x5.
std::string gather(const Numbers& n, const std::string& sizes = "1, 1, 2, 5") {
  return str(numbers(n), ", slice_sizes = array<i64: ", sizes, ">}");
}
const std::string arrays = "3x2x4x5xf32; 2x6x2xi32";

const std::vector<Violating> gathers = {
    {"gather", arrays, gather({}), "2x6x2x5xf32", ""},
    {"gather", "3x4xf32; i32",
     "{dimension_numbers = #stablehlo.gather<offset_dims = [0], "
     "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 0>, slice_sizes = "
     "array<i64: 1, 4>}",
     "4xf32", ""},
    {"gather_c1", arrays, gather({.offset = "2"}), "2x6x2x5xf32",
     "size(offset_dims) + size(collapsed_slice_dims) + size(operand_batching_dims), got 3, "
     "expected 4"},
    {"gather_c2", arrays, gather({.vector_dim = "4"}), "2x6x2x5xf32",
     "index_vector_dim, got 4, expected numbers in [0, 4)"},
    {"gather_c3", arrays, gather({.map = "0"}), "2x6x2x5xf32",
     "size(start_index_map), got 1, expected 2"},
    {"gather_c3", arrays, gather({.vector_dim = "3"}), "2x6x2x5xf32",
     "size(start_index_map), got 2, expected 1"},
    {"gather_c4", arrays, gather({.offset = "3, 2"}), "2x6x2x5xf32",
     "offset_dims, got [3, 2], expected numbers in order"},
    {"gather_c4", arrays, gather({.offset = "2, 2"}), "2x6x2x5xf32",
     "offset_dims, got [2, 2], expected each number once"},
    {"gather_c5", arrays, gather({.offset = "2, 4"}), "2x6x2x5xf32",
     "offset_dims, got [2, 4], expected numbers in [0, 4)"},
    {"gather_c6", arrays, gather({.collapsed = "1"}), "2x6x2x5xf32",
     "collapsed_slice_dims + operand_batching_dims, got [1, 1], expected each number once"},
    {"gather_c7", arrays, gather({.offset = "2", .collapsed = "2, 0"}), "2x6x5xf32",
     "collapsed_slice_dims, got [2, 0], expected numbers in order"},
    {"gather_c8", arrays, gather({.collapsed = "4"}), "2x6x2x5xf32",
     "collapsed_slice_dims, got 4, expected numbers in [0, 4)"},
    {"gather_c9", arrays, gather({}, "2, 1, 2, 5"), "2x6x2x5xf32",
     "slice_sizes[0], got 2, expected 0 or 1"},
    {"gather_c10", arrays,
     gather({.collapsed = "", .batching = "1, 0", .indices_batching = "0, 1"}), "2x6x2x5xf32",
     "operand_batching_dims, got [1, 0], expected numbers in order"},
    {"gather_c11", arrays, gather({.batching = "-1"}), "2x6x2x5xf32",
     "operand_batching_dims, got -1, expected numbers in [0, 4)"},
    {"gather_c12", arrays, gather({}, "1, 2, 2, 5"), "2x6x2x5xf32",
     "slice_sizes[1], got 2, expected 0 or 1"},
    {"gather_c13", arrays, gather({.indices_batching = "0, 0"}), "2x6x2x5xf32",
     "start_indices_batching_dims, got [0, 0], expected each number once"},
    {"gather_c14", arrays, gather({.indices_batching = "3"}), "2x6x2x5xf32",
     "start_indices_batching_dims, got 3, expected numbers in [0, 3)"},
    {"gather_c15", arrays, gather({.indices_batching = "2"}), "2x6x2x5xf32",
     "start_indices_batching_dims, got [2], expected others than index_vector_dim = 2"},
    {"gather_c16", arrays, gather({.indices_batching = "0, 1"}), "2x6x2x5xf32",
     "size(start_indices_batching_dims), got 2, expected 1"},
    {"gather_c17", arrays, gather({.indices_batching = "1"}), "2x6x2x5xf32",
     "dim(start_indices, 1), got 6, expected 2 = dim(operand, 1)"},
    {"gather_c18", arrays, gather({.map = "0, 1"}), "2x6x2x5xf32",
     "start_index_map + operand_batching_dims, got [0, 1, 1], expected each number once"},
    {"gather_c19", arrays, gather({.map = "0, 4"}), "2x6x2x5xf32",
     "start_index_map, got [0, 4], expected numbers in [0, 4)"},
    {"gather_c20", arrays, gather({}, "1, 1, 2"), "2x6x2x5xf32",
     "size(slice_sizes), got 3, expected 4"},
    {"gather_c21", arrays, gather({}, "1, 1, 5, 5"), "2x6x5x5xf32",
     "slice_sizes[2], got 5, expected 0 to 4 = dim(operand, 2)"},
    {"gather_c21", arrays, gather({}, "1, 1, -1, 5"), "2x6x2x5xf32",
     "slice_sizes, got [1, 1, -1, 5], expected 0 or more"},
    {"gather_c22", arrays, gather({}), "2x6x3x5xf32",
     "shape(result), got [2, 6, 3, 5], expected [2, 6, 2, 5]"},
    {"gather_c23", arrays, gather({}), "2x6x2x5xf64",
     "element_type(result), got f64, expected f32 = element_type(operand)"},
    {"gather_i2", "3x2x4x5xf32; 2x6x2xf32", gather({}), "2x6x2x5xf32",
     "operand 1, got tensor<2x6x2xf32>, expected an array of integers"},
};
INSTANTIATE_TEST_SUITE_P(Gather, Violations, testing::ValuesIn(gathers), name_of);

// operand 3x4x5, start_indices 6x2, slices 1x?x?, result 6x?x?.
std::string dynamic_gather(const Numbers& n) { return numbers(n) + "}"; }
const Numbers plain = {.offset = "1, 2",
                       .collapsed = "0",
                       .batching = "",
                       .indices_batching = "",
                       .map = "0, 1",
                       .vector_dim = "1"};
Numbers but(void (*change)(Numbers&)) {
  Numbers changed = plain;
  change(changed);
  return changed;
}
const std::string dynamic_arrays = "3x4x5xf32; 6x2xi32; 3xi32";

const std::vector<Violating> dynamic_gathers = {
    {"dynamic_gather", dynamic_arrays, dynamic_gather(plain), "6x?x?xf32", ""},
    {"dynamic_gather_c1", dynamic_arrays, dynamic_gather(but([](Numbers& n) { n.collapsed = ""; })),
     "6x?x?xf32",
     "size(offset_dims) + size(collapsed_slice_dims) + size(operand_batching_dims), got 2, "
     "expected 3"},
    {"dynamic_gather_c2", dynamic_arrays,
     dynamic_gather(but([](Numbers& n) { n.vector_dim = "3"; })), "6x?x?xf32",
     "index_vector_dim, got 3, expected numbers in [0, 3)"},
    {"dynamic_gather_c3", dynamic_arrays, dynamic_gather(but([](Numbers& n) { n.map = "0"; })),
     "6x?x?xf32", "size(start_index_map), got 1, expected 2"},
    {"dynamic_gather_c4", dynamic_arrays,
     dynamic_gather(but([](Numbers& n) { n.offset = "2, 1"; })), "6x?x?xf32",
     "offset_dims, got [2, 1], expected numbers in order"},
    {"dynamic_gather_c5", dynamic_arrays,
     dynamic_gather(but([](Numbers& n) { n.offset = "1, 3"; })), "6x?x?xf32",
     "offset_dims, got [1, 3], expected numbers in [0, 3)"},
    {"dynamic_gather_c6", dynamic_arrays,
     dynamic_gather(but([](Numbers& n) { n.offset = "1", n.collapsed = "1, 0"; })), "6x?xf32",
     "collapsed_slice_dims, got [1, 0], expected numbers in order"},
    {"dynamic_gather_c7", dynamic_arrays,
     dynamic_gather(but([](Numbers& n) { n.collapsed = "3"; })), "6x?x?xf32",
     "collapsed_slice_dims, got 3, expected numbers in [0, 3)"},
    {"dynamic_gather_c9", dynamic_arrays, dynamic_gather(but([](Numbers& n) { n.map = "1, 1"; })),
     "6x?x?xf32", "start_index_map + operand_batching_dims, got [1, 1], expected each number once"},
    {"dynamic_gather_c10", dynamic_arrays, dynamic_gather(but([](Numbers& n) { n.map = "0, 3"; })),
     "6x?x?xf32", "start_index_map, got [0, 3], expected numbers in [0, 3)"},
    {"dynamic_gather_c11", "3x4x5xf32; 6x2xi32; 2xi32", dynamic_gather(plain), "6x?x?xf32",
     "size(slice_sizes), got 2, expected 3"},
    {"dynamic_gather_c13", dynamic_arrays, dynamic_gather(plain), "7x?x?xf32",
     "shape(result), got [7, ?, ?], expected [6, ?, ?]"},
    {"dynamic_gather_c14", dynamic_arrays, dynamic_gather(plain), "6x?x?xf64",
     "element_type(result), got f64, expected f32 = element_type(operand)"},
};
INSTANTIATE_TEST_SUITE_P(DynamicGather, Violations, testing::ValuesIn(dynamic_gathers), name_of);

struct ScatterNumbers {
  std::string window = "2, 3", inserted = "0", batching = "1", indices_batching = "0", map = "0, 2",
              vector_dim = "2";
};

// inputs 3x2x4x5, scatter_indices 2x6x2, updates 2x6x2x5.
std::string scatter(const ScatterNumbers& n, const std::string& body = reducer("f32")) {
  return str("(", body, ") {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [",
             n.window, "], inserted_window_dims = [", n.inserted, "], input_batching_dims = [",
             n.batching, "], scatter_indices_batching_dims = [", n.indices_batching,
             "], scatter_dims_to_operand_dims = [", n.map, "], index_vector_dim = ", n.vector_dim,
             ">}");
}
const std::string scattered = "3x2x4x5xf32; 2x6x2xi32; 2x6x2x5xf32";
const std::string two_reducers = region_of("f32; f32; f32; f32", "f32; f32");

const std::vector<Violating> scatters = {
    {"scatter", scattered, scatter({}), "3x2x4x5xf32", ""},
    {"scatter", "3x2x4x5xf32; 2x6x2xi32; 2x6x4x5xf32", scatter({}), "3x2x4x5xf32", ""},
    {"scatter_c1", "3x2x4x5xf32; 3x2x4x6xf32; 2x6x2xi32; 2x6x2x5xf32; 2x6x2x5xf32",
     scatter({}, two_reducers), "3x2x4x5xf32; 3x2x4x5xf32",
     "shape(inputs[1]), got [3, 2, 4, 6], expected [3, 2, 4, 5] = shape(inputs[0])"},
    {"scatter_c2", scattered, scatter({.inserted = ""}), "3x2x4x5xf32",
     "size(update_window_dims) + size(inserted_window_dims) + size(input_batching_dims), got 3, "
     "expected 4"},
    {"scatter_c3", "3x2x4x5xf32; 3x2x4x5xf32; 2x6x2xi32; 2x6x2x5xf32; 2x6x1x5xf32",
     scatter({}, two_reducers), "3x2x4x5xf32; 3x2x4x5xf32",
     "shape(updates[1]), got [2, 6, 1, 5], expected [2, 6, 2, 5] = shape(updates[0])"},
    {"scatter_c4", "3x2x4x5xf32; 2x6x2xi32; 2x7x2x5xf32", scatter({}), "3x2x4x5xf32",
     "dim(updates[0], 1), got 7, expected 6"},
    {"scatter_c4", "3x2x4x5xf32; 2x6x2xi32; 2x6x2x6xf32", scatter({}), "3x2x4x5xf32",
     "dim(updates[0], 3), got 6, expected at most 5"},
    {"scatter_c4", "3x2x4x5xf32; 2x6x2xi32; 2x6x2x5x1xf32", scatter({}), "3x2x4x5xf32",
     "rank(updates[0]), got 5, expected 4"},
    {"scatter_c5", "3x2x4x5xf32; 2x6x2xi32", scatter({}), "3x2x4x5xf32",
     "size(inputs) + 1 + size(updates), got 2, expected as many updates as inputs, 1 or more"},
    {"scatter_c6", "3x2x4x5xf32; 2x6x2xi32; 2x6x2x5xf64", scatter({}), "3x2x4x5xf32",
     "element_type(updates[0]), got f64, expected f32 = element_type(inputs[0])"},
    {"scatter_c7", scattered, scatter({.window = "3, 2"}), "3x2x4x5xf32",
     "update_window_dims, got [3, 2], expected numbers in order"},
    {"scatter_c8", scattered, scatter({.window = "2, 4"}), "3x2x4x5xf32",
     "update_window_dims, got [2, 4], expected numbers in [0, 4)"},
    {"scatter_c9", scattered, scatter({.inserted = "1"}), "3x2x4x5xf32",
     "inserted_window_dims + input_batching_dims, got [1, 1], expected each number once"},
    {"scatter_c10", scattered, scatter({.window = "2", .inserted = "2, 0"}), "3x2x4x5xf32",
     "inserted_window_dims, got [2, 0], expected numbers in order"},
    {"scatter_c11", scattered, scatter({.inserted = "4"}), "3x2x4x5xf32",
     "inserted_window_dims, got 4, expected numbers in [0, 4)"},
    {"scatter_c12", scattered,
     scatter({.inserted = "", .batching = "1, 0", .indices_batching = "0, 1"}), "3x2x4x5xf32",
     "input_batching_dims, got [1, 0], expected numbers in order"},
    {"scatter_c13", scattered, scatter({.batching = "4"}), "3x2x4x5xf32",
     "input_batching_dims, got 4, expected numbers in [0, 4)"},
    {"scatter_c14", scattered, scatter({.indices_batching = "1, 1"}), "3x2x4x5xf32",
     "scatter_indices_batching_dims, got [1, 1], expected each number once"},
    {"scatter_c15", scattered, scatter({.indices_batching = "3"}), "3x2x4x5xf32",
     "scatter_indices_batching_dims, got 3, expected numbers in [0, 3)"},
    {"scatter_c16", scattered, scatter({.indices_batching = "2"}), "3x2x4x5xf32",
     "scatter_indices_batching_dims, got [2], expected others than index_vector_dim = 2"},
    {"scatter_c17", scattered, scatter({.indices_batching = ""}), "3x2x4x5xf32",
     "size(scatter_indices_batching_dims), got 0, expected 1"},
    {"scatter_c18", scattered, scatter({.indices_batching = "1"}), "3x2x4x5xf32",
     "dim(scatter_indices, 1), got 6, expected 2 = dim(inputs[0], 1)"},
    {"scatter_c19", scattered, scatter({.map = "0"}), "3x2x4x5xf32",
     "size(scatter_dims_to_operand_dims), got 1, expected 2"},
    {"scatter_c20", scattered, scatter({.map = "2, 2"}), "3x2x4x5xf32",
     "scatter_dims_to_operand_dims + input_batching_dims, got [2, 2, 1], expected each number "
     "once"},
    {"scatter_c21", scattered, scatter({.map = "0, 9"}), "3x2x4x5xf32",
     "scatter_dims_to_operand_dims, got [0, 9], expected numbers in [0, 4)"},
    {"scatter_c22", scattered, scatter({.vector_dim = "-1"}), "3x2x4x5xf32",
     "index_vector_dim, got -1, expected numbers in [0, 4)"},
    {"scatter_c23", scattered, scatter({}, reducer("f16")), "3x2x4x5xf32",
     "update_computation: type(result 0), got tensor<f16>, expected a scalar that the elements of "
     "tensor<3x2x4x5xf32> promote to"},
    {"scatter_c23", scattered, scatter({}, region_of("f32", "f32")), "3x2x4x5xf32",
     "type(update_computation), got 1 arguments, 1 results, expected 2 arguments, 1 results"},
    {"scatter_c24", scattered, scatter({}), "3x2x4x6xf32",
     "shape(results[0]), got [3, 2, 4, 6], expected [3, 2, 4, 5] = shape(inputs[0])"},
    {"scatter_c25", scattered, scatter({}), "3x2x4x5xf64",
     "baseline_element_type(results[0]), got f64, expected that of its result[0], f32"},
};
INSTANTIATE_TEST_SUITE_P(Scatter, Violations, testing::ValuesIn(scatters), name_of);

}  // namespace
}  // namespace systolic
