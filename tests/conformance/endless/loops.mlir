// RUN: stablehlo-translate --interpret %s

// It never leaves its loop.
func.func @main() {
  %0 = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.while(%i = %0) : tensor<i32>
  cond {
    %c = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.add %i, %i : tensor<i32>
    stablehlo.return %j : tensor<i32>
  }
  check.expect_eq_const %1, dense<1> : tensor<i32>
  func.return
}
