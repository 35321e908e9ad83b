// RUN: systolic conformance --interpret

// Two replicas of two partitions: each replica's partitions sum among the replicas.
module @sums {
  func.func @sum(%x: tensor<2xi64>) -> tensor<2xi64> {
    %y = "stablehlo.all_reduce"(%x) ({
      ^bb0(%a: tensor<i64>, %b: tensor<i64>):
        %s = stablehlo.add %a, %b : tensor<i64>
        stablehlo.return %s : tensor<i64>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi64>) -> tensor<2xi64>
    return %y : tensor<2xi64>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
    %b = stablehlo.constant dense<[10, 20]> : tensor<2xi64>
    %c = stablehlo.constant dense<[100, 200]> : tensor<2xi64>
    %d = stablehlo.constant dense<[1000, 2000]> : tensor<2xi64>
    %r:4 = "interpreter.run_parallel"(%a, %b, %c, %d) {programs = [[@sum, @sum], [@sum, @sum]]} : (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>)
    check.expect_eq_const %r#0, dense<[101, 202]> : tensor<2xi64>
    check.expect_eq_const %r#1, dense<[1010, 2020]> : tensor<2xi64>
    check.expect_eq_const %r#2, dense<[101, 202]> : tensor<2xi64>
    check.expect_eq_const %r#3, dense<[1010, 2020]> : tensor<2xi64>
    func.return
  }
}
