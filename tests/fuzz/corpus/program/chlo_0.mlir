

func.func @main() {
  %x = stablehlo.constant dense<[-0.75, -0.1, 0.0, 0.3, 0.9, 1.0, -1.0]> : tensor<7xf64>
  %y = chlo.acos %x : tensor<7xf64> -> tensor<7xf64>
  func.return
}
