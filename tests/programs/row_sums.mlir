// Sums of rows, and three more.
module @row_sums {
  func.func public @main(%x: tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sums = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
    %column = stablehlo.reshape %sums : (tensor<2xf32>) -> tensor<2x1xf32>
    %offset = stablehlo.constant dense<[[-1.0, 3.0]]> : tensor<1x2xf32>
    %left = stablehlo.broadcast_in_dim %column, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x2xf32>
    %right = stablehlo.broadcast_in_dim %offset, dims = [0, 1] : (tensor<1x2xf32>) -> tensor<2x2xf32>
    %sum = stablehlo.add %left, %right : tensor<2x2xf32>
    return %sum, %sums : tensor<2x2xf32>, tensor<2xf32>
  }
}
