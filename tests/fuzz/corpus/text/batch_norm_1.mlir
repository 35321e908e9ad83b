// The outputs are -1 and 1 whatever the inputs are, so that a gradient of (1, 0) reaches the inputs only
// as what is left beside the mean and the output itself: nothing.
func.func @main() {
  %x = stablehlo.constant dense<[[1.0], [3.0]]> : tensor<2x1xf64>
  %scale = stablehlo.constant dense<2.0> : tensor<1xf64>
  %mean = stablehlo.constant dense<2.0> : tensor<1xf64>
  %variance = stablehlo.constant dense<1.0> : tensor<1xf64>
  %gradient = stablehlo.constant dense<[[1.0], [0.0]]> : tensor<2x1xf64>
  %dx, %dscale, %doffset = "stablehlo.batch_norm_grad"(%x, %scale, %mean, %variance, %gradient) <{epsilon = 0.0 : f32, feature_index = 1 : i64}> : (tensor<2x1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<2x1xf64>) -> (tensor<2x1xf64>, tensor<1xf64>, tensor<1xf64>)
  check.expect_almost_eq_const %dx, dense<[[0.0], [0.0]]> : tensor<2x1xf64>
  check.expect_almost_eq_const %dscale, dense<-1.0> : tensor<1xf64>
  check.expect_almost_eq_const %doffset, dense<1.0> : tensor<1xf64>
  func.return
}
