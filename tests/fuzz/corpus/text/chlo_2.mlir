func.func @main() {
  %x = stablehlo.constant dense<[-2.5, -0.75, -0.1, 0.0, 0.3, 0.9, 1.5, 3.25]> : tensor<8xf64>
  %y = chlo.atan %x : tensor<8xf64> -> tensor<8xf64>
  check.expect_almost_eq_const %y, dense<[-1.1902899496825317, -0.6435011087932844, -0.09966865249116204, 0.0, 0.2914567944778671, 0.7328151017865066, 0.982793723247329, 1.2722973952087173]> : tensor<8xf64> {tolerance = 1.0e-12 : f64}
  func.return
}
