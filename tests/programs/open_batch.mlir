// A dense layer over a batch of any size.
module @dense {
  func.func public @main(%x: tensor<?x1024xf32>, %kernel: tensor<1024x4096xf32>) -> tensor<?x4096xf32> {
    %y = stablehlo.dot_general %x, %kernel, contracting_dims = [1] x [0] : (tensor<?x1024xf32>, tensor<1024x4096xf32>) -> tensor<?x4096xf32>
    %z = stablehlo.tanh %y : tensor<?x4096xf32>
    return %z : tensor<?x4096xf32>
  }
}
