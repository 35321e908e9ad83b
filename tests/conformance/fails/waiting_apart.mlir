// RUN: systolic conformance --interpret

// One core reduces, the other does not.
module @waiting_apart {
  func.func @reduces(%x: tensor<i64>) -> tensor<i64> {
    %sum = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<i64>, %b: tensor<i64>):
      %s = stablehlo.add %a, %b : tensor<i64>
      stablehlo.return %s : tensor<i64>
    }) : (tensor<i64>) -> tensor<i64>
    return %sum : tensor<i64>
  }
  func.func @returns(%x: tensor<i64>) -> tensor<i64> {
    return %x : tensor<i64>
  }
  func.func @main() {
    %x = stablehlo.constant dense<1> : tensor<i64>
    %r:2 = "interpreter.run_parallel"(%x, %x) {programs = [[@reduces], [@returns]]} : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>)
    func.return
  }
}
