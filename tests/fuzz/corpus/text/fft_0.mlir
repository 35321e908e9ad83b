// RUN: systolic conformance --interpret

// Expected values by the definition of the transform, in double precision.

func.func @main() {
  %x = stablehlo.constant dense<[(0.8414709848078965, 1.0)]> : tensor<1xcomplex<f64>>
  %y = stablehlo.fft %x, type = FFT, length = [1] : (tensor<1xcomplex<f64>>) -> tensor<1xcomplex<f64>>
  check.expect_almost_eq_const %y, dense<[(0.8414709848078965, 1.0)]> : tensor<1xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  %z = stablehlo.fft %y, type = IFFT, length = [1] : (tensor<1xcomplex<f64>>) -> tensor<1xcomplex<f64>>
  check.expect_almost_eq %z, %x, tolerance = 1.0e-12 : tensor<1xcomplex<f64>>
  func.return
}
