func.func @main() {
  %x = stablehlo.constant dense<[(0.8414709848078965, 1.0), (-0.7568024953079282, 0.28366218546322625), (0.6569865987187891, -0.8390715290764524), (-0.5440211108893698, -0.7596879128588213), (0.4201670368266409, 0.40808206181339196), (-0.2879033166650653, 0.9912028118634736)]> : tensor<6xcomplex<f64>>
  %y = stablehlo.fft %x, type = FFT, length = [6] : (tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f64>>
  check.expect_almost_eq_const %y, dense<[(0.3298976974909632, 1.084187617204818), (-1.3682524768657047, 2.813601988960377), (0.7485444975917299, 0.42954467933943774), (3.507351543215692, 0.05383344826906222), (-0.18609257332711238, -0.7927960351207222), (2.0173772207418126, 2.4116283013470263)]> : tensor<6xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  %z = stablehlo.fft %y, type = IFFT, length = [6] : (tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f64>>
  check.expect_almost_eq %z, %x, tolerance = 1.0e-12 : tensor<6xcomplex<f64>>
  func.return
}
