func.func @main() {
  %z = stablehlo.constant dense<0.5> : tensor<2xf64>
  check.expect_almost_eq %z, %z, tolerance = +1.0e-12 : tensor<2xf64>
  func.return
}
