
module @tokens attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%t: !stablehlo.token {jax.token = true}, %a: tensor<8x4xf32>) -> (!stablehlo.token
      {jax.token = true}, tensor<8x4xf32>) {
    %0:2 = "sdy.manual_computation"(%t, %a) <{
      in_shardings = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"x"}, {}]>]>,
      out_shardings = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"x"}, {}]>]>,
      manual_axes = #sdy<manual_axes{"x"}>}> ({
    ^bb0(%own: !stablehlo.token, %part: tensor<2x4xf32>):
      %1 = stablehlo.after_all %own, %own : !stablehlo.token
      %2 = stablehlo.add %part, %part : tensor<2x4xf32>
      "sdy.return"(%1, %2) : (!stablehlo.token, tensor<2x4xf32>) -> ()
    }) : (!stablehlo.token, tensor<8x4xf32>) -> (!stablehlo.token, tensor<8x4xf32>)
    return %0#0, %0#1 : !stablehlo.token, tensor<8x4xf32>
  }
}
