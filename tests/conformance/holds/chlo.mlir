// RUN: systolic conformance --chlo-legalize-to-stablehlo --interpret

// Expected values by Python's math and cmath, by series and by bisection, in double precision.

func.func @main() {
  %x = stablehlo.constant dense<[-0.75, -0.1, 0.0, 0.3, 0.9, 1.0, -1.0]> : tensor<7xf64>
  %y = chlo.acos %x : tensor<7xf64> -> tensor<7xf64>
  check.expect_almost_eq_const %y, dense<[2.4188584057763776, 1.6709637479564565, 1.5707963267948966, 1.2661036727794992, 0.45102681179626236, 0.0, 3.141592653589793]> : tensor<7xf64> {tolerance = 1.0e-12 : f64}
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[-0.75, -0.1, 0.0, 0.3, 0.9, 1.0, -1.0]> : tensor<7xf64>
  %y = chlo.asin %x : tensor<7xf64> -> tensor<7xf64>
  check.expect_almost_eq_const %y, dense<[-0.848062078981481, -0.1001674211615598, 0.0, 0.3046926540153975, 1.1197695149986342, 1.5707963267948966, -1.5707963267948966]> : tensor<7xf64> {tolerance = 1.0e-12 : f64}
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[-2.5, -0.75, -0.1, 0.0, 0.3, 0.9, 1.5, 3.25]> : tensor<8xf64>
  %y = chlo.atan %x : tensor<8xf64> -> tensor<8xf64>
  check.expect_almost_eq_const %y, dense<[-1.1902899496825317, -0.6435011087932844, -0.09966865249116204, 0.0, 0.2914567944778671, 0.7328151017865066, 0.982793723247329, 1.2722973952087173]> : tensor<8xf64> {tolerance = 1.0e-12 : f64}
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[1.0, 1.5, 3.25, 1.0e+200]> : tensor<4xf64>
  %y = chlo.acosh %x : tensor<4xf64> -> tensor<4xf64>
  check.expect_almost_eq_const %y, dense<[0.0, 0.9624236501192069, 1.8472460857138377, 461.2101657793691]> : tensor<4xf64> {tolerance = 1.0e-12 : f64}
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[-2.5, -0.75, -0.1, 0.0, 0.3, 0.9, 1.5, 3.25, 1.0e+200, -1.0e-200]> : tensor<10xf64>
  %y = chlo.asinh %x : tensor<10xf64> -> tensor<10xf64>
  check.expect_almost_eq_const %y, dense<[-1.6472311463710958, -0.6931471805599453, -0.09983407889920758, 0.0, 0.29567304756342244, 0.8088669356527824, 1.1947632172871094, 1.894672135423041, 461.2101657793691, -1.0e-200]> : tensor<10xf64> {tolerance = 1.0e-12 : f64}
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[-0.75, -0.1, 0.0, 0.3, 0.9]> : tensor<5xf64>
  %y = chlo.atanh %x : tensor<5xf64> -> tensor<5xf64>
  check.expect_almost_eq_const %y, dense<[-0.9729550745276566, -0.10033534773107558, 0.0, 0.30951960420311175, 1.4722194895832204]> : tensor<5xf64> {tolerance = 1.0e-12 : f64}
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[-2.5, -0.75, -0.1, 0.0, 0.3, 0.9, 1.5, 3.25]> : tensor<8xf64>
  %y = chlo.sinh %x : tensor<8xf64> -> tensor<8xf64>
  check.expect_almost_eq_const %y, dense<[-6.0502044810397875, -0.82231673193583, -0.10016675001984403, 0.0, 0.3045202934471426, 1.0265167257081753, 2.1292794550948173, 12.87578285468067]> : tensor<8xf64> {tolerance = 1.0e-12 : f64}
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[-2.5, -0.75, -0.1, 0.0, 0.3, 0.9, 1.5, 3.25]> : tensor<8xf64>
  %y = chlo.cosh %x : tensor<8xf64> -> tensor<8xf64>
  check.expect_almost_eq_const %y, dense<[6.132289479663686, 1.2946832846768448, 1.0050041680558035, 1.0, 1.0453385141288605, 1.4330863854487745, 2.352409615243247, 12.914557062512392]> : tensor<8xf64> {tolerance = 1.0e-12 : f64}
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[-2.5, -0.75, -0.1, 0.0, 0.3, 0.9, 1.5, 3.25, 9.5, 30.0]> : tensor<10xf64>
  %y = chlo.erfc %x : tensor<10xf64> -> tensor<10xf64>
  check.expect_almost_eq_const %y, dense<[1.999593047982555, 1.7111556336535152, 1.1124629160182848, 1.0, 0.6713732405408726, 0.20309178757716786, 0.033894853524689274, 4.302779463675122e-06, 3.76921448565488e-41, 0.0]> : tensor<10xf64> {tolerance = 1.0e-12 : f64}
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[-0.99, -0.5, 0.1, 0.7, 0.9999, 1.0]> : tensor<6xf64>
  %y = chlo.erf_inv %x : tensor<6xf64> -> tensor<6xf64>
  check.expect_almost_eq_const %y, dense<[-1.8213863677184507, -0.47693627620447, 0.08885599049425769, 0.7328690779592166, 2.751063905711985, 0x7FF0000000000000]> : tensor<6xf64> {tolerance = 1.0e-12 : f64}
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[-2.5, -0.75, -0.1, 0.3, 0.9, 1.5, 3.25, 100.5, 0x7FF0000000000000]> : tensor<9xf64>
  %y = chlo.lgamma %x : tensor<9xf64> -> tensor<9xf64>
  check.expect_almost_eq_const %y, dense<[-0.05624371649767457, 1.5757045971498589, 2.3689613327287886, 1.0957979948180752, 0.0663762397347431, -0.12078223763524543, 0.9358019311087249, 361.4355404677776, 0x7FF0000000000000]> : tensor<9xf64> {tolerance = 1.0e-11 : f64}
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[-2.5, -0.75, -0.1, 0.0, 0.3, 0.9, 1.5, 3.25]> : tensor<8xf64>
  %y = chlo.digamma %x : tensor<8xf64> -> tensor<8xf64>
  check.expect_almost_eq_const %y, dense<[1.1031566406451114, -2.8941202000430515, 9.245073050052794, 0x7FF8000000000000, -3.5025242222002575, -0.7549269499471659, 0.036489973978443786, 1.0169909110680322]> : tensor<8xf64> {tolerance = 1.0e-11 : f64}
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[-2.5, -0.75, -0.1, 0.0, 0.3, 0.9, 1.5, 3.25, 12.0]> : tensor<9xf64>
  %y = chlo.bessel_i1e %x : tensor<9xf64> -> tensor<9xf64>
  check.expect_almost_eq_const %y, dense<[-0.20658464953126648, -0.18988779330485503, -0.045298446808809324, 0.0, 0.11237756063983881, 0.20211653087685585, 0.21903938742092569, 0.19203105433313608, 0.11146429929018094]> : tensor<9xf64> {tolerance = 1.0e-12 : f64}
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (2.0, -0.75), (-0.3, -1.25), (1.5, 1.0e-09)]> : tensor<5xcomplex<f64>>
  %y = chlo.acos %x : tensor<5xcomplex<f64>> -> tensor<5xcomplex<f64>>
  check.expect_almost_eq_const %y, dense<[(1.069187473519396, -0.28139605624529274), (2.1773078449946515, -1.6224941488715938), (0.3997338383465451, 1.410578897558334), (1.7572823548665077, 1.0612969875093177), (8.944271909999159e-10, -0.9624236501192069)]> : tensor<5xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (2.0, -0.75), (-0.3, -1.25), (1.5, 1.0e-09)]> : tensor<5xcomplex<f64>>
  %y = chlo.asin %x : tensor<5xcomplex<f64>> -> tensor<5xcomplex<f64>>
  check.expect_almost_eq_const %y, dense<[(0.5016088532755008, 0.28139605624529274), (-0.6065115181997547, 1.6224941488715938), (1.1710624884483516, -1.410578897558334), (-0.18648602807161124, -1.0612969875093177), (1.5707963259004694, 0.9624236501192069)]> : tensor<5xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (2.0, -0.75), (-0.3, -1.25), (1.5, 1.0e-09)]> : tensor<5xcomplex<f64>>
  %y = chlo.atan %x : tensor<5xcomplex<f64>> -> tensor<5xcomplex<f64>>
  check.expect_almost_eq_const %y, dense<[(0.4842544903299662, 0.20058661813123432), (-1.311223269671635, 0.3104282830771958), (1.1492038297107037, -0.13825013720417587), (-1.1990430676441368, -0.8800181791792869), (0.982793723247329, 3.0769230769230775e-10)]> : tensor<5xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (2.0, -0.75), (-0.3, -1.25), (1.5, 1.0e-09)]> : tensor<5xcomplex<f64>>
  %y = chlo.acosh %x : tensor<5xcomplex<f64>> -> tensor<5xcomplex<f64>>
  check.expect_almost_eq_const %y, dense<[(0.28139605624529274, 1.069187473519396), (1.6224941488715938, 2.1773078449946515), (1.410578897558334, -0.3997338383465451), (1.0612969875093177, -1.7572823548665077), (0.9624236501192069, 8.944271909999159e-10)]> : tensor<5xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (2.0, -0.75), (-0.3, -1.25), (1.5, 1.0e-09)]> : tensor<5xcomplex<f64>>
  %y = chlo.asinh %x : tensor<5xcomplex<f64>> -> tensor<5xcomplex<f64>>
  check.expect_almost_eq_const %y, dense<[(0.4926756834207706, 0.2243284526346675), (-1.6004100552346137, 0.887765146183905), (1.4925210319880218, -0.3267704027823274), (-0.7918169038579456, -1.221751188040452), (1.1947632172871094, 5.547001962252292e-10)]> : tensor<5xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (2.0, -0.75), (-0.3, -1.25), (1.5, 1.0e-09)]> : tensor<5xcomplex<f64>>
  %y = chlo.atanh %x : tensor<5xcomplex<f64>> -> tensor<5xcomplex<f64>>
  check.expect_almost_eq_const %y, dense<[(0.5003700000525311, 0.3143981432077165), (-0.22008968066202295, 1.2452579660726568), (0.4528905241310587, -1.3715351039616865), (-0.11509134226501927, -0.9130504187091822), (0.8047189562170501, 1.5707963259948967)]> : tensor<5xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (2.0, -0.75), (-0.3, -1.25), (1.5, 1.0e-09)]> : tensor<5xcomplex<f64>>
  %y = chlo.sinh %x : tensor<5xcomplex<f64>> -> tensor<5xcomplex<f64>>
  check.expect_almost_eq_const %y, dense<[(0.504895714387995, 0.2789791283502615), (0.8860929093625314, 2.139040009980677), (2.65373338938083, -2.564458405835377), (-0.09602205832705346, -0.9920101719283108), (2.1292794550948173, 2.3524096152432475e-09)]> : tensor<5xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (2.0, -0.75), (-0.3, -1.25), (1.5, 1.0e-09)]> : tensor<5xcomplex<f64>>
  %y = chlo.cosh %x : tensor<5xcomplex<f64>> -> tensor<5xcomplex<f64>>
  check.expect_almost_eq_const %y, dense<[(1.0925708047319176, 0.12892104172809826), (-0.9789478196465577, -1.936148329510507), (2.7527567096909453, -2.472208631182566), (0.3296186097778722, 0.288985074762988), (2.352409615243247, 2.1292794550948173e-09)]> : tensor<5xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (2.0, -0.75), (-0.3, -1.25), (1.5, 1.0e-09)]> : tensor<5xcomplex<f64>>
  %y = chlo.square %x : tensor<5xcomplex<f64>> -> tensor<5xcomplex<f64>>
  check.expect_almost_eq_const %y, dense<[(0.1875, 0.25), (-1.75, -6.0), (3.4375, -3.0), (-1.4725, 0.75), (2.25, 3.0000000000000004e-09)]> : tensor<5xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (2.0, -0.75), (-0.3, -1.25), (1.5, 1.0e-09)]> : tensor<5xcomplex<f64>>
  %y = chlo.conj %x : tensor<5xcomplex<f64>> -> tensor<5xcomplex<f64>>
  check.expect_almost_eq_const %y, dense<[(0.5, -0.25), (-1.5, -2.0), (2.0, 0.75), (-0.3, 1.25), (1.5, -1.0e-09)]> : tensor<5xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[2.0, 3.5]> : tensor<2xf64>
  %q = stablehlo.constant dense<[1.0, 2.25]> : tensor<2xf64>
  %z = chlo.zeta %x, %q : tensor<2xf64>, tensor<2xf64> -> tensor<2xf64>
  check.expect_almost_eq_const %z, dense<[1.6449340668482293, 0.08901224249238895]> : tensor<2xf64> {tolerance = 1.0e-10 : f64}
  %n = stablehlo.constant dense<[1.0, 0.0]> : tensor<2xf64>
  %p = chlo.polygamma %n, %q : tensor<2xf64>, tensor<2xf64> -> tensor<2xf64>
  check.expect_almost_eq_const %p, dense<[1.6449340668482264, 0.5725464666235882]> : tensor<2xf64> {tolerance = 1.0e-10 : f64}
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[[3, 9, 9, 1], [4, 2, 8, 6]]> : tensor<2x4xi32>
  %v, %i = chlo.top_k(%x, k = 2) : tensor<2x4xi32> -> (tensor<2x2xi32>, tensor<2x2xi32>)
  check.expect_eq_const %v, dense<[[9, 9], [8, 6]]> : tensor<2x2xi32>
  check.expect_eq_const %i, dense<[[1, 2], [2, 3]]> : tensor<2x2xi32>
  %a = stablehlo.constant dense<[-3, 9223372036854775807]> : tensor<2xi64>
  %h = chlo.mulhi %a, %a : tensor<2xi64>, tensor<2xi64> -> tensor<2xi64>
  check.expect_eq_const %h, dense<[0, 4611686018427387903]> : tensor<2xi64>
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[1.0, 1.0, -1.0, 0.0, -0.0, 0.0, 2.0, 5e-324, 1e+308, 0.5]> : tensor<10xf64>
  %y = stablehlo.constant dense<[2.0, 0.0, -2.0, -1.0, 1.0, -0.0, 2.0, -1.0, 0x7FF0000000000000, 0.25]> : tensor<10xf64>
  %z = chlo.next_after %x, %y : tensor<10xf64>, tensor<10xf64> -> tensor<10xf64>
  %bits = stablehlo.bitcast_convert %z : (tensor<10xf64>) -> tensor<10xi64>
  %expected = stablehlo.constant dense<[1.0000000000000002, 0.9999999999999999, -1.0000000000000002, -5e-324, 5e-324, -0.0, 2.0, 0.0, 1.0000000000000002e+308, 0.49999999999999994]> : tensor<10xf64>
  %expected_bits = stablehlo.bitcast_convert %expected : (tensor<10xf64>) -> tensor<10xi64>
  check.expect_eq %bits, %expected_bits : tensor<10xi64>, tensor<10xi64>
  %nan = stablehlo.constant dense<0x7FF8000000000000> : tensor<10xf64>
  %u = chlo.next_after %x, %nan : tensor<10xf64>, tensor<10xf64> -> tensor<10xf64>
  %differs = stablehlo.compare NE, %u, %u : (tensor<10xf64>, tensor<10xf64>) -> tensor<10xi1>
  check.expect_eq_const %differs, dense<true> : tensor<10xi1>
  func.return
}

