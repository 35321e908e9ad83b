func.func @main() {
  %a = stablehlo.constant dense<[[(4.0, 0.0), (2.0, 2.0)], [(2.0, -2.0), (11.0, 0.0)]]> : tensor<2x2xcomplex<f64>>
  %l = stablehlo.cholesky %a, lower = true : tensor<2x2xcomplex<f64>>
  check.expect_almost_eq_const %l, dense<[[(2.0, 0.0), (0.0, 0.0)], [(1.0, -1.0), (3.0, 0.0)]]> : tensor<2x2xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  %u = stablehlo.cholesky %a, lower = false : tensor<2x2xcomplex<f64>>
  check.expect_almost_eq_const %u, dense<[[(2.0, -0.0), (1.0, 1.0)], [(0.0, -0.0), (3.0, -0.0)]]> : tensor<2x2xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  func.return
}
