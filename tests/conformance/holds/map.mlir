// RUN: systolic conformance --interpret

// Elementwise ops and constants.
func.func @main() {
  %x = stablehlo.constant dense<[[0.0, 1.0], [2.0, -3.0]]> : tensor<2x2xf32>
  %y = "stablehlo.map"(%x, %x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %half = stablehlo.constant dense<0.5> : tensor<f32>
      %p = stablehlo.multiply %a, %half : tensor<f32>
      %less = stablehlo.compare LT, %p, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
  }) {dimensions = array<i64: 0, 1>} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xi1>
  check.expect_eq_const %y, dense<[[false, true], [true, false]]> : tensor<2x2xi1>
  func.return
}

// -----

// Only a constant; a value from outside; a loop in each element: the number of times that it halves.
func.func @main() {
  %x = stablehlo.constant dense<[1, 5, 8, 100]> : tensor<4xi64>
  %k = "stablehlo.map"(%x) ({
    ^bb0(%a: tensor<i64>):
      %seven = stablehlo.constant dense<7> : tensor<i64>
      stablehlo.return %seven : tensor<i64>
  }) {dimensions = array<i64: 0>} : (tensor<4xi64>) -> tensor<4xi64>
  check.expect_eq_const %k, dense<7> : tensor<4xi64>
  %two = stablehlo.constant dense<2> : tensor<i64>
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %y = "stablehlo.map"(%x) ({
    ^bb0(%a: tensor<i64>):
      %r:2 = stablehlo.while(%n = %a, %count = %zero) : tensor<i64>, tensor<i64>
        cond {
          %more = stablehlo.compare GT, %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
          stablehlo.return %more : tensor<i1>
        } do {
          %m = stablehlo.divide %n, %two : tensor<i64>
          %next = stablehlo.add %count, %one : tensor<i64>
          stablehlo.return %m, %next : tensor<i64>, tensor<i64>
        }
      stablehlo.return %r#1 : tensor<i64>
  }) {dimensions = array<i64: 0>} : (tensor<4xi64>) -> tensor<4xi64>
  check.expect_eq_const %y, dense<[0, 2, 3, 6]> : tensor<4xi64>
  func.return
}
