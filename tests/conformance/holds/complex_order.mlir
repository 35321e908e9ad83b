// RUN: systolic conformance --interpret

// Complex numbers in order: by their real parts, then by the imaginary ones. NaN is in no order.

func.func @main() {
  %a = stablehlo.constant dense<[(1.0, 5.0), (2.0, 1.0), (2.0, 3.0), (2.0, 3.0), (0x7FC00000, 0.0)]> : tensor<5xcomplex<f32>>
  %b = stablehlo.constant dense<[(2.0, 0.0), (2.0, 3.0), (2.0, 1.0), (2.0, 3.0), (1.0, 0.0)]> : tensor<5xcomplex<f32>>
  %lt = stablehlo.compare LT, %a, %b, FLOAT : (tensor<5xcomplex<f32>>, tensor<5xcomplex<f32>>) -> tensor<5xi1>
  check.expect_eq_const %lt, dense<[true, true, false, false, false]> : tensor<5xi1>
  %le = stablehlo.compare LE, %a, %b, FLOAT : (tensor<5xcomplex<f32>>, tensor<5xcomplex<f32>>) -> tensor<5xi1>
  check.expect_eq_const %le, dense<[true, true, false, true, false]> : tensor<5xi1>
  %gt = stablehlo.compare GT, %a, %b, FLOAT : (tensor<5xcomplex<f32>>, tensor<5xcomplex<f32>>) -> tensor<5xi1>
  check.expect_eq_const %gt, dense<[false, false, true, false, false]> : tensor<5xi1>
  %ge = stablehlo.compare GE, %a, %b, FLOAT : (tensor<5xcomplex<f32>>, tensor<5xcomplex<f32>>) -> tensor<5xi1>
  check.expect_eq_const %ge, dense<[false, false, true, true, false]> : tensor<5xi1>
  func.return
}
