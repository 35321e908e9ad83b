func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<f32>
  check.expect_eq_const %x, dense<1.0> : tensor<f32>
  func.return
}