// -----

// The neighbours of 1 among the bf16 and f16 numbers: 2^-7 above, 2^-11 below.
func.func @main() {
  %one = stablehlo.constant dense<1.0> : tensor<bf16>
  %three = stablehlo.constant dense<3.0> : tensor<bf16>
  %a = chlo.next_after %one, %three : tensor<bf16>, tensor<bf16> -> tensor<bf16>
  check.expect_eq_const %a, dense<1.0078125> : tensor<bf16>
  %x = stablehlo.constant dense<1.0> : tensor<f16>
  %y = stablehlo.constant dense<-3.0> : tensor<f16>
  %b = chlo.next_after %x, %y : tensor<f16>, tensor<f16> -> tensor<f16>
  check.expect_eq_const %b, dense<0.99951171875> : tensor<f16>
  func.return
}

// -----

// Shapes that fit as NumPy's do.
func.func @main() {
  %x = stablehlo.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %y = stablehlo.constant dense<[10.0, 20.0, 30.0]> : tensor<3xf32>
  %sum = chlo.broadcast_add %x, %y : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  check.expect_eq_const %sum, dense<[[11.0, 21.0, 31.0], [12.0, 22.0, 32.0]]> : tensor<2x3xf32>
  %less = "chlo.broadcast_compare"(%y, %x) {comparison_direction = #chlo<comparison_direction LT>} : (tensor<3xf32>, tensor<2x1xf32>) -> tensor<2x3xi1>
  check.expect_eq_const %less, dense<false> : tensor<2x3xi1>
  %p = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
  %chosen = chlo.broadcast_select %p, %x, %y : (tensor<3xi1>, tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  check.expect_eq_const %chosen, dense<[[1.0, 20.0, 1.0], [2.0, 20.0, 2.0]]> : tensor<2x3xf32>
  %rows = stablehlo.constant dense<[5.0, 6.0]> : tensor<2xf32>
  %down = "chlo.broadcast_multiply"(%sum, %rows) {broadcast_dimensions = array<i64: 0>} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  check.expect_eq_const %down, dense<[[55.0, 105.0, 155.0], [72.0, 132.0, 192.0]]> : tensor<2x3xf32>
  %like = "chlo.constant_like"(%down) {value = 2.5 : f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  check.expect_eq_const %like, dense<2.5> : tensor<2x3xf32>
  %sizes = stablehlo.constant dense<7> : tensor<1x2xi64>
  %other = "chlo.constant_like"(%sizes) {value = 3.25 : f32} : (tensor<1x2xi64>) -> tensor<1x2xf32>
  check.expect_eq_const %other, dense<3.25> : tensor<1x2xf32>
  func.return
}

// -----

// Near the largest numbers, where the sum of the distances to -1 and 1 overflows.
func.func @main() {
  %z = stablehlo.constant dense<[(-1.5e+308, 1.0), (1e+300, -1e+308), (3.0, 1e+200), (-1e+20, 0.0)]> : tensor<4xcomplex<f64>>
  %asin = chlo.asin %z : tensor<4xcomplex<f64>> -> tensor<4xcomplex<f64>>
  check.expect_almost_eq_const %asin, dense<[(-1.5707963267948966, 710.2948209308341), (1e-08, -709.889355822726), (3e-200, 461.2101657793691), (-1.5707963267948966, 46.74484904044086)]> : tensor<4xcomplex<f64>> {tolerance = 1.0e-11 : f64}
  %acosh = chlo.acosh %z : tensor<4xcomplex<f64>> -> tensor<4xcomplex<f64>>
  check.expect_almost_eq_const %acosh, dense<[(710.2948209308341, 3.141592653589793), (709.889355822726, -1.5707963167948966), (461.2101657793691, 1.5707963267948966), (46.74484904044086, 3.141592653589793)]> : tensor<4xcomplex<f64>> {tolerance = 1.0e-11 : f64}
  %corner = stablehlo.constant dense<(0x7FF0000000000000, 0xFFF0000000000000)> : tensor<complex<f64>>
  %limit = chlo.asin %corner : tensor<complex<f64>> -> tensor<complex<f64>>
  check.expect_eq_const %limit, dense<(0.7853981633974483, 0xFFF0000000000000)> : tensor<complex<f64>>
  func.return
}
