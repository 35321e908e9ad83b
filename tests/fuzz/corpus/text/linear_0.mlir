// RUN: systolic conformance --interpret

// L L^T of a chosen L gives L back; what was solved, multiplied with the triangle, gives the right side.

func.func @main() {
  %a = stablehlo.constant dense<[[4.0, 2.0, -2.0], [2.0, 10.0, 0.5], [-2.0, 0.5, 3.5]]> : tensor<3x3xf64>
  %l = stablehlo.cholesky %a, lower = true : tensor<3x3xf64>
  check.expect_almost_eq_const %l, dense<[[2.0, 0.0, 0.0], [1.0, 3.0, 0.0], [-1.0, 0.5, 1.5]]> : tensor<3x3xf64> {tolerance = 1.0e-12 : f64}
  %u = stablehlo.cholesky %a, lower = false : tensor<3x3xf64>
  check.expect_almost_eq_const %u, dense<[[2.0, 1.0, -1.0], [0.0, 3.0, 0.5], [0.0, 0.0, 1.5]]> : tensor<3x3xf64> {tolerance = 1.0e-12 : f64}
  func.return
}
