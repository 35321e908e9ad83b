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

// -----

// The sum of the whole numbers below ten, by a loop.
func.func @main() {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %sums:2 = stablehlo.while(%i = %zero, %sum = %zero) : tensor<i64>, tensor<i64>
   cond {
    %ten = stablehlo.constant dense<10> : tensor<i64>
    %more = stablehlo.compare LT, %i, %ten, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i64>
    %next = stablehlo.add %i, %one : tensor<i64>
    %total = stablehlo.add %sum, %i : tensor<i64>
    stablehlo.return %next, %total : tensor<i64>, tensor<i64>
  }
  check.expect_eq_const %sums#1, dense<45> : tensor<i64>
  func.return
}
