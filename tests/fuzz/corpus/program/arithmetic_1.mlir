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
  func.return
}
