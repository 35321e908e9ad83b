// RUN: systolic conformance --interpret

// Expected values by the definition of the transform, in double precision.

func.func @main() {
  %x = stablehlo.constant dense<[(0.8414709848078965, 1.0)]> : tensor<1xcomplex<f64>>
  %y = stablehlo.fft %x, type = FFT, length = [1] : (tensor<1xcomplex<f64>>) -> tensor<1xcomplex<f64>>
  check.expect_almost_eq_const %y, dense<[(0.8414709848078965, 1.0)]> : tensor<1xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  %z = stablehlo.fft %y, type = IFFT, length = [1] : (tensor<1xcomplex<f64>>) -> tensor<1xcomplex<f64>>
  check.expect_almost_eq %z, %x, tolerance = 1.0e-12 : tensor<1xcomplex<f64>>
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[(0.8414709848078965, 1.0), (-0.7568024953079282, 0.28366218546322625)]> : tensor<2xcomplex<f64>>
  %y = stablehlo.fft %x, type = FFT, length = [2] : (tensor<2xcomplex<f64>>) -> tensor<2xcomplex<f64>>
  check.expect_almost_eq_const %y, dense<[(0.0846684894999683, 1.2836621854632262), (1.5982734801158247, 0.7163378145367738)]> : tensor<2xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  %z = stablehlo.fft %y, type = IFFT, length = [2] : (tensor<2xcomplex<f64>>) -> tensor<2xcomplex<f64>>
  check.expect_almost_eq %z, %x, tolerance = 1.0e-12 : tensor<2xcomplex<f64>>
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[(0.8414709848078965, 1.0), (-0.7568024953079282, 0.28366218546322625), (0.6569865987187891, -0.8390715290764524), (-0.5440211108893698, -0.7596879128588213), (0.4201670368266409, 0.40808206181339196), (-0.2879033166650653, 0.9912028118634736)]> : tensor<6xcomplex<f64>>
  %y = stablehlo.fft %x, type = FFT, length = [6] : (tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f64>>
  check.expect_almost_eq_const %y, dense<[(0.3298976974909632, 1.084187617204818), (-1.3682524768657047, 2.813601988960377), (0.7485444975917299, 0.42954467933943774), (3.507351543215692, 0.05383344826906222), (-0.18609257332711238, -0.7927960351207222), (2.0173772207418126, 2.4116283013470263)]> : tensor<6xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  %z = stablehlo.fft %y, type = IFFT, length = [6] : (tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f64>>
  check.expect_almost_eq %z, %x, tolerance = 1.0e-12 : tensor<6xcomplex<f64>>
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[(0.8414709848078965, 1.0), (-0.7568024953079282, 0.28366218546322625), (0.6569865987187891, -0.8390715290764524), (-0.5440211108893698, -0.7596879128588213), (0.4201670368266409, 0.40808206181339196), (-0.2879033166650653, 0.9912028118634736), (0.14987720966295234, 0.15425144988758405)]> : tensor<7xcomplex<f64>>
  %y = stablehlo.fft %x, type = FFT, length = [7] : (tensor<7xcomplex<f64>>) -> tensor<7xcomplex<f64>>
  check.expect_almost_eq_const %y, dense<[(0.4797749071539156, 1.238439067092402), (-1.6973653907489408, 1.7619849603287143), (2.4000620107071438, 1.0863539092628816), (1.9945953307665505, 2.850697615131128), (1.2973477871306138, -1.2936067882521742), (-1.2665214760653443, 0.0061797644244791505), (2.682403724711337, 1.3499514720125734)]> : tensor<7xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  %z = stablehlo.fft %y, type = IFFT, length = [7] : (tensor<7xcomplex<f64>>) -> tensor<7xcomplex<f64>>
  check.expect_almost_eq %z, %x, tolerance = 1.0e-12 : tensor<7xcomplex<f64>>
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[(0.8414709848078965, 1.0), (-0.7568024953079282, 0.28366218546322625), (0.6569865987187891, -0.8390715290764524), (-0.5440211108893698, -0.7596879128588213), (0.4201670368266409, 0.40808206181339196), (-0.2879033166650653, 0.9912028118634736), (0.14987720966295234, 0.15425144988758405), (-0.008851309290403876, -0.9036922050915067), (-0.13235175009777303, -0.6669380616522619), (0.27090578830786904, 0.5253219888177297), (-0.404037645323065, 0.9649660284921133), (0.5290826861200238, 0.022126756261955736)]> : tensor<12xcomplex<f64>>
  %y = stablehlo.fft %x, type = FFT, length = [12] : (tensor<12xcomplex<f64>>) -> tensor<12xcomplex<f64>>
  check.expect_almost_eq_const %y, dense<[(0.7345226768705666, 1.1802235739204323), (-0.10419578278860858, 1.4271846215873512), (-3.1760238078275744, 2.083312360665201), (4.167900456310891, 1.211008340463263), (1.7888941636254958, 2.1020382517393132), (1.0389276425485026, 3.843853965089099), (2.3297021923203136, 0.8623563250083142), (0.1898217642756177, -2.14567553194025), (-0.36871822482802186, -0.5226052481202708), (-2.7149802393547127, -0.28901223874749116), (4.639712166664309, 1.2201834361125086), (1.5720888098779815, 1.0271321442225159)]> : tensor<12xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  %z = stablehlo.fft %y, type = IFFT, length = [12] : (tensor<12xcomplex<f64>>) -> tensor<12xcomplex<f64>>
  check.expect_almost_eq %z, %x, tolerance = 1.0e-12 : tensor<12xcomplex<f64>>
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[0.8414709848078965, -0.7568024953079282, 0.6569865987187891, -0.5440211108893698, 0.4201670368266409]> : tensor<5xf64>
  %y = stablehlo.fft %x, type = RFFT, length = [5] : (tensor<5xf64>) -> tensor<3xcomplex<f64>>
  check.expect_almost_eq_const %y, dense<[(0.6178010141560285, 0.0), (0.6460539077961203, 0.4134299234202032), (1.148723047145606, 1.8340315417298287)]> : tensor<3xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  %z = stablehlo.fft %y, type = IRFFT, length = [5] : (tensor<3xcomplex<f64>>) -> tensor<5xf64>
  check.expect_almost_eq %z, %x, tolerance = 1.0e-12 : tensor<5xf64>
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[0.8414709848078965, -0.7568024953079282, 0.6569865987187891, -0.5440211108893698, 0.4201670368266409, -0.2879033166650653]> : tensor<6xf64>
  %y = stablehlo.fft %x, type = RFFT, length = [6] : (tensor<6xf64>) -> tensor<4xcomplex<f64>>
  check.expect_almost_eq_const %y, dense<[(0.3298976974909632, 0.0), (0.3245623719380545, 0.2009868438066754), (0.28122596213230844, 0.611170357230078), (3.50735154321569, 1.3469984459787526e-15)]> : tensor<4xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  %z = stablehlo.fft %y, type = IRFFT, length = [6] : (tensor<4xcomplex<f64>>) -> tensor<6xf64>
  check.expect_almost_eq %z, %x, tolerance = 1.0e-12 : tensor<6xf64>
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[[0.8414709848078965, -0.7568024953079282, 0.6569865987187891, -0.5440211108893698], [-0.9589242746631385, 0.9893582466233818, -0.9999902065507035, 0.9906073556948704], [0.4121184852417566, -0.5365729180004349, 0.6502878401571168, -0.750987246771676]]> : tensor<3x4xf64>
  %y = stablehlo.fft %x, type = RFFT, length = [3, 4] : (tensor<3x4xf64>) -> tensor<3x3xcomplex<f64>>
  check.expect_almost_eq_const %y, dense<[[(-0.006468740939439721, 0.0), (-0.012619036938687628, -0.0003838352811942336), (1.2103675963628744, 2.243294091303003e-16)], [(0.29968533646380136, -0.21321975031138657), (0.46980611344229556, 0.07753914226406801), (3.5937379864045353, 5.446300893329592)], [(0.2996853364638011, 0.21321975031138674), (0.09626608176371451, 0.5611888462728013), (3.593737986404544, -5.4463008933295916)]]> : tensor<3x3xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  %z = stablehlo.fft %y, type = IRFFT, length = [3, 4] : (tensor<3x3xcomplex<f64>>) -> tensor<3x4xf64>
  check.expect_almost_eq %z, %x, tolerance = 1.0e-12 : tensor<3x4xf64>
  func.return
}
