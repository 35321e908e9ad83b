// RUN: stablehlo-translate --interpret --probe-output-dir=%t %s

// Probes keep what they see, each time that they are reached, whether their results are read or not.
func.func @main() {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %x = stablehlo.constant dense<[1.5, -0.0]> : tensor<2xbf16>
  %seen = interpreter.probe %x, probe_id = "in/put" : tensor<2xbf16>
  %i, %sum = stablehlo.while(%a = %one, %s = %one) : tensor<i32>, tensor<i32>
  cond {
    %three = stablehlo.constant dense<3> : tensor<i32>
    %more = stablehlo.compare LE, %a, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.add %s, %a : tensor<i32>
    %unread = interpreter.probe %next, probe_id = "sum" : tensor<i32>
    %b = stablehlo.add %a, %one : tensor<i32>
    stablehlo.return %b, %next : tensor<i32>, tensor<i32>
  }
  %two = stablehlo.constant dense<2> : tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<i32>
  check.expect_serialized_eq %x, probe_id = "in/put" : tensor<2xbf16>
  check.expect_serialized_eq %two, probe_id = "sum" : tensor<i32>
  check.expect_serialized_eq %four, probe_id = "sum", iter = 1 : tensor<i32>
  check.expect_serialized_eq %sum, probe_id = "sum", iter = 2 : tensor<i32>
  func.return
}
