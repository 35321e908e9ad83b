// RUN: systolic conformance --interpret

// A fold takes its elements in their order: of equal maxima a body that keeps the left one gives the first.
func.func @main() {
  %at = stablehlo.iota dim = 1 : tensor<2x64xi32>
  %row = stablehlo.iota dim = 0 : tensor<2x64xi32>
  %early = stablehlo.constant dense<5> : tensor<2x64xi32>
  %late = stablehlo.constant dense<33> : tensor<2x64xi32>
  %shift = stablehlo.add %early, %row : tensor<2x64xi32>
  %is_early = stablehlo.compare EQ, %at, %shift : (tensor<2x64xi32>, tensor<2x64xi32>) -> tensor<2x64xi1>
  %is_late = stablehlo.compare EQ, %at, %late : (tensor<2x64xi32>, tensor<2x64xi32>) -> tensor<2x64xi1>
  %either = stablehlo.or %is_early, %is_late : tensor<2x64xi1>
  %x = stablehlo.convert %either : (tensor<2x64xi1>) -> tensor<2x64xf32>
  %least = stablehlo.constant dense<-1.0> : tensor<f32>
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %first:2 = "stablehlo.reduce"(%x, %at, %least, %none) ({
    ^bb0(%a: tensor<f32>, %i: tensor<i32>, %b: tensor<f32>, %k: tensor<i32>):
      %left = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %value = stablehlo.select %left, %a, %b : tensor<i1>, tensor<f32>
      %place = stablehlo.select %left, %i, %k : tensor<i1>, tensor<i32>
      stablehlo.return %value, %place : tensor<f32>, tensor<i32>
  }) {dimensions = array<i64: 1>} : (tensor<2x64xf32>, tensor<2x64xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
  check.expect_eq_const %first#0, dense<[1.0, 1.0]> : tensor<2xf32>
  check.expect_eq_const %first#1, dense<[5, 6]> : tensor<2xi32>
  %last:2 = "stablehlo.reduce"(%x, %at, %least, %none) ({
    ^bb0(%a: tensor<f32>, %i: tensor<i32>, %b: tensor<f32>, %k: tensor<i32>):
      %left = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %value = stablehlo.select %left, %a, %b : tensor<i1>, tensor<f32>
      %place = stablehlo.select %left, %i, %k : tensor<i1>, tensor<i32>
      stablehlo.return %value, %place : tensor<f32>, tensor<i32>
  }) {dimensions = array<i64: 1>} : (tensor<2x64xf32>, tensor<2x64xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
  check.expect_eq_const %last#1, dense<[33, 33]> : tensor<2xi32>
  func.return
}
