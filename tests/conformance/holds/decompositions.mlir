// RUN: systolic conformance --interpret

// The custom calls of QR, of eigenvalues and of LU. The numbers are those of LAPACK's dgeqrf and dorgqr.

func.func @main() {
  %a = stablehlo.constant dense<[[2.0, -1.0, 0.5], [1.0, 3.0, -2.0], [-2.0, 0.5, 1.0], [0.25, -1.5, 4.0]]> : tensor<4x3xf64>
  %r:2 = stablehlo.custom_call @Qr(%a) : (tensor<4x3xf64>) -> (tensor<4x3xf64>, tensor<3xf64>)
  check.expect_almost_eq_const %r#0, dense<[[-3.01039864, 0.12456822, 0.66436384], [0.19958492, -3.53333876, 3.41964342], [-0.39916983, 0.00756258, -3.01904945], [0.04989623, -0.21366293, 0.71534939]]> : tensor<4x3xf64> {tolerance = 1.0e-8 : f64}
  check.expect_almost_eq_const %r#1, dense<[1.66436384, 1.9125779, 1.32299216]> : tensor<3xf64> {tolerance = 1.0e-8 : f64}
  %q = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%r#0, %r#1) : (tensor<4x3xf64>, tensor<3xf64>) -> tensor<4x3xf64>
  check.expect_almost_eq_const %q, dense<[[-0.66436384, 0.25959622, -0.01777142], [-0.33218192, -0.86076641, -0.38561933], [0.66436384, -0.118087, -0.3187878], [-0.08304548, 0.42159987, -0.86565365]]> : tensor<4x3xf64> {tolerance = 1.0e-8 : f64}
  func.return
}

// -----

// More columns than rows; the last row has nothing below it to reflect.
func.func @main() {
  %a = stablehlo.constant dense<[[1.0, 2.0, -1.0], [2.0, -0.5, 3.0]]> : tensor<2x3xf64>
  %r:2 = stablehlo.custom_call @Qr(%a) : (tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2xf64>)
  check.expect_almost_eq_const %r#0, dense<[[-2.23606798, -0.4472136, -2.23606798], [0.61803399, -2.01246118, 2.23606798]]> : tensor<2x3xf64> {tolerance = 1.0e-8 : f64}
  check.expect_almost_eq_const %r#1, dense<[1.4472136, 0.0]> : tensor<2xf64> {tolerance = 1.0e-8 : f64}
  func.return
}

// -----

// A column of zeros is not reflected; a diagonal of 0 is turned to minus the length.
func.func @main() {
  %a = stablehlo.constant dense<[[[0.0, 1.0], [0.0, 0.0], [0.0, 2.0]]]> : tensor<1x3x2xf64>
  %r:2 = stablehlo.custom_call @Qr(%a) : (tensor<1x3x2xf64>) -> (tensor<1x3x2xf64>, tensor<1x2xf64>)
  check.expect_almost_eq_const %r#0, dense<[[[0.0, 1.0], [0.0, -2.0], [0.0, 1.0]]]> : tensor<1x3x2xf64> {tolerance = 1.0e-12 : f64}
  check.expect_almost_eq_const %r#1, dense<[[0.0, 1.0]]> : tensor<1x2xf64> {tolerance = 1.0e-12 : f64}
  func.return
}

// -----

// An odd size; only the lower triangle is read. A V = V diag(w) and V^T V = 1.
func.func @main() {
  %given = stablehlo.constant dense<[[2.0, 9.0, 9.0], [-1.0, 3.0, 9.0], [0.5, 1.0, -2.0]]> : tensor<3x3xf64>
  %a = stablehlo.constant dense<[[2.0, -1.0, 0.5], [-1.0, 3.0, 1.0], [0.5, 1.0, -2.0]]> : tensor<3x3xf64>
  %e:2 = stablehlo.custom_call @Eigh(%given) {backend_config = "1,1,100,1e-6"} : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3xf64>)
  check.expect_almost_eq_const %e#1, dense<[-2.30375152, 1.62041107, 3.68334046]> : tensor<3xf64> {tolerance = 1.0e-8 : f64}
  %av = stablehlo.dot_general %a, %e#0, contracting_dims = [1] x [0] : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %w = stablehlo.broadcast_in_dim %e#1, dims = [1] : (tensor<3xf64>) -> tensor<3x3xf64>
  %vw = stablehlo.multiply %e#0, %w : tensor<3x3xf64>
  %off = stablehlo.subtract %av, %vw : tensor<3x3xf64>
  check.expect_almost_eq_const %off, dense<0.0> : tensor<3x3xf64> {tolerance = 1.0e-9 : f64}
  %vv = stablehlo.dot_general %e#0, %e#0, contracting_dims = [0] x [0] : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  check.expect_almost_eq_const %vv, dense<[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]> : tensor<3x3xf64> {tolerance = 1.0e-12 : f64}
  func.return
}

