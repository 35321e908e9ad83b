func.func @main() {
  %x = stablehlo.constant dense<[(0.8414709848078965, 1.0), (-0.7568024953079282, 0.28366218546322625), (0.6569865987187891, -0.8390715290764524), (-0.5440211108893698, -0.7596879128588213), (0.4201670368266409, 0.40808206181339196), (-0.2879033166650653, 0.9912028118634736)]> : tensor<6xcomplex<f64>>
  %y = stablehlo.fft %x, type = FFT, length = [6] : (tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f64>>
  %z = stablehlo.fft %y, type = IFFT, length = [6] : (tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f64>>
  func.return
}
