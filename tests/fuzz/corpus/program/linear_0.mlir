

func.func @main() {
  %a = stablehlo.constant dense<[[4.0, 2.0, -2.0], [2.0, 10.0, 0.5], [-2.0, 0.5, 3.5]]> : tensor<3x3xf64>
  %l = stablehlo.cholesky %a, lower = true : tensor<3x3xf64>
  %u = stablehlo.cholesky %a, lower = false : tensor<3x3xf64>
  func.return
}
