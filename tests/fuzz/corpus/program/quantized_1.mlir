func.func @main() {
  %a = stablehlo.constant dense<8> : tensor<i8>
  %b = stablehlo.constant dense<4> : tensor<i8>
  %x = stablehlo.bitcast_convert %a : (tensor<i8>) -> tensor<!quant.uniform<i8:f32, 0.5:2>>
  %y = stablehlo.bitcast_convert %b : (tensor<i8>) -> tensor<!quant.uniform<i8:f32, 0.5:2>>
  %z = stablehlo.add %x, %y : (tensor<!quant.uniform<i8:f32, 0.5:2>>, tensor<!quant.uniform<i8:f32, 0.5:2>>) -> tensor<!quant.uniform<i8:f32, 0.25:1>>
  %s = stablehlo.bitcast_convert %z : (tensor<!quant.uniform<i8:f32, 0.25:1>>) -> tensor<i8>
  func.return
}
