// RUN: systolic conformance --interpret

// Products and convolutions of two numbers whose results are wider than they are: rounded or wrapped as the wide type
// has it, never as the narrow one.
func.func @main() {
  %a = stablehlo.constant dense<[[100, 100]]> : tensor<1x2xi8>
  %b = stablehlo.constant dense<[[3], [5]]> : tensor<2x1xi8>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x2xi8>, tensor<2x1xi8>) -> tensor<1x1xi16>
  check.expect_eq_const %0, dense<800> : tensor<1x1xi16>
  %c = stablehlo.reshape %a : (tensor<1x2xi8>) -> tensor<1x1x1x2xi8>
  %d = stablehlo.reshape %b : (tensor<2x1xi8>) -> tensor<1x1x2x1xi8>
  %1 = stablehlo.convolution(%c, %d) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x1x1x2xi8>, tensor<1x1x2x1xi8>) -> tensor<1x1x1x1xi16>
  check.expect_eq_const %1, dense<800> : tensor<1x1x1x1xi16>
  func.return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[[100, 100]]> : tensor<1x2xi8>
  %b = stablehlo.constant dense<[[3], [5]]> : tensor<2x1xi8>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x2xi8>, tensor<2x1xi8>) -> tensor<1x1xi64>
  check.expect_eq_const %0, dense<800> : tensor<1x1xi64>
  %c = stablehlo.reshape %a : (tensor<1x2xi8>) -> tensor<1x1x1x2xi8>
  %d = stablehlo.reshape %b : (tensor<2x1xi8>) -> tensor<1x1x2x1xi8>
  %1 = stablehlo.convolution(%c, %d) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x1x1x2xi8>, tensor<1x1x2x1xi8>) -> tensor<1x1x1x1xi64>
  check.expect_eq_const %1, dense<800> : tensor<1x1x1x1xi64>
  func.return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[[100, 100]]> : tensor<1x2xi8>
  %b = stablehlo.constant dense<[[3], [5]]> : tensor<2x1xi8>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x2xi8>, tensor<2x1xi8>) -> tensor<1x1xi32>
  check.expect_eq_const %0, dense<800> : tensor<1x1xi32>
  %c = stablehlo.reshape %a : (tensor<1x2xi8>) -> tensor<1x1x1x2xi8>
  %d = stablehlo.reshape %b : (tensor<2x1xi8>) -> tensor<1x1x2x1xi8>
  %1 = stablehlo.convolution(%c, %d) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x1x1x2xi8>, tensor<1x1x2x1xi8>) -> tensor<1x1x1x1xi32>
  check.expect_eq_const %1, dense<800> : tensor<1x1x1x1xi32>
  func.return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[[1000, 1000]]> : tensor<1x2xi16>
  %b = stablehlo.constant dense<[[300], [500]]> : tensor<2x1xi16>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x2xi16>, tensor<2x1xi16>) -> tensor<1x1xi32>
  check.expect_eq_const %0, dense<800000> : tensor<1x1xi32>
  %c = stablehlo.reshape %a : (tensor<1x2xi16>) -> tensor<1x1x1x2xi16>
  %d = stablehlo.reshape %b : (tensor<2x1xi16>) -> tensor<1x1x2x1xi16>
  %1 = stablehlo.convolution(%c, %d) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x1x1x2xi16>, tensor<1x1x2x1xi16>) -> tensor<1x1x1x1xi32>
  check.expect_eq_const %1, dense<800000> : tensor<1x1x1x1xi32>
  func.return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[[2000000000, 5]]> : tensor<1x2xi32>
  %b = stablehlo.constant dense<[[3], [5]]> : tensor<2x1xi32>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x2xi32>, tensor<2x1xi32>) -> tensor<1x1xi64>
  check.expect_eq_const %0, dense<6000000025> : tensor<1x1xi64>
  %c = stablehlo.reshape %a : (tensor<1x2xi32>) -> tensor<1x1x1x2xi32>
  %d = stablehlo.reshape %b : (tensor<2x1xi32>) -> tensor<1x1x2x1xi32>
  %1 = stablehlo.convolution(%c, %d) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x1x1x2xi32>, tensor<1x1x2x1xi32>) -> tensor<1x1x1x1xi64>
  check.expect_eq_const %1, dense<6000000025> : tensor<1x1x1x1xi64>
  func.return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[[200, 200]]> : tensor<1x2xui8>
  %b = stablehlo.constant dense<[[3], [5]]> : tensor<2x1xui8>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x2xui8>, tensor<2x1xui8>) -> tensor<1x1xui32>
  check.expect_eq_const %0, dense<1600> : tensor<1x1xui32>
  %c = stablehlo.reshape %a : (tensor<1x2xui8>) -> tensor<1x1x1x2xui8>
  %d = stablehlo.reshape %b : (tensor<2x1xui8>) -> tensor<1x1x2x1xui8>
  %1 = stablehlo.convolution(%c, %d) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x1x1x2xui8>, tensor<1x1x2x1xui8>) -> tensor<1x1x1x1xui32>
  check.expect_eq_const %1, dense<1600> : tensor<1x1x1x1xui32>
  func.return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[[60000, 1]]> : tensor<1x2xui16>
  %b = stablehlo.constant dense<[[60000], [1]]> : tensor<2x1xui16>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x2xui16>, tensor<2x1xui16>) -> tensor<1x1xui64>
  check.expect_eq_const %0, dense<3600000001> : tensor<1x1xui64>
  %c = stablehlo.reshape %a : (tensor<1x2xui16>) -> tensor<1x1x1x2xui16>
  %d = stablehlo.reshape %b : (tensor<2x1xui16>) -> tensor<1x1x2x1xui16>
  %1 = stablehlo.convolution(%c, %d) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x1x1x2xui16>, tensor<1x1x2x1xui16>) -> tensor<1x1x1x1xui64>
  check.expect_eq_const %1, dense<3600000001> : tensor<1x1x1x1xui64>
  func.return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[[7, 7]]> : tensor<1x2xi4>
  %b = stablehlo.constant dense<[[7], [7]]> : tensor<2x1xi4>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x2xi4>, tensor<2x1xi4>) -> tensor<1x1xi32>
  check.expect_eq_const %0, dense<98> : tensor<1x1xi32>
  %c = stablehlo.reshape %a : (tensor<1x2xi4>) -> tensor<1x1x1x2xi4>
  %d = stablehlo.reshape %b : (tensor<2x1xi4>) -> tensor<1x1x2x1xi4>
  %1 = stablehlo.convolution(%c, %d) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x1x1x2xi4>, tensor<1x1x2x1xi4>) -> tensor<1x1x1x1xi32>
  check.expect_eq_const %1, dense<98> : tensor<1x1x1x1xi32>
  func.return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[[1.0078125, 1.0]]> : tensor<1x2xbf16>
  %b = stablehlo.constant dense<[[1.0078125], [1.0]]> : tensor<2x1xbf16>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x2xbf16>, tensor<2x1xbf16>) -> tensor<1x1xf32>
  check.expect_eq_const %0, dense<2.01568603515625> : tensor<1x1xf32>
  %c = stablehlo.reshape %a : (tensor<1x2xbf16>) -> tensor<1x1x1x2xbf16>
  %d = stablehlo.reshape %b : (tensor<2x1xbf16>) -> tensor<1x1x2x1xbf16>
  %1 = stablehlo.convolution(%c, %d) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x1x1x2xbf16>, tensor<1x1x2x1xbf16>) -> tensor<1x1x1x1xf32>
  check.expect_eq_const %1, dense<2.01568603515625> : tensor<1x1x1x1xf32>
  func.return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[[1.0009765625, 1.0]]> : tensor<1x2xf16>
  %b = stablehlo.constant dense<[[1.0009765625], [1.0]]> : tensor<2x1xf16>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x2xf16>, tensor<2x1xf16>) -> tensor<1x1xf32>
  check.expect_eq_const %0, dense<2.001954078674316406> : tensor<1x1xf32>
  %c = stablehlo.reshape %a : (tensor<1x2xf16>) -> tensor<1x1x1x2xf16>
  %d = stablehlo.reshape %b : (tensor<2x1xf16>) -> tensor<1x1x2x1xf16>
  %1 = stablehlo.convolution(%c, %d) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x1x1x2xf16>, tensor<1x1x2x1xf16>) -> tensor<1x1x1x1xf32>
  check.expect_eq_const %1, dense<2.001954078674316406> : tensor<1x1x1x1xf32>
  func.return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[[1.0078125, 1.0]]> : tensor<1x2xbf16>
  %b = stablehlo.constant dense<[[1.0078125], [1.0]]> : tensor<2x1xbf16>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x2xbf16>, tensor<2x1xbf16>) -> tensor<1x1xf64>
  check.expect_eq_const %0, dense<2.01568603515625> : tensor<1x1xf64>
  %c = stablehlo.reshape %a : (tensor<1x2xbf16>) -> tensor<1x1x1x2xbf16>
  %d = stablehlo.reshape %b : (tensor<2x1xbf16>) -> tensor<1x1x2x1xbf16>
  %1 = stablehlo.convolution(%c, %d) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x1x1x2xbf16>, tensor<1x1x2x1xbf16>) -> tensor<1x1x1x1xf64>
  check.expect_eq_const %1, dense<2.01568603515625> : tensor<1x1x1x1xf64>
  func.return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[[1.00000011920928955078125, 1.0]]> : tensor<1x2xf32>
  %b = stablehlo.constant dense<[[1.00000011920928955078125], [1.0]]> : tensor<2x1xf32>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x2xf32>, tensor<2x1xf32>) -> tensor<1x1xf64>
  check.expect_eq_const %0, dense<2.00000023841859323760> : tensor<1x1xf64>
  %c = stablehlo.reshape %a : (tensor<1x2xf32>) -> tensor<1x1x1x2xf32>
  %d = stablehlo.reshape %b : (tensor<2x1xf32>) -> tensor<1x1x2x1xf32>
  %1 = stablehlo.convolution(%c, %d) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x1x1x2xf32>, tensor<1x1x2x1xf32>) -> tensor<1x1x1x1xf64>
  check.expect_eq_const %1, dense<2.00000023841859323760> : tensor<1x1x1x1xf64>
  func.return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[[300.0, 300.0]]> : tensor<1x2xf16>
  %b = stablehlo.constant dense<[[300.0], [300.0]]> : tensor<2x1xf16>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x2xf16>, tensor<2x1xf16>) -> tensor<1x1xbf16>
  check.expect_eq_const %0, dense<180224.0> : tensor<1x1xbf16>
  %c = stablehlo.reshape %a : (tensor<1x2xf16>) -> tensor<1x1x1x2xf16>
  %d = stablehlo.reshape %b : (tensor<2x1xf16>) -> tensor<1x1x2x1xf16>
  %1 = stablehlo.convolution(%c, %d) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x1x1x2xf16>, tensor<1x1x2x1xf16>) -> tensor<1x1x1x1xbf16>
  check.expect_eq_const %1, dense<180224.0> : tensor<1x1x1x1xbf16>
  func.return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[[1.25, 1.25]]> : tensor<1x2xf8E5M2>
  %b = stablehlo.constant dense<[[1.25], [1.25]]> : tensor<2x1xf8E5M2>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x2xf8E5M2>, tensor<2x1xf8E5M2>) -> tensor<1x1xf32>
  check.expect_eq_const %0, dense<3.125> : tensor<1x1xf32>
  %c = stablehlo.reshape %a : (tensor<1x2xf8E5M2>) -> tensor<1x1x1x2xf8E5M2>
  %d = stablehlo.reshape %b : (tensor<2x1xf8E5M2>) -> tensor<1x1x2x1xf8E5M2>
  %1 = stablehlo.convolution(%c, %d) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x1x1x2xf8E5M2>, tensor<1x1x2x1xf8E5M2>) -> tensor<1x1x1x1xf32>
  check.expect_eq_const %1, dense<3.125> : tensor<1x1x1x1xf32>
  func.return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[[1.25, 1.25]]> : tensor<1x2xf8E5M2>
  %b = stablehlo.constant dense<[[1.25], [1.25]]> : tensor<2x1xf8E5M2>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x2xf8E5M2>, tensor<2x1xf8E5M2>) -> tensor<1x1xbf16>
  check.expect_eq_const %0, dense<3.125> : tensor<1x1xbf16>
  %c = stablehlo.reshape %a : (tensor<1x2xf8E5M2>) -> tensor<1x1x1x2xf8E5M2>
  %d = stablehlo.reshape %b : (tensor<2x1xf8E5M2>) -> tensor<1x1x2x1xf8E5M2>
  %1 = stablehlo.convolution(%c, %d) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x1x1x2xf8E5M2>, tensor<1x1x2x1xf8E5M2>) -> tensor<1x1x1x1xbf16>
  check.expect_eq_const %1, dense<3.125> : tensor<1x1x1x1xbf16>
  func.return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[[1.125, 1.125]]> : tensor<1x2xf8E4M3FN>
  %b = stablehlo.constant dense<[[1.125], [1.125]]> : tensor<2x1xf8E4M3FN>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x2xf8E4M3FN>, tensor<2x1xf8E4M3FN>) -> tensor<1x1xf32>
  check.expect_eq_const %0, dense<2.53125> : tensor<1x1xf32>
  %c = stablehlo.reshape %a : (tensor<1x2xf8E4M3FN>) -> tensor<1x1x1x2xf8E4M3FN>
  %d = stablehlo.reshape %b : (tensor<2x1xf8E4M3FN>) -> tensor<1x1x2x1xf8E4M3FN>
  %1 = stablehlo.convolution(%c, %d) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x1x1x2xf8E4M3FN>, tensor<1x1x2x1xf8E4M3FN>) -> tensor<1x1x1x1xf32>
  check.expect_eq_const %1, dense<2.53125> : tensor<1x1x1x1xf32>
  func.return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[[1.125, 1.125]]> : tensor<1x2xf8E4M3FNUZ>
  %b = stablehlo.constant dense<[[1.125], [1.125]]> : tensor<2x1xf8E4M3FNUZ>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x2xf8E4M3FNUZ>, tensor<2x1xf8E4M3FNUZ>) -> tensor<1x1xf32>
  check.expect_eq_const %0, dense<2.53125> : tensor<1x1xf32>
  %c = stablehlo.reshape %a : (tensor<1x2xf8E4M3FNUZ>) -> tensor<1x1x1x2xf8E4M3FNUZ>
  %d = stablehlo.reshape %b : (tensor<2x1xf8E4M3FNUZ>) -> tensor<1x1x2x1xf8E4M3FNUZ>
  %1 = stablehlo.convolution(%c, %d) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x1x1x2xf8E4M3FNUZ>, tensor<1x1x2x1xf8E4M3FNUZ>) -> tensor<1x1x1x1xf32>
  check.expect_eq_const %1, dense<2.53125> : tensor<1x1x1x1xf32>
  func.return
}
