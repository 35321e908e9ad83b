// RUN: another --interpret %s

func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<f32>
  func.return
}
