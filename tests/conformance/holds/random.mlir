// RUN: systolic conformance --interpret

// Each op its own numbers, within the bounds; the mean of many, and of their squares.
func.func @main() {
  %low = stablehlo.constant dense<-2.0> : tensor<f32>
  %high = stablehlo.constant dense<6.0> : tensor<f32>
  %shape = stablehlo.constant dense<[100, 1000]> : tensor<2xi64>
  %u = stablehlo.rng %low, %high, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<100x1000xf32>
  %v = stablehlo.rng %low, %high, %shape, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<100x1000xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %count = stablehlo.constant dense<100000.0> : tensor<f32>
  %sum = stablehlo.reduce(%u init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<100x1000xf32>, tensor<f32>) -> tensor<f32>
  %mean = stablehlo.divide %sum, %count : tensor<f32>
  // Five standard errors of the mean: 5 * 8 / sqrt(12 * 100000) = 0.037.
  check.expect_almost_eq_const %mean, dense<2.0> : tensor<f32> {tolerance = 0.037 : f64}
  %largest_init = stablehlo.constant dense<-1.0e+9> : tensor<f32>
  %largest = stablehlo.reduce(%u init: %largest_init) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<100x1000xf32>, tensor<f32>) -> tensor<f32>
  check.expect_almost_eq_const %largest, dense<6.0> : tensor<f32> {tolerance = 0.001 : f64}
  %below = stablehlo.compare LT, %largest, %high : (tensor<f32>, tensor<f32>) -> tensor<i1>
  check.expect_eq_const %below, dense<true> : tensor<i1>
  %normal_sum = stablehlo.reduce(%v init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<100x1000xf32>, tensor<f32>) -> tensor<f32>
  %normal_mean = stablehlo.divide %normal_sum, %count : tensor<f32>
  // 5 * 6 / sqrt(100000) = 0.095.
  check.expect_almost_eq_const %normal_mean, dense<-2.0> : tensor<f32> {tolerance = 0.095 : f64}
  %mean_everywhere = stablehlo.broadcast_in_dim %low, dims = [] : (tensor<f32>) -> tensor<100x1000xf32>
  %away = stablehlo.subtract %v, %mean_everywhere : tensor<100x1000xf32>
  %squares = stablehlo.multiply %away, %away : tensor<100x1000xf32>
  %square_sum = stablehlo.reduce(%squares init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<100x1000xf32>, tensor<f32>) -> tensor<f32>
  %variance = stablehlo.divide %square_sum, %count : tensor<f32>
  // The squares' standard error is 36 * sqrt(2 / 100000) = 0.161.
  check.expect_almost_eq_const %variance, dense<36.0> : tensor<f32> {tolerance = 0.81 : f64}
  func.return
}

// -----

// Integers from -1 to 2: each of them, and no other.
func.func @main() {
  %low = stablehlo.constant dense<-1> : tensor<i32>
  %high = stablehlo.constant dense<3> : tensor<i32>
  %shape = stablehlo.constant dense<[1000]> : tensor<1xi64>
  %u = stablehlo.rng %low, %high, %shape, distribution = UNIFORM : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<1000xi32>
  %big = stablehlo.constant dense<1000> : tensor<i32>
  %small = stablehlo.constant dense<-1000> : tensor<i32>
  %least = stablehlo.reduce(%u init: %big) applies stablehlo.minimum across dimensions = [0] : (tensor<1000xi32>, tensor<i32>) -> tensor<i32>
  %most = stablehlo.reduce(%u init: %small) applies stablehlo.maximum across dimensions = [0] : (tensor<1000xi32>, tensor<i32>) -> tensor<i32>
  check.expect_eq_const %least, dense<-1> : tensor<i32>
  check.expect_eq_const %most, dense<2> : tensor<i32>
  func.return
}
