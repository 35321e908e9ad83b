module @ops {
  func.func public @main(%x: tensor<4x6xf32>, %i: tensor<2x1xi32>, %k: tensor<2x2x1x2xf32>, %image: tensor<1x4x4x1xf32>) -> (tensor<4x2xf32>, tensor<1x3x3x2xf32>, tensor<4x6xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.slice %x [0:4, 1:3] : (tensor<4x6xf32>) -> tensor<4x2xf32>
    %1 = stablehlo.convolution(%image, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x1xf32>, tensor<2x2x1x2xf32>) -> tensor<1x3x3x2xf32>
    %2 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<4x6xf32>, tensor<2x1xi32>) -> tensor<2x6xf32>
    %3 = "stablehlo.scatter"(%x, %i, %2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4x6xf32>, tensor<2x1xi32>, tensor<2x6xf32>) -> tensor<4x6xf32>
    %4 = stablehlo.pad %0, %zero, low = [0, 1], high = [0, 1], interior = [0, 2] : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x6xf32>
    %6 = stablehlo.compare LT, %3, %4 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %5 = stablehlo.select %6, %3, %4 : tensor<4x6xi1>, tensor<4x6xf32>
    return %0, %1, %5 : tensor<4x2xf32>, tensor<1x3x3x2xf32>, tensor<4x6xf32>
  }
}
