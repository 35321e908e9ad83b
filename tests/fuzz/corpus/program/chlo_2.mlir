func.func @main() {
  %x = stablehlo.constant dense<[-2.5, -0.75, -0.1, 0.0, 0.3, 0.9, 1.5, 3.25]> : tensor<8xf64>
  %y = chlo.atan %x : tensor<8xf64> -> tensor<8xf64>
  func.return
}
