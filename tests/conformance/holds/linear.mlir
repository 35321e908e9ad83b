// RUN: systolic conformance --interpret

// L L^T of a chosen L gives L back; what was solved, multiplied with the triangle, gives the right side.

func.func @main() {
  %a = stablehlo.constant dense<[[4.0, 2.0, -2.0], [2.0, 10.0, 0.5], [-2.0, 0.5, 3.5]]> : tensor<3x3xf64>
  %l = stablehlo.cholesky %a, lower = true : tensor<3x3xf64>
  check.expect_almost_eq_const %l, dense<[[2.0, 0.0, 0.0], [1.0, 3.0, 0.0], [-1.0, 0.5, 1.5]]> : tensor<3x3xf64> {tolerance = 1.0e-12 : f64}
  %u = stablehlo.cholesky %a, lower = false : tensor<3x3xf64>
  check.expect_almost_eq_const %u, dense<[[2.0, 1.0, -1.0], [0.0, 3.0, 0.5], [0.0, 0.0, 1.5]]> : tensor<3x3xf64> {tolerance = 1.0e-12 : f64}
  func.return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[[(4.0, 0.0), (2.0, 2.0)], [(2.0, -2.0), (11.0, 0.0)]]> : tensor<2x2xcomplex<f64>>
  %l = stablehlo.cholesky %a, lower = true : tensor<2x2xcomplex<f64>>
  check.expect_almost_eq_const %l, dense<[[(2.0, 0.0), (0.0, 0.0)], [(1.0, -1.0), (3.0, 0.0)]]> : tensor<2x2xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  %u = stablehlo.cholesky %a, lower = false : tensor<2x2xcomplex<f64>>
  check.expect_almost_eq_const %u, dense<[[(2.0, -0.0), (1.0, 1.0)], [(0.0, -0.0), (3.0, -0.0)]]> : tensor<2x2xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  func.return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[[2.0, 5.0, -1.0], [0.5, -1.5, 3.0], [1.0, 0.25, 4.0]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[2.0, 6.0], [3.5, 1.125], [2.5, -0.9375]]> : tensor<3x2xf64>
  %x = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  check.expect_almost_eq_const %x, dense<[[1.0, 3.0], [-2.0, 0.25], [0.5, -1.0]]> : tensor<3x2xf64> {tolerance = 1.0e-12 : f64}
  func.return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[[2.0, 5.0, -1.0], [0.5, -1.5, 3.0], [1.0, 0.25, 4.0]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[0.5, 2.125], [-1.875, 0.0], [0.5, -1.0]]> : tensor<3x2xf64>
  %x = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  check.expect_almost_eq_const %x, dense<[[1.0, 3.0], [-2.0, 0.25], [0.5, -1.0]]> : tensor<3x2xf64> {tolerance = 1.0e-12 : f64}
  func.return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[[2.0, 5.0, -1.0], [0.5, -1.5, 3.0], [1.0, 0.25, 4.0]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[1.5, 5.125], [3.125, -0.625], [2.0, -4.0]]> : tensor<3x2xf64>
  %x = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  check.expect_almost_eq_const %x, dense<[[1.0, 3.0], [-2.0, 0.25], [0.5, -1.0]]> : tensor<3x2xf64> {tolerance = 1.0e-12 : f64}
  func.return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[[2.0, 5.0, -1.0], [0.5, -1.5, 3.0], [1.0, 0.25, 4.0]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[-8.5, 8.25], [4.5, -3.375], [2.0, -4.0]]> : tensor<3x2xf64>
  %x = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  check.expect_almost_eq_const %x, dense<[[1.0, 3.0], [-2.0, 0.25], [0.5, -1.0]]> : tensor<3x2xf64> {tolerance = 1.0e-12 : f64}
  func.return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[[2.0, 5.0, -1.0], [0.5, -1.5, 3.0], [1.0, 0.25, 4.0]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[1.0, 3.0], [3.0, 15.25], [-6.5, -3.25]]> : tensor<3x2xf64>
  %x = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  check.expect_almost_eq_const %x, dense<[[1.0, 3.0], [-2.0, 0.25], [0.5, -1.0]]> : tensor<3x2xf64> {tolerance = 1.0e-12 : f64}
  func.return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[[2.0, 5.0, -1.0], [0.5, -1.5, 3.0], [1.0, 0.25, 4.0]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[2.0, 6.0], [8.0, 14.625], [-5.0, -6.25]]> : tensor<3x2xf64>
  %x = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  check.expect_almost_eq_const %x, dense<[[1.0, 3.0], [-2.0, 0.25], [0.5, -1.0]]> : tensor<3x2xf64> {tolerance = 1.0e-12 : f64}
  func.return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[[2.0, 5.0, -1.0], [0.5, -1.5, 3.0], [1.0, 0.25, 4.0]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[1.5, 3.125, 2.0], [5.125, -0.625, -4.0]]> : tensor<2x3xf64>
  %x = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  check.expect_almost_eq_const %x, dense<[[1.0, -2.0, 0.5], [3.0, 0.25, -1.0]]> : tensor<2x3xf64> {tolerance = 1.0e-12 : f64}
  func.return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[[2.0, 5.0, -1.0], [0.5, -1.5, 3.0], [1.0, 0.25, 4.0]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[1.0, -1.5, 1.0], [3.0, 1.75, 2.0625]]> : tensor<2x3xf64>
  %x = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<3x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  check.expect_almost_eq_const %x, dense<[[1.0, -2.0, 0.5], [3.0, 0.25, -1.0]]> : tensor<2x3xf64> {tolerance = 1.0e-12 : f64}
  func.return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[[2.0, 5.0, -1.0], [0.5, -1.5, 3.0], [1.0, 0.25, 4.0]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[2.0, 3.5, 2.5], [6.0, 1.125, -0.9375]]> : tensor<2x3xf64>
  %x = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<3x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  check.expect_almost_eq_const %x, dense<[[1.0, -2.0, 0.5], [3.0, 0.25, -1.0]]> : tensor<2x3xf64> {tolerance = 1.0e-12 : f64}
  func.return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[[2.0, 5.0, -1.0], [0.5, -1.5, 3.0], [1.0, 0.25, 4.0]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[2.0, 8.0, -5.0], [6.0, 14.625, -6.25]]> : tensor<2x3xf64>
  %x = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  check.expect_almost_eq_const %x, dense<[[1.0, -2.0, 0.5], [3.0, 0.25, -1.0]]> : tensor<2x3xf64> {tolerance = 1.0e-12 : f64}
  func.return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[[2.0, 5.0, -1.0], [0.5, -1.5, 3.0], [1.0, 0.25, 4.0]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[-9.5, -0.5, 0.5], [5.25, -2.75, -1.0]]> : tensor<2x3xf64>
  %x = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<3x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  check.expect_almost_eq_const %x, dense<[[1.0, -2.0, 0.5], [3.0, 0.25, -1.0]]> : tensor<2x3xf64> {tolerance = 1.0e-12 : f64}
  func.return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[[2.0, 5.0, -1.0], [0.5, -1.5, 3.0], [1.0, 0.25, 4.0]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[-8.5, 4.5, 2.0], [8.25, -3.375, -4.0]]> : tensor<2x3xf64>
  %x = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<3x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  check.expect_almost_eq_const %x, dense<[[1.0, -2.0, 0.5], [3.0, 0.25, -1.0]]> : tensor<2x3xf64> {tolerance = 1.0e-12 : f64}
  func.return
}
