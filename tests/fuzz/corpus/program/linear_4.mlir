func.func @main() {
  %a = stablehlo.constant dense<[[2.0, 5.0, -1.0], [0.5, -1.5, 3.0], [1.0, 0.25, 4.0]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[1.5, 5.125], [3.125, -0.625], [2.0, -4.0]]> : tensor<3x2xf64>
  %x = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  func.return
}
