// RUN: stablehlo-opt --chlo-legalize-to-stablehlo --split-input-file %s | FileCheck %s

func.func @known(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = chlo.asin %x : tensor<3xf32> -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

func.func @open(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = chlo.asin %x : tensor<?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @wrong(%x: tensor<2x3xf32>, %y: tensor<3x3xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{shapes that fit}}
  %z = chlo.broadcast_add %x, %y : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  return %z : tensor<2x3xf32>
}

// -----

func.func @too_many_axes(%x: tensor<1x4xf32>, %y: tensor<4xf32>) -> tensor<1x4xf32> {
  // expected-error @+1 {{broadcast_dimensions}}
  %z = chlo.broadcast_add %x, %y {broadcast_dimensions = array<i64: 0, 1>} : (tensor<1x4xf32>, tensor<4xf32>) -> tensor<1x4xf32>
  return %z : tensor<1x4xf32>
}
