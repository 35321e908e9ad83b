// RUN: stablehlo-opt --chlo-legalize-to-stablehlo %s | FileCheck %s

func.func @right(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{nothing is wrong with it}}
  %y = chlo.asin %x : tensor<3xf32> -> tensor<3xf32>
  return %y : tensor<3xf32>
}
