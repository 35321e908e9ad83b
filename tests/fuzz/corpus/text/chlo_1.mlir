func.func @main() {
  %x = stablehlo.constant dense<[-0.75, -0.1, 0.0, 0.3, 0.9, 1.0, -1.0]> : tensor<7xf64>
  %y = chlo.asin %x : tensor<7xf64> -> tensor<7xf64>
  check.expect_almost_eq_const %y, dense<[-0.848062078981481, -0.1001674211615598, 0.0, 0.3046926540153975, 1.1197695149986342, 1.5707963267948966, -1.5707963267948966]> : tensor<7xf64> {tolerance = 1.0e-12 : f64}
  func.return
}
