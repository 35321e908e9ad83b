// RUN: systolic conformance --interpret

// Collectives and slices that are started here and waited for there.
module @futures {
  func.func @gather(%x: tensor<1xi64>) -> tensor<2xi64> {
    %f = "stablehlo.async_start"(%x) ({
      ^bb0(%a: tensor<1xi64>):
        %g = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<1xi64>) -> tensor<2xi64>
        "stablehlo.return"(%g) : (tensor<2xi64>) -> ()
    }) : (tensor<1xi64>) -> !stablehlo.future<tensor<2xi64>>
    %y = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<2xi64>>) -> tensor<2xi64>
    return %y : tensor<2xi64>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[7]> : tensor<1xi64>
    %b = stablehlo.constant dense<[9]> : tensor<1xi64>
    %r:2 = "interpreter.run_parallel"(%a, %b) {programs = [[@gather], [@gather]]} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>, tensor<2xi64>)
    check.expect_eq_const %r#0, dense<[7, 9]> : tensor<2xi64>
    check.expect_eq_const %r#1, dense<[7, 9]> : tensor<2xi64>
    // The body may take the operands from around it.
    %f = "stablehlo.async_start"(%r#0) ({
        %s = "stablehlo.slice"(%r#0) {start_indices = array<i64: 1>, limit_indices = array<i64: 2>, strides = array<i64: 1>} : (tensor<2xi64>) -> tensor<1xi64>
        "stablehlo.return"(%s) : (tensor<1xi64>) -> ()
    }) : (tensor<2xi64>) -> !stablehlo.future<tensor<1xi64>>
    %last = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<1xi64>>) -> tensor<1xi64>
    check.expect_eq %last, %b : tensor<1xi64>
    func.return
  }
}
