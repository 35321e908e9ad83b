// RUN: systolic conformance --interpret

// Expected values by Python's math and cmath, by series and by bisection, in double precision.

func.func @main() {
  %x = stablehlo.constant dense<[-0.75, -0.1, 0.0, 0.3, 0.9, 1.0, -1.0]> : tensor<7xf64>
  %y = chlo.acos %x : tensor<7xf64> -> tensor<7xf64>
  check.expect_almost_eq_const %y, dense<[2.4188584057763776, 1.6709637479564565, 1.5707963267948966, 1.2661036727794992, 0.45102681179626236, 0.0, 3.141592653589793]> : tensor<7xf64> {tolerance = 1.0e-12 : f64}
  func.return
}
