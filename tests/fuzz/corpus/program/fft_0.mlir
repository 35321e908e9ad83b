

func.func @main() {
  %x = stablehlo.constant dense<[(0.8414709848078965, 1.0)]> : tensor<1xcomplex<f64>>
  %y = stablehlo.fft %x, type = FFT, length = [1] : (tensor<1xcomplex<f64>>) -> tensor<1xcomplex<f64>>
  %z = stablehlo.fft %y, type = IFFT, length = [1] : (tensor<1xcomplex<f64>>) -> tensor<1xcomplex<f64>>
  func.return
}
