func.func @taken(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{nothing is wrong here}}
  %0 = stablehlo.abs %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @refused() -> tensor<2xi32> {
  %0 = stablehlo.iota dim = 2 : tensor<2xi32>
  return %0 : tensor<2xi32>
}