// -----

// Two matrices, whose upper triangles are read; the second is diagonal, its values out of order.
func.func @main() {
  %a = stablehlo.constant dense<[[[4.0, 1.0, -2.0, 2.0], [9.0, 2.0, 0.0, 1.0], [9.0, 9.0, 3.0, -2.0], [9.0, 9.0, 9.0, -1.0]], [[3.0, 0.0, 0.0, 0.0], [0.0, -1.0, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0], [0.0, 0.0, 0.0, 0.5]]]> : tensor<2x4x4xf64>
  %e:2 = stablehlo.custom_call @Eigh(%a) {backend_config = "0,1,100,1e-6"} : (tensor<2x4x4xf64>) -> (tensor<2x4x4xf64>, tensor<2x4xf64>)
  check.expect_almost_eq_const %e#1, dense<[[-2.19751698, 1.08436446, 2.26853141, 6.84462111], [-1.0, 0.5, 2.0, 3.0]]> : tensor<2x4xf64> {tolerance = 1.0e-8 : f64}
  func.return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[[-7.0]]> : tensor<1x1xf64>
  %e:2 = stablehlo.custom_call @Eigh(%a) {backend_config = "1,1,100,1e-6"} : (tensor<1x1xf64>) -> (tensor<1x1xf64>, tensor<1xf64>)
  check.expect_almost_eq_const %e#0, dense<[[1.0]]> : tensor<1x1xf64> {tolerance = 0.0 : f64}
  check.expect_almost_eq_const %e#1, dense<[-7.0]> : tensor<1xf64> {tolerance = 0.0 : f64}
  func.return
}

// -----

// LU: the rows that were exchanged, and their order. Numbers of LAPACK's dgetrf.
func.func @main() {
  %a = stablehlo.constant dense<[[[2.0, -1.0, 0.5, 3.0], [1.0, 3.0, -2.0, 1.0], [-4.0, 0.5, 1.0, 2.0]], [[0.0, 1.0, 2.0, -1.0], [0.0, 0.0, 1.0, 4.0], [3.0, -6.0, 0.5, 1.0]]]> : tensor<2x3x4xf64>
  %f:3 = stablehlo.custom_call @LuDecomposition(%a) : (tensor<2x3x4xf64>) -> (tensor<2x3x4xf64>, tensor<2x3xi32>, tensor<2x3xi32>)
  check.expect_almost_eq_const %f#0, dense<[[[-4.0, 0.5, 1.0, 2.0], [-0.25, 3.125, -1.75, 1.5], [-0.5, -0.24, 0.58, 4.36]], [[3.0, -6.0, 0.5, 1.0], [0.0, 1.0, 2.0, -1.0], [0.0, 0.0, 1.0, 4.0]]]> : tensor<2x3x4xf64> {tolerance = 1.0e-12 : f64}
  check.expect_eq_const %f#1, dense<[[2, 1, 2], [2, 2, 2]]> : tensor<2x3xi32>
  check.expect_eq_const %f#2, dense<[[2, 1, 0], [2, 0, 1]]> : tensor<2x3xi32>
  func.return
}

// -----

// More rows than columns.
func.func @main() {
  %a = stablehlo.constant dense<[[1.0, 2.0], [-3.0, 4.0], [0.5, -6.0], [3.0, 1.0]]> : tensor<4x2xf64>
  %f:3 = stablehlo.custom_call @LuDecomposition(%a) : (tensor<4x2xf64>) -> (tensor<4x2xf64>, tensor<2xi32>, tensor<4xi32>)
  check.expect_almost_eq_const %f#0, dense<[[-3.0, 4.0], [-0.16666667, -5.33333333], [-0.33333333, -0.625], [-1.0, -0.9375]]> : tensor<4x2xf64> {tolerance = 1.0e-8 : f64}
  check.expect_eq_const %f#1, dense<[1, 2]> : tensor<2xi32>
  check.expect_eq_const %f#2, dense<[1, 2, 0, 3]> : tensor<4xi32>
  func.return
}

// -----

// A column of zeros has no pivot, and is left.
func.func @main() {
  %a = stablehlo.constant dense<[[0.0, 1.0, 2.0], [0.0, 2.0, 4.0], [0.0, -1.0, 1.0]]> : tensor<3x3xf64>
  %f:3 = stablehlo.custom_call @LuDecomposition(%a) : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3xi32>, tensor<3xi32>)
  check.expect_almost_eq_const %f#0, dense<[[0.0, 1.0, 2.0], [0.0, 2.0, 4.0], [0.0, -0.5, 3.0]]> : tensor<3x3xf64> {tolerance = 1.0e-12 : f64}
  check.expect_eq_const %f#1, dense<[0, 1, 2]> : tensor<3xi32>
  check.expect_eq_const %f#2, dense<[0, 1, 2]> : tensor<3xi32>
  func.return
}
