func.func @main() {
  %x = stablehlo.constant dense<[-0.75, -0.1, 0.0, 0.3, 0.9]> : tensor<5xf64>
  %y = chlo.atanh %x : tensor<5xf64> -> tensor<5xf64>
  func.return
}
