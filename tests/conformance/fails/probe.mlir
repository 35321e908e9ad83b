// RUN: stablehlo-translate --interpret --probe-output-dir=%t %s

// The probe is reached once.
func.func @main() {
  %x = stablehlo.constant dense<1> : tensor<i32>
  %y = interpreter.probe %x, probe_id = "x" : tensor<i32>
  check.expect_serialized_eq %y, probe_id = "x", iter = 1 : tensor<i32>
  func.return
}
