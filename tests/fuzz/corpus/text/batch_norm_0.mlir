// RUN: systolic conformance --interpret

// Two features of values 1, 3 and 2, 6: means 2 and 4, variances 1 and 4, which an epsilon of 0 leaves.
func.func @main() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 6.0]]> : tensor<2x2xf64>
  %scale = stablehlo.constant dense<[1.0, 10.0]> : tensor<2xf64>
  %offset = stablehlo.constant dense<[0.5, 0.0]> : tensor<2xf64>
  %y, %mean, %variance = "stablehlo.batch_norm_training"(%x, %scale, %offset) <{epsilon = 0.0 : f32, feature_index = 1 : i64}> : (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>)
  check.expect_almost_eq_const %mean, dense<[2.0, 4.0]> : tensor<2xf64>
  check.expect_almost_eq_const %variance, dense<[1.0, 4.0]> : tensor<2xf64>
  check.expect_almost_eq_const %y, dense<[[-0.5, -10.0], [1.5, 10.0]]> : tensor<2x2xf64>
  %z = "stablehlo.batch_norm_inference"(%x, %scale, %offset, %mean, %variance) <{epsilon = 0.0 : f32, feature_index = 1 : i64}> : (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<2x2xf64>
  check.expect_eq %z, %y : tensor<2x2xf64>
  func.return
}
