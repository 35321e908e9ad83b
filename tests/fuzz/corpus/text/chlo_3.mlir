func.func @main() {
  %x = stablehlo.constant dense<[1.0, 1.5, 3.25, 1.0e+200]> : tensor<4xf64>
  %y = chlo.acosh %x : tensor<4xf64> -> tensor<4xf64>
  check.expect_almost_eq_const %y, dense<[0.0, 0.9624236501192069, 1.8472460857138377, 461.2101657793691]> : tensor<4xf64> {tolerance = 1.0e-12 : f64}
  func.return
}
