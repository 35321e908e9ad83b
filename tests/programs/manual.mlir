// Each of eight cores multiplies its element by its number; then all are added up.
module @manual attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<f32>) {
    %0:2 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>]
        out_shardings=[<@mesh, [{"x"}]>, <@mesh, []>] manual_axes={"x"} (%b: tensor<1xf32>) {
      %id = stablehlo.partition_id : tensor<ui32>
      %f = stablehlo.convert %id : (tensor<ui32>) -> tensor<f32>
      %g = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<1xf32>
      %s = stablehlo.multiply %b, %g : tensor<1xf32>
      %t = stablehlo.reshape %s : (tensor<1xf32>) -> tensor<f32>
      %1 = "stablehlo.all_reduce"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
          replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
      ^bb0(%c: tensor<f32>, %d: tensor<f32>):
        %2 = stablehlo.add %c, %d : tensor<f32>
        stablehlo.return %2 : tensor<f32>
      }) : (tensor<f32>) -> tensor<f32>
      sdy.return %s, %1 : tensor<1xf32>, tensor<f32>
    } : (tensor<8xf32>) -> (tensor<8xf32>, tensor<f32>)
    return %0#0, %0#1 : tensor<8xf32>, tensor<f32>
  }
}
