func.func @main() {
  %x = stablehlo.constant dense<[0.8414709848078965, -0.7568024953079282, 0.6569865987187891, -0.5440211108893698, 0.4201670368266409]> : tensor<5xf64>
  %y = stablehlo.fft %x, type = RFFT, length = [5] : (tensor<5xf64>) -> tensor<3xcomplex<f64>>
  %z = stablehlo.fft %y, type = IRFFT, length = [5] : (tensor<3xcomplex<f64>>) -> tensor<5xf64>
  func.return
}
