func.func @main() {
  %x = stablehlo.constant dense<[(0.8414709848078965, 1.0), (-0.7568024953079282, 0.28366218546322625)]> : tensor<2xcomplex<f64>>
  %y = stablehlo.fft %x, type = FFT, length = [2] : (tensor<2xcomplex<f64>>) -> tensor<2xcomplex<f64>>
  check.expect_almost_eq_const %y, dense<[(0.0846684894999683, 1.2836621854632262), (1.5982734801158247, 0.7163378145367738)]> : tensor<2xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  %z = stablehlo.fft %y, type = IFFT, length = [2] : (tensor<2xcomplex<f64>>) -> tensor<2xcomplex<f64>>
  check.expect_almost_eq %z, %x, tolerance = 1.0e-12 : tensor<2xcomplex<f64>>
  func.return
}
