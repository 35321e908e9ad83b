// RUN: systolic conformance --interpret

// Each core waits for the other one.
module @waiting {
  func.func @core(%token: !stablehlo.token) -> tensor<i64> {
    %x, %received = "stablehlo.recv"(%token) {channel_handle = #stablehlo.channel_handle<handle = 4, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<i64>, !stablehlo.token)
    return %x : tensor<i64>
  }
  func.func @main() {
    %token = stablehlo.after_all : !stablehlo.token
    %r:2 = "interpreter.run_parallel"(%token, %token) {programs = [[@core], [@core]]} : (!stablehlo.token, !stablehlo.token) -> (tensor<i64>, tensor<i64>)
    func.return
  }
}
