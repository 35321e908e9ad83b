// reduce, map, sort and the ops with windows.
#include "systolic/stablehlo/verify/test_violations.h"

namespace systolic {
namespace {

std::string reduce(const std::string& dimensions, const std::string& body = reducer("f32")) {
  return "(" + body + ") {dimensions = array<i64: " + dimensions + ">}";
}

const std::vector<Violating> reductions = {
    {"reduce", "2x3xf32; f32", reduce("1"), "2xf32", ""},
    {"reduce", "2x3xf16; f16", reduce("1"), "2xf32", ""},
    {"reduce_c1", "2x3xf32; 2x4xf32; f32; f32",
     reduce("1", region_of("f32; f32; f32; f32", "f32; f32")), "2xf32; 2xf32",
     "shape(inputs[1]), got [2, 4], expected [2, 3] = shape(inputs[0])"},
    {"reduce_c2", "2x3xf32; f64", reduce("1"), "2xf32",
     "baseline_element_type(init_values[0]), got f64, expected that of inputs[0], f32"},
    {"reduce_i2", "2x3xf32; 3xf32", reduce("1"), "2xf32",
     "type(init_values[0]), got tensor<3xf32>, expected a scalar"},
    {"reduce_c3", "2x3xf32", reduce("1"), "2xf32",
     "inputs and init_values, results, got 1, 1, expected as many init_values and results as "
     "inputs, 1 or more"},
    {"reduce_c4", "2x3xf32; f32", reduce("2"), "2xf32",
     "dimensions, got 2, expected numbers in [0, 2)"},
    {"reduce_c5", "2x3xf32; f32", reduce("1, 1"), "2xf32",
     "dimensions, got [1, 1], expected each number once"},
    {"reduce_c6", "2x3xf32; f32", reduce("1", reducer("i32")), "2xf32",
     "body: type(result 0), got tensor<i32>, expected a scalar that the elements of "
     "tensor<2x3xf32> promote to"},
    {"reduce_c6", "2x3xf32; f32", reduce("1", region_of("f32; f64", "f32")), "2xf32",
     "body: type(argument[1]), got tensor<f64>, expected tensor<f32> as result 0"},
    {"reduce_c6", "2x3xf32; f32", reduce("1", region_of("f32; f32", "f32; f32")), "2xf32",
     "type(body), got 2 arguments, 2 results, expected 2 arguments, 1 results"},
    {"reduce_c7", "2x3xf32; f32", reduce("1"), "3xf32", "shape(results[0]), got [3], expected [2]"},
    {"reduce_c8", "2x3xf32; f32", reduce("1"), "2xf64",
     "baseline_element_type(results[0]), got f64, expected that of its result[0], f32"},
    {"map", "2x3xf32; 2x3xi1",
     "(" + region_of("f32; i1", "f64") + ") {dimensions = array<i64: 0, 1>}", "2x3xf64", ""},
    {"map_c1", "2x3xf32", "(" + region_of("f32", "f64") + ") {dimensions = array<i64: 0, 1>}",
     "2x2xf64", "shape(inputs[0]), got [2, 3], expected [2, 2] = shape(result)"},
    {"map_c2", "", "(" + region_of("", "f64") + ") {dimensions = array<i64>}", "f64",
     "size(inputs), got 0, expected 1 or more"},
    {"map_c3", "2x3xf32", "(" + region_of("f32", "f64") + ") {dimensions = array<i64: 1, 0>}",
     "2x3xf64", "dimensions, got [1, 0], expected [0, 1]"},
    {"map_c4", "2x3xf32", "(" + region_of("i32", "f64") + ") {dimensions = array<i64: 0, 1>}",
     "2x3xf64",
     "computation: type(argument[0]), got tensor<i32>, expected a scalar with the element type of "
     "tensor<2x3xf32>"},
    {"map_c4", "2x3xf32", "(" + region_of("f32", "f32") + ") {dimensions = array<i64: 0, 1>}",
     "2x3xf64",
     "computation: type(result), got tensor<f32>, expected a scalar with the element type of "
     "tensor<2x3xf64>"},
    {"sort", "2x3xf32; 2x3xi8",
     "(" + region_of("f32; f32; i8; i8", "i1") + ") {dimension = -1 : i64}", "2x3xf32; 2x3xi8", ""},
    {"sort_c1", "", "(" + region_of("", "i1") + ") {dimension = 0 : i64}", "",
     "size(inputs), got 0, expected 1 or more"},
    {"sort_c2", "2x3xf32", "(" + region_of("f32; f32", "i1") + ") {dimension = 0 : i64}", "2x3xf64",
     "type(results[0]), got tensor<2x3xf64>, expected tensor<2x3xf32> = type(inputs[0])"},
    {"sort_c3", "2x3xf32; 2x2xf32",
     "(" + region_of("f32; f32; f32; f32", "i1") + ") {dimension = 0 : i64}", "2x3xf32; 2x2xf32",
     "shape(inputs[1]), got [2, 2], expected [2, 3] = shape(inputs[0])"},
    {"sort_c4", "2x3xf32", "(" + region_of("f32; f32", "i1") + ") {dimension = 2 : i64}", "2x3xf32",
     "dimension, got 2, expected a number in [-2, 2)"},
    {"sort_c4", "2x3xf32", "(" + region_of("f32; f32", "i1") + ") {dimension = -3 : i64}",
     "2x3xf32", "dimension, got -3, expected a number in [-2, 2)"},
    {"sort_c5", "2x3xf32", "(" + region_of("f32; f64", "i1") + ") {dimension = 0 : i64}", "2x3xf32",
     "comparator: type(argument[1]), got tensor<f64>, expected a scalar with the element type of "
     "tensor<2x3xf32>"},
    {"sort_c5", "2x3xf32", "(" + region_of("f32; f32", "i8") + ") {dimension = 0 : i64}", "2x3xf32",
     "comparator: type(result), got tensor<i8>, expected tensor<i1>"},
};
INSTANTIATE_TEST_SUITE_P(Reductions, Violations, testing::ValuesIn(reductions), name_of);

struct Window {
  std::string sizes = "1, 3", strides = "1, 2", base = "1, 1", dilations = "1, 1";
  std::string padding = "dense<[[0, 0], [1, 0]]> : tensor<2x2xi64>";
};

// 4x8 with windows of 1x3 and steps of 1x2: 4x4.
std::string window(const Window& w, const std::string& body = reducer("f32")) {
  return str("(", body, ") {window_dimensions = array<i64: ", w.sizes,
             ">, window_strides = array<i64: ", w.strides,
             ">, base_dilations = array<i64: ", w.base,
             ">, window_dilations = array<i64: ", w.dilations, ">, padding = ", w.padding, "}");
}
const std::string two = region_of("f32; f32; f32; f32", "f32; f32");

const std::vector<Violating> windows = {
    {"reduce_window", "4x8xf32; f32", window({}), "4x4xf32", ""},
    {"reduce_window", "4x8xf32; f32", window({.base = "1, 2", .dilations = "1, 3"}), "4x5xf32", ""},
    {"reduce_window_c1", "4x8xf32; f32; f32", window({}), "4x4xf32",
     "inputs and init_values, results, got 3, 1, expected as many init_values and results as "
     "inputs, 1 or more"},
    {"reduce_window_i2", "4x8xf32; 1xf32", window({}), "4x4xf32",
     "type(init_values[0]), got tensor<1xf32>, expected a scalar"},
    {"reduce_window_c2", "4x8xf32; 4x9xf32; f32; f32", window({}, two), "4x4xf32; 4x4xf32",
     "shape(inputs[1]), got [4, 9], expected [4, 8] = shape(inputs[0])"},
    {"reduce_window_c3", "4x8xf32; i32", window({}), "4x4xf32",
     "baseline_element_type(init_values[0]), got i32, expected that of inputs[0], f32"},
    {"reduce_window_c4", "4x8xf32; f32", window({.sizes = "3"}), "4x4xf32",
     "size(window_dimensions), got 1, expected 2"},
    {"reduce_window_c5", "4x8xf32; f32", window({.sizes = "0, 3"}), "4x4xf32",
     "window_dimensions, got [0, 3], expected 1 or more"},
    {"reduce_window_c6", "4x8xf32; f32", window({.strides = "2"}), "4x4xf32",
     "size(window_strides), got 1, expected 2"},
    {"reduce_window_c7", "4x8xf32; f32", window({.strides = "1, -2"}), "4x4xf32",
     "window_strides, got [1, -2], expected 1 or more"},
    {"reduce_window_c8", "4x8xf32; f32", window({.base = "1"}), "4x4xf32",
     "size(base_dilations), got 1, expected 2"},
    {"reduce_window_c9", "4x8xf32; f32", window({.base = "1, 0"}), "4x4xf32",
     "base_dilations, got [1, 0], expected 1 or more"},
    {"reduce_window_c10", "4x8xf32; f32", window({.dilations = "1, 1, 1"}), "4x4xf32",
     "size(window_dilations), got 3, expected 2"},
    {"reduce_window_c11", "4x8xf32; f32", window({.dilations = "0, 1"}), "4x4xf32",
     "window_dilations, got [0, 1], expected 1 or more"},
    {"reduce_window_c12", "4x8xf32; f32", window({.padding = "dense<0> : tensor<4xi64>"}),
     "4x4xf32", "shape(padding), got [4], expected [2, 2]"},
    {"reduce_window_c13", "4x8xf32; f32", window({}, reducer("f16")), "4x4xf32",
     "body: type(result 0), got tensor<f16>, expected a scalar that the elements of "
     "tensor<4x8xf32> promote to"},
    {"reduce_window_c14", "4x8xf32; 4x8xf32; f32; f32", window({}, two), "4x4xf32; 4x3xf32",
     "shape(results[1]), got [4, 3], expected [4, 4] = shape(results[0])"},
    {"reduce_window_c15", "4x8xf32; f32", window({}), "4x5xf32",
     "dim(results[0], 1), got 5, expected 4"},
    {"reduce_window_c16", "4x8xf32; f32", window({}), "4x4xf16",
     "baseline_element_type(results[0]), got f16, expected that of its result[0], f32"},
};
INSTANTIATE_TEST_SUITE_P(Windows, Violations, testing::ValuesIn(windows), name_of);

struct Scattering {
  std::string sizes = "2", strides = "2", padding = "dense<0> : tensor<1x2xi64>";
  std::string select = region_of("f32; f32", "i1"), scatter = reducer("f32");
};
std::string scattering(const Scattering& s) {
  return str("(", s.select, ", ", s.scatter, ") {window_dimensions = array<i64: ", s.sizes,
             ">, window_strides = array<i64: ", s.strides, ">, padding = ", s.padding, "}");
}

const std::vector<Violating> scatterings = {
    {"select_and_scatter", "6xf32; 3xf32; f32", scattering({}), "6xf32", ""},
    {"select_and_scatter_c1", "6xf32; 3xf64; f32", scattering({}), "6xf32",
     "element_type(source), got f64, expected f32 = element_type(operand)"},
    {"select_and_scatter_c2", "6xf32; 4xf32; f32", scattering({}), "6xf32",
     "dim(source, 0), got 4, expected 3"},
    {"select_and_scatter_c3", "6xf32; 3xf32; f64", scattering({}), "6xf32",
     "element_type(init_value), got f64, expected f32 = element_type(operand)"},
    {"select_and_scatter_c4", "6xf32; 3xf32; f32", scattering({.sizes = "2, 1"}), "6xf32",
     "size(window_dimensions), got 2, expected 1"},
    {"select_and_scatter_c5", "6xf32; 3xf32; f32", scattering({.sizes = "0"}), "6xf32",
     "window_dimensions, got 0, expected 1 or more"},
    {"select_and_scatter_c6", "6xf32; 3xf32; f32", scattering({.strides = "2, 1"}), "6xf32",
     "size(window_strides), got 2, expected 1"},
    {"select_and_scatter_c7", "6xf32; 3xf32; f32", scattering({.strides = "0"}), "6xf32",
     "window_strides, got 0, expected 1 or more"},
    {"select_and_scatter_c8", "6xf32; 3xf32; f32",
     scattering({.padding = "dense<0> : tensor<2x1xi64>"}), "6xf32",
     "shape(padding), got [2, 1], expected [1, 2]"},
    {"select_and_scatter_c9", "6xf32; 3xf32; f32",
     scattering({.select = region_of("f32; f32", "f32")}), "6xf32",
     "select: type(result), got tensor<f32>, expected tensor<i1>"},
    {"select_and_scatter_c9", "6xf32; 3xf32; f32",
     scattering({.select = region_of("f64; f64", "i1")}), "6xf32",
     "baseline_element_type(argument[0]), got f64, expected that of operand, f32"},
    {"select_and_scatter_c10", "6xf32; 3xf32; f32", scattering({.scatter = reducer("i64")}),
     "6xf32",
     "scatter: type(result 0), got tensor<i64>, expected a scalar that the elements of "
     "tensor<6xf32> promote to"},
    {"select_and_scatter_c11", "6xf32; 3xf32; f32", scattering({}), "5xf32",
     "shape(result), got [5], expected [6] = shape(operand)"},
    {"select_and_scatter_c12", "6xf32; 3xf32; f32", scattering({}), "6xf64",
     "baseline_element_type(result), got f64, expected that of its result[0], f32"},
};
INSTANTIATE_TEST_SUITE_P(SelectAndScatter, Violations, testing::ValuesIn(scatterings), name_of);

}  // namespace
}  // namespace systolic
