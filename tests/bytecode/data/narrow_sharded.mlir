module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<4x2xf4E2M1FN> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<4x2xf8E3M4> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg2: tensor<4x2xf8E4M3> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg3: tensor<4x2xf8E4M3B11FNUZ> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg4: tensor<4x2xf8E4M3FN> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg5: tensor<4x2xf8E4M3FNUZ> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg6: tensor<4x2xf8E5M2> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg7: tensor<4x2xf8E5M2FNUZ> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg8: tensor<4x2xf8E8M0FNU> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<2x4xf4E2M1FN> {jax.result_info = "result[0]"}, tensor<2x4xf8E3M4> {jax.result_info = "result[1]"}, tensor<2x4xf8E4M3> {jax.result_info = "result[2]"}, tensor<2x4xf8E4M3B11FNUZ> {jax.result_info = "result[3]"}, tensor<2x4xf8E4M3FN> {jax.result_info = "result[4]"}, tensor<2x4xf8E4M3FNUZ> {jax.result_info = "result[5]"}, tensor<2x4xf8E5M2> {jax.result_info = "result[6]"}, tensor<2x4xf8E5M2FNUZ> {jax.result_info = "result[7]"}, tensor<2x4xf8E8M0FNU> {jax.result_info = "result[8]"}) {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x2xf4E2M1FN>) -> tensor<2x4xf4E2M1FN>
    %1 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<4x2xf8E3M4>) -> tensor<2x4xf8E3M4>
    %2 = stablehlo.transpose %arg2, dims = [1, 0] : (tensor<4x2xf8E4M3>) -> tensor<2x4xf8E4M3>
    %3 = stablehlo.transpose %arg3, dims = [1, 0] : (tensor<4x2xf8E4M3B11FNUZ>) -> tensor<2x4xf8E4M3B11FNUZ>
    %4 = stablehlo.transpose %arg4, dims = [1, 0] : (tensor<4x2xf8E4M3FN>) -> tensor<2x4xf8E4M3FN>
    %5 = stablehlo.transpose %arg5, dims = [1, 0] : (tensor<4x2xf8E4M3FNUZ>) -> tensor<2x4xf8E4M3FNUZ>
    %6 = stablehlo.transpose %arg6, dims = [1, 0] : (tensor<4x2xf8E5M2>) -> tensor<2x4xf8E5M2>
    %7 = stablehlo.transpose %arg7, dims = [1, 0] : (tensor<4x2xf8E5M2FNUZ>) -> tensor<2x4xf8E5M2FNUZ>
    %8 = stablehlo.transpose %arg8, dims = [1, 0] : (tensor<4x2xf8E8M0FNU>) -> tensor<2x4xf8E8M0FNU>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<2x4xf4E2M1FN>, tensor<2x4xf8E3M4>, tensor<2x4xf8E4M3>, tensor<2x4xf8E4M3B11FNUZ>, tensor<2x4xf8E4M3FN>, tensor<2x4xf8E4M3FNUZ>, tensor<2x4xf8E5M2>, tensor<2x4xf8E5M2FNUZ>, tensor<2x4xf8E8M0FNU>
  }
}
