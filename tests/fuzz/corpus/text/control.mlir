func.func @main(%n: tensor<i32>) -> (tensor<i32>, tensor<3xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %v = stablehlo.constant dense<[3.0, 1.0, 2.0]> : tensor<3xf32>
  %sums:2 = stablehlo.while(%i = %zero, %sum = %v) : tensor<i32>, tensor<3xf32>
   cond {
    %ten = stablehlo.constant dense<5> : tensor<i32>
    %more = stablehlo.compare LT, %i, %ten, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %sorted = "stablehlo.sort"(%sum) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.compare LT, %p, %q, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %s : tensor<i1>
    }) : (tensor<3xf32>) -> tensor<3xf32>
    stablehlo.return %next, %sorted : tensor<i32>, tensor<3xf32>
  }
  %b = "stablehlo.case"(%n) ({
    stablehlo.return %v : tensor<3xf32>
  }, {
    stablehlo.return %sums#1 : tensor<3xf32>
  }) : (tensor<i32>) -> tensor<3xf32>
  func.return %sums#0, %b : tensor<i32>, tensor<3xf32>
}
