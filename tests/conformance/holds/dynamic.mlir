// RUN: systolic conformance --interpret

// Sizes that follow from the shape of an argument and from constants.
func.func @main() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  call @twice(%x) : (tensor<3xf32>) -> ()
  func.return
}
func.func private @twice(%x: tensor<3xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<3xf32>) -> tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %both = stablehlo.multiply %n, %two : tensor<i32>
  %both1 = stablehlo.reshape %both : (tensor<i32>) -> tensor<1xi32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %two1 = stablehlo.constant dense<2> : tensor<1xi32>
  %shape = stablehlo.concatenate %two1, %n1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %rows = stablehlo.dynamic_broadcast_in_dim %x, %shape, dims = [1] : (tensor<3xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %flat = stablehlo.dynamic_reshape %rows, %both1 : (tensor<?x?xf32>, tensor<1xi32>) -> tensor<?xf32>
  %count = stablehlo.dynamic_iota %both1, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
  %sum = stablehlo.add %flat, %count : tensor<?xf32>
  %zero = stablehlo.constant dense<0> : tensor<1xi32>
  %slice = stablehlo.real_dynamic_slice %sum, %zero, %both1, %two1 : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  %pad = stablehlo.constant dense<9.0> : tensor<f32>
  %padded = stablehlo.dynamic_pad %slice, %pad, %two1, %zero, %zero : (tensor<?xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  %five = stablehlo.constant dense<5> : tensor<1xi32>
  %known = stablehlo.dynamic_reshape %padded, %five : (tensor<?xf32>, tensor<1xi32>) -> tensor<5xf32>
  check.expect_eq_const %known, dense<[9.0, 9.0, 1.0, 5.0, 6.0]> : tensor<5xf32>
  func.return
}
