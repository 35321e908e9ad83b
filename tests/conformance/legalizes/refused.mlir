// RUN: stablehlo-opt --chlo-legalize-to-stablehlo %s | FileCheck %s

func.func @too_many(%x: tensor<3xf32>) -> (tensor<5xf32>, tensor<5xi32>) {
  %y:2 = chlo.top_k(%x, k = 5) : tensor<3xf32> -> (tensor<5xf32>, tensor<5xi32>)
  return %y#0, %y#1 : tensor<5xf32>, tensor<5xi32>
}
