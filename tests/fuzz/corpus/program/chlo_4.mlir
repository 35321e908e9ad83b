func.func @main() {
  %x = stablehlo.constant dense<[-2.5, -0.75, -0.1, 0.0, 0.3, 0.9, 1.5, 3.25, 1.0e+200, -1.0e-200]> : tensor<10xf64>
  %y = chlo.asinh %x : tensor<10xf64> -> tensor<10xf64>
  func.return
}
