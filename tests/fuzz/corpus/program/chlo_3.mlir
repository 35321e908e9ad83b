func.func @main() {
  %x = stablehlo.constant dense<[1.0, 1.5, 3.25, 1.0e+200]> : tensor<4xf64>
  %y = chlo.acosh %x : tensor<4xf64> -> tensor<4xf64>
  func.return
}
