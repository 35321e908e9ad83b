// RUN: systolic conformance --interpret

// Narrow element types. Expected numbers by a search among all numbers of a type, in rationals.

func.func @main() {
  %x = stablehlo.constant dense<[0.0, -0.0, 0.0, -0.25, 0.25, 0.2500002384185791, -0.2499997615814209, 0.5, -0.75, 0.75, 0.7500007152557373, -0.7499992847442627, 1.0, -1.25, 1.25, 1.2500011920928955, -1.2499988079071045, 1.5, -1.75, 1.75, 1.7500016689300537, -1.7499983310699463, 2.0, -2.5, 2.5, 2.500002384185791, -2.499997615814209, 3.0, -3.5, 3.5, 3.5000033378601074, -3.4999966621398926, 4.0, -5.0, 5.0, 5.000004768371582, -4.999995231628418, 6.0, 7.0, 6.999993324279785, -7.0, 1e+30, -1e+30, 0.125, -0.125, 1e-42, 0x7F800000, 0xFF800000]> : tensor<48xf32>
  %t = stablehlo.convert %x : (tensor<48xf32>) -> tensor<48xf4E2M1FN>
  %y = stablehlo.convert %t : (tensor<48xf4E2M1FN>) -> tensor<48xf32>
  check.expect_eq_const %y, dense<[0.0, -0.0, 0.0, -0.0, 0.0, 0.5, -0.0, 0.5, -1.0, 1.0, 1.0, -0.5, 1.0, -1.0, 1.0, 1.5, -1.0, 1.5, -2.0, 2.0, 2.0, -1.5, 2.0, -2.0, 2.0, 3.0, -2.0, 3.0, -4.0, 4.0, 4.0, -3.0, 4.0, -4.0, 4.0, 6.0, -4.0, 6.0, 6.0, 6.0, -6.0, 6.0, -6.0, 0.0, -0.0, 0.0, 6.0, -6.0]> : tensor<48xf32>
  %wide = stablehlo.convert %x : (tensor<48xf32>) -> tensor<48xf64>
  %u = stablehlo.convert %wide : (tensor<48xf64>) -> tensor<48xf4E2M1FN>
  check.expect_eq %t, %u : tensor<48xf4E2M1FN>, tensor<48xf4E2M1FN>
  %some = stablehlo.slice %t [0:46] : (tensor<48xf4E2M1FN>) -> tensor<46xf4E2M1FN>
  %read = stablehlo.constant dense<[0.0, -0.0, 0.0, -0.25, 0.25, 0.2500002384185791, -0.2499997615814209, 0.5, -0.75, 0.75, 0.7500007152557373, -0.7499992847442627, 1.0, -1.25, 1.25, 1.2500011920928955, -1.2499988079071045, 1.5, -1.75, 1.75, 1.7500016689300537, -1.7499983310699463, 2.0, -2.5, 2.5, 2.500002384185791, -2.499997615814209, 3.0, -3.5, 3.5, 3.5000033378601074, -3.4999966621398926, 4.0, -5.0, 5.0, 5.000004768371582, -4.999995231628418, 6.0, 7.0, 6.999993324279785, -7.0, 1e+30, -1e+30, 0.125, -0.125, 1e-42]> : tensor<46xf4E2M1FN>
  check.expect_eq %some, %read : tensor<46xf4E2M1FN>, tensor<46xf4E2M1FN>
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[0.0, -0.0, 0.0, -0.0625, 0.0625, 0.06250005960464478, -0.062499940395355225, 0.125, -0.1875, 0.1875, 0.18750017881393433, -0.18749982118606567, 0.25, -0.3125, 0.3125, 0.3125002980232239, -0.3124997019767761, 0.375, -0.4375, 0.4375, 0.4375004172325134, -0.4374995827674866, 2.0, -2.125, 2.125, 2.125001907348633, -2.124998092651367, 2.25, -2.375, 2.375, 2.375002384185791, -2.374997615814209, 7.0, -7.25, 7.25, 7.250006675720215, -7.249993324279785, 7.5, 7.75, 7.749992370605469, -7.75, 1e+30, -1e+30, 0.03125, -0.03125, 1e-42, 0x7F800000, 0xFF800000]> : tensor<48xf32>
  %t = stablehlo.convert %x : (tensor<48xf32>) -> tensor<48xf6E2M3FN>
  %y = stablehlo.convert %t : (tensor<48xf6E2M3FN>) -> tensor<48xf32>
  check.expect_eq_const %y, dense<[0.0, -0.0, 0.0, -0.0, 0.0, 0.125, -0.0, 0.125, -0.25, 0.25, 0.25, -0.125, 0.25, -0.25, 0.25, 0.375, -0.25, 0.375, -0.5, 0.5, 0.5, -0.375, 2.0, -2.0, 2.0, 2.25, -2.0, 2.25, -2.5, 2.5, 2.5, -2.25, 7.0, -7.0, 7.0, 7.5, -7.0, 7.5, 7.5, 7.5, -7.5, 7.5, -7.5, 0.0, -0.0, 0.0, 7.5, -7.5]> : tensor<48xf32>
  %wide = stablehlo.convert %x : (tensor<48xf32>) -> tensor<48xf64>
  %u = stablehlo.convert %wide : (tensor<48xf64>) -> tensor<48xf6E2M3FN>
  check.expect_eq %t, %u : tensor<48xf6E2M3FN>, tensor<48xf6E2M3FN>
  %some = stablehlo.slice %t [0:46] : (tensor<48xf6E2M3FN>) -> tensor<46xf6E2M3FN>
  %read = stablehlo.constant dense<[0.0, -0.0, 0.0, -0.0625, 0.0625, 0.06250005960464478, -0.062499940395355225, 0.125, -0.1875, 0.1875, 0.18750017881393433, -0.18749982118606567, 0.25, -0.3125, 0.3125, 0.3125002980232239, -0.3124997019767761, 0.375, -0.4375, 0.4375, 0.4375004172325134, -0.4374995827674866, 2.0, -2.125, 2.125, 2.125001907348633, -2.124998092651367, 2.25, -2.375, 2.375, 2.375002384185791, -2.374997615814209, 7.0, -7.25, 7.25, 7.250006675720215, -7.249993324279785, 7.5, 7.75, 7.749992370605469, -7.75, 1e+30, -1e+30, 0.03125, -0.03125, 1e-42]> : tensor<46xf6E2M3FN>
  check.expect_eq %some, %read : tensor<46xf6E2M3FN>, tensor<46xf6E2M3FN>
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[0.0, -0.0, 0.0, -0.03125, 0.03125, 0.03125002980232239, -0.031249970197677612, 0.0625, -0.09375, 0.09375, 0.09375008940696716, -0.09374991059303284, 0.125, -0.15625, 0.15625, 0.15625014901161194, -0.15624985098838806, 0.1875, -0.21875, 0.21875, 0.2187502086162567, -0.2187497913837433, 2.0, -2.25, 2.25, 2.250002145767212, -2.249997854232788, 2.5, -2.75, 2.75, 2.75000262260437, -2.74999737739563, 24.0, -26.0, 26.0, 26.000024795532227, -25.999975204467773, 28.0, 30.0, 29.999971389770508, -30.0, 1e+30, -1e+30, 0.015625, -0.015625, 1e-42, 0x7F800000, 0xFF800000]> : tensor<48xf32>
  %t = stablehlo.convert %x : (tensor<48xf32>) -> tensor<48xf6E3M2FN>
  %y = stablehlo.convert %t : (tensor<48xf6E3M2FN>) -> tensor<48xf32>
  check.expect_eq_const %y, dense<[0.0, -0.0, 0.0, -0.0, 0.0, 0.0625, -0.0, 0.0625, -0.125, 0.125, 0.125, -0.0625, 0.125, -0.125, 0.125, 0.1875, -0.125, 0.1875, -0.25, 0.25, 0.25, -0.1875, 2.0, -2.0, 2.0, 2.5, -2.0, 2.5, -3.0, 3.0, 3.0, -2.5, 24.0, -24.0, 24.0, 28.0, -24.0, 28.0, 28.0, 28.0, -28.0, 28.0, -28.0, 0.0, -0.0, 0.0, 28.0, -28.0]> : tensor<48xf32>
  %wide = stablehlo.convert %x : (tensor<48xf32>) -> tensor<48xf64>
  %u = stablehlo.convert %wide : (tensor<48xf64>) -> tensor<48xf6E3M2FN>
  check.expect_eq %t, %u : tensor<48xf6E3M2FN>, tensor<48xf6E3M2FN>
  %some = stablehlo.slice %t [0:46] : (tensor<48xf6E3M2FN>) -> tensor<46xf6E3M2FN>
  %read = stablehlo.constant dense<[0.0, -0.0, 0.0, -0.03125, 0.03125, 0.03125002980232239, -0.031249970197677612, 0.0625, -0.09375, 0.09375, 0.09375008940696716, -0.09374991059303284, 0.125, -0.15625, 0.15625, 0.15625014901161194, -0.15624985098838806, 0.1875, -0.21875, 0.21875, 0.2187502086162567, -0.2187497913837433, 2.0, -2.25, 2.25, 2.250002145767212, -2.249997854232788, 2.5, -2.75, 2.75, 2.75000262260437, -2.74999737739563, 24.0, -26.0, 26.0, 26.000024795532227, -25.999975204467773, 28.0, 30.0, 29.999971389770508, -30.0, 1e+30, -1e+30, 0.015625, -0.015625, 1e-42]> : tensor<46xf6E3M2FN>
  check.expect_eq %some, %read : tensor<46xf6E3M2FN>, tensor<46xf6E3M2FN>
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[0.0, -0.0, 0.0, -0.0078125, 0.0078125, 0.007812507450580597, -0.007812492549419403, 0.015625, -0.0234375, 0.0234375, 0.02343752235174179, -0.02343747764825821, 0.03125, -0.0390625, 0.0390625, 0.039062537252902985, -0.039062462747097015, 0.046875, -0.0546875, 0.0546875, 0.05468755215406418, -0.05468744784593582, 1.5, -1.53125, 1.53125, 1.5312514305114746, -1.5312485694885254, 1.5625, -1.59375, 1.59375, 1.5937515497207642, -1.5937484502792358, 15.0, -15.25, 15.25, 15.250014305114746, -15.249985694885254, 15.5, 15.75, 15.749984741210938, -15.75, 1e+30, -1e+30, 0.00390625, -0.00390625, 1e-42, 0x7F800000, 0xFF800000]> : tensor<48xf32>
  %t = stablehlo.convert %x : (tensor<48xf32>) -> tensor<48xf8E3M4>
  %y = stablehlo.convert %t : (tensor<48xf8E3M4>) -> tensor<48xf32>
  check.expect_eq_const %y, dense<[0.0, -0.0, 0.0, -0.0, 0.0, 0.015625, -0.0, 0.015625, -0.03125, 0.03125, 0.03125, -0.015625, 0.03125, -0.03125, 0.03125, 0.046875, -0.03125, 0.046875, -0.0625, 0.0625, 0.0625, -0.046875, 1.5, -1.5, 1.5, 1.5625, -1.5, 1.5625, -1.625, 1.625, 1.625, -1.5625, 15.0, -15.0, 15.0, 15.5, -15.0, 15.5, 0x7F800000, 15.5, 0xFF800000, 0x7F800000, 0xFF800000, 0.0, -0.0, 0.0, 0x7F800000, 0xFF800000]> : tensor<48xf32>
  %wide = stablehlo.convert %x : (tensor<48xf32>) -> tensor<48xf64>
  %u = stablehlo.convert %wide : (tensor<48xf64>) -> tensor<48xf8E3M4>
  check.expect_eq %t, %u : tensor<48xf8E3M4>, tensor<48xf8E3M4>
  %some = stablehlo.slice %t [0:46] : (tensor<48xf8E3M4>) -> tensor<46xf8E3M4>
  %read = stablehlo.constant dense<[0.0, -0.0, 0.0, -0.0078125, 0.0078125, 0.007812507450580597, -0.007812492549419403, 0.015625, -0.0234375, 0.0234375, 0.02343752235174179, -0.02343747764825821, 0.03125, -0.0390625, 0.0390625, 0.039062537252902985, -0.039062462747097015, 0.046875, -0.0546875, 0.0546875, 0.05468755215406418, -0.05468744784593582, 1.5, -1.53125, 1.53125, 1.5312514305114746, -1.5312485694885254, 1.5625, -1.59375, 1.59375, 1.5937515497207642, -1.5937484502792358, 15.0, -15.25, 15.25, 15.250014305114746, -15.249985694885254, 15.5, 15.75, 15.749984741210938, -15.75, 1e+30, -1e+30, 0.00390625, -0.00390625, 1e-42]> : tensor<46xf8E3M4>
  check.expect_eq %some, %read : tensor<46xf8E3M4>, tensor<46xf8E3M4>
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[0x7FC00000]> : tensor<1xf32>
  %t = stablehlo.convert %x : (tensor<1xf32>) -> tensor<1xf8E3M4>
  %n = stablehlo.compare NE, %t, %t : (tensor<1xf8E3M4>, tensor<1xf8E3M4>) -> tensor<1xi1>
  check.expect_eq_const %n, dense<true> : tensor<1xi1>
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[0.0, -0.0, 0.0, -0.0009765625, 0.0009765625, 0.0009765634313225746, -0.0009765615686774254, 0.001953125, -0.0029296875, 0.0029296875, 0.002929690293967724, -0.002929684706032276, 0.00390625, -0.0048828125, 0.0048828125, 0.004882817156612873, -0.004882807843387127, 0.005859375, -0.0068359375, 0.0068359375, 0.006835944019258022, -0.006835930980741978, 1.5, -1.5625, 1.5625, 1.5625014305114746, -1.5624985694885254, 1.625, -1.6875, 1.6875, 1.6875016689300537, -1.6874983310699463, 224.0, -232.0, 232.0, 232.00021362304688, -231.99978637695312, 240.0, 248.0, 247.999755859375, -248.0, 1e+30, -1e+30, 0.00048828125, -0.00048828125, 1e-42, 0x7F800000, 0xFF800000]> : tensor<48xf32>
  %t = stablehlo.convert %x : (tensor<48xf32>) -> tensor<48xf8E4M3>
  %y = stablehlo.convert %t : (tensor<48xf8E4M3>) -> tensor<48xf32>
  check.expect_eq_const %y, dense<[0.0, -0.0, 0.0, -0.0, 0.0, 0.001953125, -0.0, 0.001953125, -0.00390625, 0.00390625, 0.00390625, -0.001953125, 0.00390625, -0.00390625, 0.00390625, 0.005859375, -0.00390625, 0.005859375, -0.0078125, 0.0078125, 0.0078125, -0.005859375, 1.5, -1.5, 1.5, 1.625, -1.5, 1.625, -1.75, 1.75, 1.75, -1.625, 224.0, -224.0, 224.0, 240.0, -224.0, 240.0, 0x7F800000, 240.0, 0xFF800000, 0x7F800000, 0xFF800000, 0.0, -0.0, 0.0, 0x7F800000, 0xFF800000]> : tensor<48xf32>
  %wide = stablehlo.convert %x : (tensor<48xf32>) -> tensor<48xf64>
  %u = stablehlo.convert %wide : (tensor<48xf64>) -> tensor<48xf8E4M3>
  check.expect_eq %t, %u : tensor<48xf8E4M3>, tensor<48xf8E4M3>
  %some = stablehlo.slice %t [0:46] : (tensor<48xf8E4M3>) -> tensor<46xf8E4M3>
  %read = stablehlo.constant dense<[0.0, -0.0, 0.0, -0.0009765625, 0.0009765625, 0.0009765634313225746, -0.0009765615686774254, 0.001953125, -0.0029296875, 0.0029296875, 0.002929690293967724, -0.002929684706032276, 0.00390625, -0.0048828125, 0.0048828125, 0.004882817156612873, -0.004882807843387127, 0.005859375, -0.0068359375, 0.0068359375, 0.006835944019258022, -0.006835930980741978, 1.5, -1.5625, 1.5625, 1.5625014305114746, -1.5624985694885254, 1.625, -1.6875, 1.6875, 1.6875016689300537, -1.6874983310699463, 224.0, -232.0, 232.0, 232.00021362304688, -231.99978637695312, 240.0, 248.0, 247.999755859375, -248.0, 1e+30, -1e+30, 0.00048828125, -0.00048828125, 1e-42]> : tensor<46xf8E4M3>
  check.expect_eq %some, %read : tensor<46xf8E4M3>, tensor<46xf8E4M3>
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[0x7FC00000]> : tensor<1xf32>
  %t = stablehlo.convert %x : (tensor<1xf32>) -> tensor<1xf8E4M3>
  %n = stablehlo.compare NE, %t, %t : (tensor<1xf8E4M3>, tensor<1xf8E4M3>) -> tensor<1xi1>
  check.expect_eq_const %n, dense<true> : tensor<1xi1>
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[0.0, -0.0, 0.0, -6.103515625e-05, 6.103515625e-05, 6.103521445766091e-05, -6.1035098042339087e-05, 0.0001220703125, -0.00018310546875, 0.00018310546875, 0.00018310564337298274, -0.00018310529412701726, 0.000244140625, -0.00030517578125, 0.00030517578125, 0.00030517607228830457, -0.00030517549021169543, 0.0003662109375, -0.00042724609375, 0.00042724609375, 0.0004272465012036264, -0.0004272456862963736, 0.125, -0.1328125, 0.1328125, 0.13281261920928955, -0.13281238079071045, 0.140625, -0.1484375, 0.1484375, 0.14843764901161194, -0.14843735098838806, 28.0, -29.0, 29.0, 29.00002670288086, -28.99997329711914, 30.0, 30.999969482421875, 3.0517578125e-05, -3.0517578125e-05, 1e-42]> : tensor<42xf32>
  %t = stablehlo.convert %x : (tensor<42xf32>) -> tensor<42xf8E4M3B11FNUZ>
  %y = stablehlo.convert %t : (tensor<42xf8E4M3B11FNUZ>) -> tensor<42xf32>
  check.expect_eq_const %y, dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0001220703125, 0.0, 0.0001220703125, -0.000244140625, 0.000244140625, 0.000244140625, -0.0001220703125, 0.000244140625, -0.000244140625, 0.000244140625, 0.0003662109375, -0.000244140625, 0.0003662109375, -0.00048828125, 0.00048828125, 0.00048828125, -0.0003662109375, 0.125, -0.125, 0.125, 0.140625, -0.125, 0.140625, -0.15625, 0.15625, 0.15625, -0.140625, 28.0, -28.0, 28.0, 30.0, -28.0, 30.0, 30.0, 0.0, 0.0, 0.0]> : tensor<42xf32>
  %wide = stablehlo.convert %x : (tensor<42xf32>) -> tensor<42xf64>
  %u = stablehlo.convert %wide : (tensor<42xf64>) -> tensor<42xf8E4M3B11FNUZ>
  check.expect_eq %t, %u : tensor<42xf8E4M3B11FNUZ>, tensor<42xf8E4M3B11FNUZ>
  %some = stablehlo.slice %t [0:42] : (tensor<42xf8E4M3B11FNUZ>) -> tensor<42xf8E4M3B11FNUZ>
  %read = stablehlo.constant dense<[0.0, -0.0, 0.0, -6.103515625e-05, 6.103515625e-05, 6.103521445766091e-05, -6.1035098042339087e-05, 0.0001220703125, -0.00018310546875, 0.00018310546875, 0.00018310564337298274, -0.00018310529412701726, 0.000244140625, -0.00030517578125, 0.00030517578125, 0.00030517607228830457, -0.00030517549021169543, 0.0003662109375, -0.00042724609375, 0.00042724609375, 0.0004272465012036264, -0.0004272456862963736, 0.125, -0.1328125, 0.1328125, 0.13281261920928955, -0.13281238079071045, 0.140625, -0.1484375, 0.1484375, 0.14843764901161194, -0.14843735098838806, 28.0, -29.0, 29.0, 29.00002670288086, -28.99997329711914, 30.0, 30.999969482421875, 3.0517578125e-05, -3.0517578125e-05, 1e-42]> : tensor<42xf8E4M3B11FNUZ>
  check.expect_eq %some, %read : tensor<42xf8E4M3B11FNUZ>, tensor<42xf8E4M3B11FNUZ>
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[31.0, -31.0, 1e+30, -1e+30, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<7xf32>
  %t = stablehlo.convert %x : (tensor<7xf32>) -> tensor<7xf8E4M3B11FNUZ>
  %n = stablehlo.compare NE, %t, %t : (tensor<7xf8E4M3B11FNUZ>, tensor<7xf8E4M3B11FNUZ>) -> tensor<7xi1>
  check.expect_eq_const %n, dense<true> : tensor<7xi1>
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[0.0, -0.0, 0.0, -0.00048828125, 0.00048828125, 0.0004882817156612873, -0.0004882807843387127, 0.0009765625, -0.00146484375, 0.00146484375, 0.001464845146983862, -0.001464842353016138, 0.001953125, -0.00244140625, 0.00244140625, 0.0024414085783064365, -0.0024414039216935635, 0.0029296875, -0.00341796875, 0.00341796875, 0.003417972009629011, -0.003417965490370989, 1.0, -1.0625, 1.0625, 1.0625009536743164, -1.0624990463256836, 1.125, -1.1875, 1.1875, 1.1875011920928955, -1.1874988079071045, 224.0, -232.0, 232.0, 232.00021362304688, -231.99978637695312, 240.0, 247.999755859375, 0.000244140625, -0.000244140625, 1e-42]> : tensor<42xf32>
  %t = stablehlo.convert %x : (tensor<42xf32>) -> tensor<42xf8E4M3FNUZ>
  %y = stablehlo.convert %t : (tensor<42xf8E4M3FNUZ>) -> tensor<42xf32>
  check.expect_eq_const %y, dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0009765625, 0.0, 0.0009765625, -0.001953125, 0.001953125, 0.001953125, -0.0009765625, 0.001953125, -0.001953125, 0.001953125, 0.0029296875, -0.001953125, 0.0029296875, -0.00390625, 0.00390625, 0.00390625, -0.0029296875, 1.0, -1.0, 1.0, 1.125, -1.0, 1.125, -1.25, 1.25, 1.25, -1.125, 224.0, -224.0, 224.0, 240.0, -224.0, 240.0, 240.0, 0.0, 0.0, 0.0]> : tensor<42xf32>
  %wide = stablehlo.convert %x : (tensor<42xf32>) -> tensor<42xf64>
  %u = stablehlo.convert %wide : (tensor<42xf64>) -> tensor<42xf8E4M3FNUZ>
  check.expect_eq %t, %u : tensor<42xf8E4M3FNUZ>, tensor<42xf8E4M3FNUZ>
  %some = stablehlo.slice %t [0:42] : (tensor<42xf8E4M3FNUZ>) -> tensor<42xf8E4M3FNUZ>
  %read = stablehlo.constant dense<[0.0, -0.0, 0.0, -0.00048828125, 0.00048828125, 0.0004882817156612873, -0.0004882807843387127, 0.0009765625, -0.00146484375, 0.00146484375, 0.001464845146983862, -0.001464842353016138, 0.001953125, -0.00244140625, 0.00244140625, 0.0024414085783064365, -0.0024414039216935635, 0.0029296875, -0.00341796875, 0.00341796875, 0.003417972009629011, -0.003417965490370989, 1.0, -1.0625, 1.0625, 1.0625009536743164, -1.0624990463256836, 1.125, -1.1875, 1.1875, 1.1875011920928955, -1.1874988079071045, 224.0, -232.0, 232.0, 232.00021362304688, -231.99978637695312, 240.0, 247.999755859375, 0.000244140625, -0.000244140625, 1e-42]> : tensor<42xf8E4M3FNUZ>
  check.expect_eq %some, %read : tensor<42xf8E4M3FNUZ>, tensor<42xf8E4M3FNUZ>
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[248.0, -248.0, 1e+30, -1e+30, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<7xf32>
  %t = stablehlo.convert %x : (tensor<7xf32>) -> tensor<7xf8E4M3FNUZ>
  %n = stablehlo.compare NE, %t, %t : (tensor<7xf8E4M3FNUZ>, tensor<7xf8E4M3FNUZ>) -> tensor<7xi1>
  check.expect_eq_const %n, dense<true> : tensor<7xi1>
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[0.0, -0.0, 0.0, -3.814697265625e-06, 3.814697265625e-06, 3.814700903603807e-06, -3.814693627646193e-06, 7.62939453125e-06, -1.1444091796875e-05, 1.1444091796875e-05, 1.1444102710811421e-05, -1.1444080882938579e-05, 1.52587890625e-05, -1.9073486328125e-05, 1.9073486328125e-05, 1.9073504518019035e-05, -1.9073468138230965e-05, 2.288818359375e-05, -2.6702880859375e-05, 2.6702880859375e-05, 2.670290632522665e-05, -2.670285539352335e-05, 1.0, -1.125, 1.125, 1.125001072883606, -1.124998927116394, 1.25, -1.375, 1.375, 1.375001311302185, -1.374998688697815, 49152.0, -53248.0, 53248.0, 53248.05078125, -53247.94921875, 57344.0, 61439.94140625, 1.9073486328125e-06, -1.9073486328125e-06, 1e-42]> : tensor<42xf32>
  %t = stablehlo.convert %x : (tensor<42xf32>) -> tensor<42xf8E5M2FNUZ>
  %y = stablehlo.convert %t : (tensor<42xf8E5M2FNUZ>) -> tensor<42xf32>
  check.expect_eq_const %y, dense<[0.0, 0.0, 0.0, 0.0, 0.0, 7.62939453125e-06, 0.0, 7.62939453125e-06, -1.52587890625e-05, 1.52587890625e-05, 1.52587890625e-05, -7.62939453125e-06, 1.52587890625e-05, -1.52587890625e-05, 1.52587890625e-05, 2.288818359375e-05, -1.52587890625e-05, 2.288818359375e-05, -3.0517578125e-05, 3.0517578125e-05, 3.0517578125e-05, -2.288818359375e-05, 1.0, -1.0, 1.0, 1.25, -1.0, 1.25, -1.5, 1.5, 1.5, -1.25, 49152.0, -49152.0, 49152.0, 57344.0, -49152.0, 57344.0, 57344.0, 0.0, 0.0, 0.0]> : tensor<42xf32>
  %wide = stablehlo.convert %x : (tensor<42xf32>) -> tensor<42xf64>
  %u = stablehlo.convert %wide : (tensor<42xf64>) -> tensor<42xf8E5M2FNUZ>
  check.expect_eq %t, %u : tensor<42xf8E5M2FNUZ>, tensor<42xf8E5M2FNUZ>
  %some = stablehlo.slice %t [0:42] : (tensor<42xf8E5M2FNUZ>) -> tensor<42xf8E5M2FNUZ>
  %read = stablehlo.constant dense<[0.0, -0.0, 0.0, -3.814697265625e-06, 3.814697265625e-06, 3.814700903603807e-06, -3.814693627646193e-06, 7.62939453125e-06, -1.1444091796875e-05, 1.1444091796875e-05, 1.1444102710811421e-05, -1.1444080882938579e-05, 1.52587890625e-05, -1.9073486328125e-05, 1.9073486328125e-05, 1.9073504518019035e-05, -1.9073468138230965e-05, 2.288818359375e-05, -2.6702880859375e-05, 2.6702880859375e-05, 2.670290632522665e-05, -2.670285539352335e-05, 1.0, -1.125, 1.125, 1.125001072883606, -1.124998927116394, 1.25, -1.375, 1.375, 1.375001311302185, -1.374998688697815, 49152.0, -53248.0, 53248.0, 53248.05078125, -53247.94921875, 57344.0, 61439.94140625, 1.9073486328125e-06, -1.9073486328125e-06, 1e-42]> : tensor<42xf8E5M2FNUZ>
  check.expect_eq %some, %read : tensor<42xf8E5M2FNUZ>, tensor<42xf8E5M2FNUZ>
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[61440.0, -61440.0, 1e+30, -1e+30, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<7xf32>
  %t = stablehlo.convert %x : (tensor<7xf32>) -> tensor<7xf8E5M2FNUZ>
  %n = stablehlo.compare NE, %t, %t : (tensor<7xf8E5M2FNUZ>, tensor<7xf8E5M2FNUZ>) -> tensor<7xi1>
  check.expect_eq_const %n, dense<true> : tensor<7xi1>
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[1.0, 1.25, 1.5, 3.0, 2.5, 0.0, 1.0e-45, 1.0e+38]> : tensor<8xf32>
  %t = stablehlo.convert %x : (tensor<8xf32>) -> tensor<8xf8E8M0FNU>
  %bits = stablehlo.bitcast_convert %t : (tensor<8xf8E8M0FNU>) -> tensor<8xui8>
  check.expect_eq_const %bits, dense<[127, 127, 128, 129, 128, 0, 0, 253]> : tensor<8xui8>
  %y = stablehlo.convert %t : (tensor<8xf8E8M0FNU>) -> tensor<8xf64>
  check.expect_eq_const %y, dense<[1.0, 1.0, 2.0, 4.0, 2.0, 5.877471754111438e-39, 5.877471754111438e-39, 8.507059173023462e+37]> : tensor<8xf64>
  %minus = stablehlo.constant dense<-1.0> : tensor<f32>
  %nan = stablehlo.convert %minus : (tensor<f32>) -> tensor<f8E8M0FNU>
  %nan_bits = stablehlo.bitcast_convert %nan : (tensor<f8E8M0FNU>) -> tensor<ui8>
  check.expect_eq_const %nan_bits, dense<255> : tensor<ui8>
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[[1.0, 2.5, -3.0], [0.5, -0.25, 4.0]]> : tensor<2x3xf8E3M4>
  %y = stablehlo.constant dense<[[1.5], [2.0], [-0.5]]> : tensor<3x1xf8E3M4>
  %d = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xf8E3M4>, tensor<3x1xf8E3M4>) -> tensor<2x1xf8E3M4>
  check.expect_eq_const %d, dense<[[8.0], [-1.75]]> : tensor<2x1xf8E3M4>
  %zero = stablehlo.constant dense<0.0> : tensor<f8E3M4>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf8E3M4>, tensor<f8E3M4>) -> tensor<2xf8E3M4>
  check.expect_eq_const %s, dense<[0.5, 4.25]> : tensor<2xf8E3M4>
  %sorted = "stablehlo.sort"(%x) ({
    ^bb0(%a: tensor<f8E3M4>, %b: tensor<f8E3M4>):
      %less = stablehlo.compare LT, %a, %b : (tensor<f8E3M4>, tensor<f8E3M4>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
  }) {dimension = 1 : i64} : (tensor<2x3xf8E3M4>) -> tensor<2x3xf8E3M4>
  check.expect_eq_const %sorted, dense<[[-3.0, 1.0, 2.5], [-0.25, 0.5, 4.0]]> : tensor<2x3xf8E3M4>
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf8E3M4>) -> tensor<3x2xf8E3M4>
  check.expect_eq_const %t, dense<[[1.0, 0.5], [2.5, -0.25], [-3.0, 4.0]]> : tensor<3x2xf8E3M4>
  %i = stablehlo.iota dim = 0 : tensor<5xf8E3M4>
  check.expect_eq_const %i, dense<[0.0, 1.0, 2.0, 3.0, 4.0]> : tensor<5xf8E3M4>
  %e = stablehlo.exponential %y : tensor<3x1xf8E3M4>
  check.expect_eq_const %e, dense<[[4.5], [7.5], [0.59375]]> : tensor<3x1xf8E3M4>
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[-2, -1, 0, 1]> : tensor<4xi2>
  %y = stablehlo.constant dense<[1, -2, 1, 1]> : tensor<4xi2>
  %add = stablehlo.add %x, %y : tensor<4xi2>
  check.expect_eq_const %add, dense<[-1, 1, 1, -2]> : tensor<4xi2>
  %mul = stablehlo.multiply %x, %y : tensor<4xi2>
  check.expect_eq_const %mul, dense<[-2, -2, 0, 1]> : tensor<4xi2>
  %neg = stablehlo.negate %x : tensor<4xi2>
  check.expect_eq_const %neg, dense<[-2, 1, 0, -1]> : tensor<4xi2>
  %clz = stablehlo.count_leading_zeros %x : tensor<4xi2>
  check.expect_eq_const %clz, dense<[0, 0, -2, 1]> : tensor<4xi2>
  %ones = stablehlo.popcnt %x : tensor<4xi2>
  check.expect_eq_const %ones, dense<[1, -2, 0, 1]> : tensor<4xi2>
  %one = stablehlo.constant dense<1> : tensor<4xi2>
  %right = stablehlo.shift_right_logical %x, %one : tensor<4xi2>
  check.expect_eq_const %right, dense<[1, 1, 0, 0]> : tensor<4xi2>
  %sign = stablehlo.shift_right_arithmetic %x, %one : tensor<4xi2>
  check.expect_eq_const %sign, dense<[-1, -1, 0, 0]> : tensor<4xi2>
  %bits = stablehlo.bitcast_convert %x : (tensor<4xi2>) -> tensor<i8>
  check.expect_eq_const %bits, dense<78> : tensor<i8>
  %back = stablehlo.bitcast_convert %bits : (tensor<i8>) -> tensor<4xi2>
  check.expect_eq %back, %x : tensor<4xi2>, tensor<4xi2>
  %unsigned = stablehlo.bitcast_convert %x : (tensor<4xi2>) -> tensor<4xui2>
  check.expect_eq_const %unsigned, dense<[2, 3, 0, 1]> : tensor<4xui2>
  %sum = stablehlo.add %unsigned, %unsigned : tensor<4xui2>
  check.expect_eq_const %sum, dense<[0, 2, 0, 2]> : tensor<4xui2>
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[true, false, false, false, false, false, false, true, false, true, false, false, false, false, false, false]> : tensor<16xi1>
  %y = stablehlo.bitcast_convert %x : (tensor<16xi1>) -> tensor<i16>
  check.expect_eq_const %y, dense<641> : tensor<i16>
  %z = stablehlo.bitcast_convert %y : (tensor<i16>) -> tensor<4xi4>
  check.expect_eq_const %z, dense<[1, -8, 2, 0]> : tensor<4xi4>
  %f = stablehlo.bitcast_convert %z : (tensor<4xi4>) -> tensor<4xf4E2M1FN>
  check.expect_eq_const %f, dense<[0.5, -0.0, 1.0, 0.0]> : tensor<4xf4E2M1FN>
  func.return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[-1.0, -0.4, 0.0, 0.6, 3.0]> : tensor<5xf32>
  %q = stablehlo.uniform_quantize %x : (tensor<5xf32>) -> tensor<5x!quant.uniform<i2:f32, 0.5>>
  %y = stablehlo.uniform_dequantize %q : (tensor<5x!quant.uniform<i2:f32, 0.5>>) -> tensor<5xf32>
  check.expect_eq_const %y, dense<[-1.0, -0.5, 0.0, 0.5, 0.5]> : tensor<5xf32>
  func.return
}
