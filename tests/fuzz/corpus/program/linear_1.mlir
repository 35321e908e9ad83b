func.func @main() {
  %a = stablehlo.constant dense<[[(4.0, 0.0), (2.0, 2.0)], [(2.0, -2.0), (11.0, 0.0)]]> : tensor<2x2xcomplex<f64>>
  %l = stablehlo.cholesky %a, lower = true : tensor<2x2xcomplex<f64>>
  %u = stablehlo.cholesky %a, lower = false : tensor<2x2xcomplex<f64>>
  func.return
}
