// Batch norms, linear algebra, Fourier transforms, random numbers.
#include "systolic/stablehlo/verify/test_violations.h"

namespace systolic {
namespace {

std::string features(int axis) {
  return str("{epsilon = 0.0 : f32, feature_index = ", axis, " : i64}");
}
const std::string grad = "4x3xf32; 3xf32; 3xf32; 3xf32; 4x3xf32";
const std::string five = "4x3xf32; 3xf32; 3xf32; 3xf32; 3xf32";

const std::vector<Violating> batch_norms = {
    {"batch_norm_grad", grad, features(1), "4x3xf32; 3xf32; 3xf32", ""},
    {"batch_norm_grad_c1", grad, features(2), "4x3xf32; 3xf32; 3xf32",
     "feature_index, got 2, expected numbers in [0, 2)"},
    {"batch_norm_grad_c2", grad, features(1), "4x3xf32; 3xf64; 3xf32",
     "baseline_element_type(grad_scale), got f64, expected that of operand, f32"},
    {"batch_norm_grad_c3", "4x3xf32; 3xf32; 3xf32; 3xf32; 5x3xf32", features(1),
     "4x3xf32; 3xf32; 3xf32", "shape(grad_output), got [5, 3], expected [4, 3] = shape(operand)"},
    {"batch_norm_grad_c4", grad, features(1), "4x3xf32; 3xf32; 4xf32",
     "shape(grad_offset), got [4], expected [3] = shape(scale)"},
    {"batch_norm_grad_c5", grad, features(0), "4x3xf32; 3xf32; 3xf32",
     "dim(scale, 0), got 3, expected 4 = dim(operand, 0)"},
    {"batch_norm_inference", five, features(1), "4x3xf32", ""},
    {"batch_norm_inference_c1", five, features(-1), "4x3xf32",
     "feature_index, got -1, expected numbers in [0, 2)"},
    {"batch_norm_inference_c2", "4x3xf32; 3xf32; 3xf16; 3xf32; 3xf32", features(1), "4x3xf32",
     "baseline_element_type(offset), got f16, expected that of operand, f32"},
    {"batch_norm_inference_c3", "4x3xf32; 4xf32; 3xf32; 3xf32; 3xf32", features(1), "4x3xf32",
     "dim(scale, 0), got 4, expected 3 = dim(operand, 1)"},
    {"batch_norm_inference_c4", "4x3xf32; 3xf32; 4xf32; 3xf32; 3xf32", features(1), "4x3xf32",
     "dim(offset, 0), got 4, expected 3 = dim(operand, 1)"},
    {"batch_norm_inference_c5", "4x3xf32; 3xf32; 3xf32; 4xf32; 3xf32", features(1), "4x3xf32",
     "dim(mean, 0), got 4, expected 3 = dim(operand, 1)"},
    {"batch_norm_inference_c6", "4x3xf32; 3xf32; 3xf32; 3xf32; 4xf32", features(1), "4x3xf32",
     "dim(variance, 0), got 4, expected 3 = dim(operand, 1)"},
    {"batch_norm_inference_c7", five, features(1), "3x3xf32",
     "baseline_type(result), got tensor<3x3xf32>, expected that of operand, tensor<4x3xf32>"},
    {"batch_norm_training", "4x3xf32; 3xf32; 3xf32", features(1), "4x3xf32; 3xf32; 3xf32", ""},
    {"batch_norm_training_c1", "4x3xf32; 3xf32; 3xf32", features(2), "4x3xf32; 3xf32; 3xf32",
     "feature_index, got 2, expected numbers in [0, 2)"},
    {"batch_norm_training_c2", "4x3xf32; 3xf32; 3xf32", features(1), "4x3xf32; 3xf64; 3xf32",
     "baseline_element_type(batch_mean), got f64, expected that of operand, f32"},
    {"batch_norm_training_c3", "4x3xf32; 2xf32; 3xf32", features(1), "4x3xf32; 3xf32; 3xf32",
     "dim(scale, 0), got 2, expected 3 = dim(operand, 1)"},
    {"batch_norm_training_c4", "4x3xf32; 3xf32; 2xf32", features(1), "4x3xf32; 3xf32; 3xf32",
     "dim(offset, 0), got 2, expected 3 = dim(operand, 1)"},
    {"batch_norm_training_c5", "4x3xf32; 3xf32; 3xf32", features(1), "4x3xf32; 2xf32; 3xf32",
     "dim(batch_mean, 0), got 2, expected 3 = dim(operand, 1)"},
    {"batch_norm_training_c6", "4x3xf32; 3xf32; 3xf32", features(1), "4x3xf32; 3xf32; 2xf32",
     "dim(batch_var, 0), got 2, expected 3 = dim(operand, 1)"},
    {"batch_norm_training_c7", "4x3xf32; 3xf32; 3xf32", features(1), "4x4xf32; 3xf32; 3xf32",
     "baseline_type(output), got tensor<4x4xf32>, expected that of operand, tensor<4x3xf32>"},
};
INSTANTIATE_TEST_SUITE_P(BatchNorms, Violations, testing::ValuesIn(batch_norms), name_of);

std::string fft(const std::string& type, const std::string& length) {
  return "{fft_type = #stablehlo<fft_type " + type + ">, fft_length = array<i64: " + length + ">}";
}
std::string solve(bool left) {
  return str("{left_side = ", left ? "true" : "false",
             ", lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose "
             "NO_TRANSPOSE>}");
}
std::string rng(const std::string& distribution) {
  return "{rng_distribution = #stablehlo<rng_distribution " + distribution + ">}";
}
std::string bits(const std::string& algorithm) {
  return "{rng_algorithm = #stablehlo<rng_algorithm " + algorithm + ">}";
}

const std::vector<Violating> linear = {
    {"cholesky", "2x3x3xf32", "", "2x3x3xf32", ""},
    {"cholesky_c1", "2x3x3xf32", "", "2x3x3xf64",
     "baseline_type(result), got tensor<2x3x3xf64>, expected that of a, tensor<2x3x3xf32>"},
    {"cholesky_c2", "3xf32", "", "3xf32", "rank(a), got 1, expected 2 or more"},
    {"cholesky_c3", "3x4xf32", "", "3x4xf32", "dim(a, 0), got 3, expected 4 = dim(a, 1)"},
    {"triangular_solve", "2x3x3xf32; 2x3x4xf32", solve(true), "2x3x4xf32", ""},
    {"triangular_solve_c1", "3x3xf32; 3x4xf64", solve(true), "3x4xf64",
     "baseline_element_type(b), got f64, expected that of a, f32"},
    {"triangular_solve_c2", "3xf32; 3xf32", solve(true), "3xf32",
     "rank(a), got 1, expected 2 or more"},
    {"triangular_solve_c2", "3x3xf32; 2x3x4xf32", solve(true), "2x3x4xf32",
     "rank(b), got 3, expected 2 = rank(a)"},
    {"triangular_solve_c3", "2x3x3xf32; 3x3x4xf32", solve(true), "3x3x4xf32",
     "dim(b, 0), got 3, expected 2 = dim(a, 0)"},
    {"triangular_solve_c3", "3x4xf32; 3x4xf32", solve(true), "3x4xf32",
     "dim(a, 0), got 3, expected 4 = dim(a, 1)"},
    {"triangular_solve_c3", "3x3xf32; 3x4xf32", solve(false), "3x4xf32",
     "dim(b, 1), got 4, expected 3 = dim(a, 1)"},
    {"triangular_solve_c4", "3x3xf32; 3x4xf32", solve(true), "3x5xf32",
     "baseline_type(result), got tensor<3x5xf32>, expected that of b, tensor<3x4xf32>"},
    {"fft", "2x8xcomplex<f32>", fft("FFT", "8"), "2x8xcomplex<f32>", ""},
    {"fft", "2x8xf64", fft("RFFT", "8"), "2x5xcomplex<f64>", ""},
    {"fft", "2x5xcomplex<f32>", fft("IRFFT", "8"), "2x8xf32", ""},
    {"fft_c1", "8xcomplex<f32>", fft("FFT", "8, 8"), "8xcomplex<f32>",
     "size(fft_length), got 2, expected at most rank(operand) = 1"},
    {"fft_c2", "8xcomplex<f32>", fft("IFFT", "8"), "8xcomplex<f64>",
     "element types of IFFT, got tensor<8xcomplex<f32>> to tensor<8xcomplex<f64>>, expected the "
     "same complex type"},
    {"fft_c2", "8xf32", fft("RFFT", "8"), "5xcomplex<f64>",
     "element types of RFFT, got tensor<8xf32> to tensor<5xcomplex<f64>>, expected floats to "
     "complex numbers of them"},
    {"fft_c2", "5xcomplex<f32>", fft("IRFFT", "8"), "8xf64",
     "element types of IRFFT, got tensor<5xcomplex<f32>> to tensor<8xf64>, expected complex "
     "numbers to their floats"},
    {"fft_c3", "8xcomplex<f32>", fft("FFT", "1, 1, 1, 8"), "8xcomplex<f32>",
     "size(fft_length), got 4, expected 1 to 3"},
    {"fft_c4", "8xf32", fft("RFFT", "6"), "5xcomplex<f32>", "dim(operand, 0), got 8, expected 6"},
    {"fft_c4", "4xcomplex<f32>", fft("IRFFT", "6"), "8xf32", "dim(result, 0), got 8, expected 6"},
    {"fft_c5", "8xf32", fft("RFFT", "8"), "4xcomplex<f32>", "dim(result, 0), got 4, expected 5"},
    {"fft_c5", "3x8xcomplex<f32>", fft("FFT", "8"), "2x8xcomplex<f32>",
     "dim(result, 0), got 2, expected 3 = dim(operand, 0)"},
    {"fft_c5", "?x3x15xcomplex<f32>", fft("IRFFT", "4, 16"), "?x?x?xf32",
     "dim(operand, 1), got 3, expected 4"},
    {"fft_c5", "4xcomplex<f32>", fft("IRFFT", "8"), "8xf32", "dim(operand, 0), got 4, expected 5"},
    {"rng", "f32; f32; 2xi64", rng("NORMAL"), "3x4xf32", ""},
    {"rng_c1", "f32; f64; 2xi64", rng("UNIFORM"), "3x4xf32",
     "element_type(b), got f64, expected f32 = element_type(a)"},
    {"rng_c2", "i32; i32; 2xi64", rng("NORMAL"), "3x4xi32",
     "element_type(a) of NORMAL, got tensor<i32>, expected floats"},
    {"rng_c3", "f32; f32; 3xi64", rng("UNIFORM"), "3x4xf32", "rank(result), got 2, expected 3"},
    {"rng_bit_generator", "2xui64", bits("THREE_FRY"), "2xui64; 7xf32", ""},
    {"rng_bit_generator_c1", "2xui64", bits("THREE_FRY"), "3xui64; 7xi32",
     "type(output_state), got tensor<3xui64>, expected tensor<2xui64> = type(initial_state)"},
    {"rng_bit_generator_c2", "3xui64", bits("THREE_FRY"), "3xui64; 7xi32",
     "size(initial_state) of THREE_FRY, got 3, expected 2"},
    {"rng_bit_generator_c2", "4xui64", bits("PHILOX"), "4xui64; 7xi32",
     "size(initial_state) of PHILOX, got 4, expected 2 or 3"},
};
INSTANTIATE_TEST_SUITE_P(Linear, Violations, testing::ValuesIn(linear), name_of);

}  // namespace
}  // namespace systolic
