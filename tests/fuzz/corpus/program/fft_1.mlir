func.func @main() {
  %x = stablehlo.constant dense<[(0.8414709848078965, 1.0), (-0.7568024953079282, 0.28366218546322625)]> : tensor<2xcomplex<f64>>
  %y = stablehlo.fft %x, type = FFT, length = [2] : (tensor<2xcomplex<f64>>) -> tensor<2xcomplex<f64>>
  %z = stablehlo.fft %y, type = IFFT, length = [2] : (tensor<2xcomplex<f64>>) -> tensor<2xcomplex<f64>>
  func.return
}
