// One that is right and one that is not.
func.func @right(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.abs %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @iota_c1() -> tensor<2xi32> {
  // expected-error@+1 {{iota dimension}}
  %0 = stablehlo.iota dim = 1 : tensor<2xi32>
  return %0 : tensor<2xi32>
}
