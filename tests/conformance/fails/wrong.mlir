// RUN: systolic conformance --interpret

func.func @main() {
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  check.expect_eq_const %x, dense<[1.0, 3.0]> : tensor<2xf32>
  func.return
}
