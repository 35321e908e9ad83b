module @cores attributes {mhlo.num_replicas = 4 : i32} {
  func.func public @main(%x: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<16x2xf32>, tensor<4x2xf32>) {
    %0 = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>} : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %1 = "stablehlo.all_gather"(%0) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>} : (tensor<4x2xf32>) -> tensor<16x2xf32>
    %2 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>} : (tensor<4x2xf32>) -> tensor<4x2xf32>
    return %0, %1, %2 : tensor<4x2xf32>, tensor<16x2xf32>, tensor<4x2xf32>
  }
}
