func.func @main() {
  %a = stablehlo.constant dense<[[2.0, 5.0, -1.0], [0.5, -1.5, 3.0], [1.0, 0.25, 4.0]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[2.0, 6.0], [3.5, 1.125], [2.5, -0.9375]]> : tensor<3x2xf64>
  %x = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  check.expect_almost_eq_const %x, dense<[[1.0, 3.0], [-2.0, 0.25], [0.5, -1.0]]> : tensor<3x2xf64> {tolerance = 1.0e-12 : f64}
  func.return
}
