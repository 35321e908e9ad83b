// RUN: systolic conformance --interpret

// 4 is stored as 4 / 0.1 - 30 = 10 and 15 as 15 / 0.5 - 20 = 10; what does not fit saturates.
func.func @main() {
  %x = stablehlo.constant dense<[[4.0, 15.0], [100.0, -1000.0]]> : tensor<2x2xf32>
  %q = stablehlo.uniform_quantize %x : (tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<i8:f32:1, {0.1:-30, 0.5:-20}>>
  %s = stablehlo.bitcast_convert %q : (tensor<2x2x!quant.uniform<i8:f32:1, {0.1:-30, 0.5:-20}>>) -> tensor<2x2xi8>
  check.expect_eq_const %s, dense<[[10, 10], [127, -128]]> : tensor<2x2xi8>
  %y = stablehlo.uniform_dequantize %q : (tensor<2x2x!quant.uniform<i8:f32:1, {0.1:-30, 0.5:-20}>>) -> tensor<2x2xf32>
  check.expect_almost_eq_const %y, dense<[[4.0, 15.0], [15.7, -54.0]]> : tensor<2x2xf32>
  func.return
}
