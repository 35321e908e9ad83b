func.func @main() {
  %x = stablehlo.constant dense<[[1.0], [3.0]]> : tensor<2x1xf64>
  %scale = stablehlo.constant dense<2.0> : tensor<1xf64>
  %mean = stablehlo.constant dense<2.0> : tensor<1xf64>
  %variance = stablehlo.constant dense<1.0> : tensor<1xf64>
  %gradient = stablehlo.constant dense<[[1.0], [0.0]]> : tensor<2x1xf64>
  %dx, %dscale, %doffset = "stablehlo.batch_norm_grad"(%x, %scale, %mean, %variance, %gradient) <{epsilon = 0.0 : f32, feature_index = 1 : i64}> : (tensor<2x1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<2x1xf64>) -> (tensor<2x1xf64>, tensor<1xf64>, tensor<1xf64>)
  func.return
}
