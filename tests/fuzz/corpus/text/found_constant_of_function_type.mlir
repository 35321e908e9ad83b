func.func @makn() {
  %a = stablehlo.constant dense<[[2.0, 5.0, -1.0], [0.5, -1.5, 3.0], [1.0, 0.25,+4gonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  func.return
}
