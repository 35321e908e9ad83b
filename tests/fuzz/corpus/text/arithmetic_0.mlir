// RUN: systolic conformance --interpret

func.func @main() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %y = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %y, dense<[[7.0, 10.0], [15.0, 22.0]]> : tensor<2x2xf32>
  %third = stablehlo.constant dense<0.333333> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %three = stablehlo.constant dense<3.0> : tensor<f32>
  %quotient = stablehlo.divide %one, %three : tensor<f32>
  check.expect_almost_eq %quotient, %third : tensor<f32>
  func.return
}
