// RUN: systolic conformance --interpret

// Cores that run different programs and send each other arrays.

// Each waits for the other in turn; the numbers by hand.
module @ping_pong {
  func.func @ping(%x: tensor<2xi64>, %token: !stablehlo.token) -> tensor<2xi64> {
    %sent = "stablehlo.send"(%x, %token) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true} : (tensor<2xi64>, !stablehlo.token) -> !stablehlo.token
    %back, %received = "stablehlo.recv"(%sent) {channel_handle = #stablehlo.channel_handle<handle = 2, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<2xi64>, !stablehlo.token)
    %y = stablehlo.add %x, %back : tensor<2xi64>
    return %y : tensor<2xi64>
  }
  func.func @pong(%token: !stablehlo.token) -> tensor<2xi64> {
    %x, %received = "stablehlo.recv"(%token) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<2xi64>, !stablehlo.token)
    %square = stablehlo.multiply %x, %x : tensor<2xi64>
    %sent = "stablehlo.send"(%square, %received) {channel_handle = #stablehlo.channel_handle<handle = 2, type = 2>, is_host_transfer = true} : (tensor<2xi64>, !stablehlo.token) -> !stablehlo.token
    return %square : tensor<2xi64>
  }
  func.func @main() {
    %x = stablehlo.constant dense<[3, -4]> : tensor<2xi64>
    %token = stablehlo.after_all : !stablehlo.token
    %r:2 = "interpreter.run_parallel"(%x, %token, %token) {programs = [[@ping], [@pong]]} : (tensor<2xi64>, !stablehlo.token, !stablehlo.token) -> (tensor<2xi64>, tensor<2xi64>)
    check.expect_eq_const %r#0, dense<[12, 12]> : tensor<2xi64>
    check.expect_eq_const %r#1, dense<[9, 16]> : tensor<2xi64>
    func.return
  }
}

// -----

// Between cores, by the pairs; each program knows which core it is.
module @device_to_device {
  func.func @first(%token: !stablehlo.token) -> tensor<ui32> {
    %id = stablehlo.partition_id : tensor<ui32>
    %sent = "stablehlo.send"(%id, %token) {channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>} : (tensor<ui32>, !stablehlo.token) -> !stablehlo.token
    return %id : tensor<ui32>
  }
  func.func @middle(%token: !stablehlo.token) -> tensor<ui32> {
    %id = stablehlo.partition_id : tensor<ui32>
    %x, %received = "stablehlo.recv"(%token) {channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>} : (!stablehlo.token) -> (tensor<ui32>, !stablehlo.token)
    %ten = stablehlo.constant dense<10> : tensor<ui32>
    %tens = stablehlo.multiply %ten, %id : tensor<ui32>
    %y = stablehlo.add %tens, %x : tensor<ui32>
    %sent = "stablehlo.send"(%y, %received) {channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>} : (tensor<ui32>, !stablehlo.token) -> !stablehlo.token
    return %y : tensor<ui32>
  }
  func.func @main() {
    %token = stablehlo.after_all : !stablehlo.token
    %r:3 = "interpreter.run_parallel"(%token, %token, %token) {programs = [[@first, @middle, @middle]]} : (!stablehlo.token, !stablehlo.token, !stablehlo.token) -> (tensor<ui32>, tensor<ui32>, tensor<ui32>)
    check.expect_eq_const %r#0, dense<0> : tensor<ui32>
    check.expect_eq_const %r#1, dense<10> : tensor<ui32>
    check.expect_eq_const %r#2, dense<30> : tensor<ui32>
    func.return
  }
}

// -----

// One queue feeds both cores, core 0 first.
module @shared_infeed {
  func.func @one() -> tensor<i64> {
    %x = stablehlo.constant dense<5> : tensor<i64>
    return %x : tensor<i64>
  }
  func.func @two() -> tensor<i64> {
    %x = stablehlo.constant dense<6> : tensor<i64>
    return %x : tensor<i64>
  }
  func.func @take(%token: !stablehlo.token) -> tensor<i64> {
    %x, %done = "stablehlo.infeed"(%token) {infeed_config = ""} : (!stablehlo.token) -> (tensor<i64>, !stablehlo.token)
    %id = stablehlo.replica_id : tensor<ui32>
    %core = stablehlo.convert %id : (tensor<ui32>) -> tensor<i64>
    %y = stablehlo.subtract %x, %core : tensor<i64>
    return %y : tensor<i64>
  }
  func.func @main() {
    %token = stablehlo.after_all : !stablehlo.token
    %r:2 = "interpreter.run_parallel"(%token, %token) {infeed = [@one, @two], programs = [[@take], [@take]]} : (!stablehlo.token, !stablehlo.token) -> (tensor<i64>, tensor<i64>)
    check.expect_eq_const %r#0, dense<5> : tensor<i64>
    check.expect_eq_const %r#1, dense<5> : tensor<i64>
    func.return
  }
}

// -----

// Reduced for the first of each group, and for the one that a number names.
module @reduce_for_one {
  func.func @sum(%x: tensor<2xi64>, %root: tensor<1xi32>) -> (tensor<2xi64>, tensor<2xi64>) {
    %y = "stablehlo.collective_reduce"(%x) ({
      ^bb0(%a: tensor<i64>, %b: tensor<i64>):
        %s = stablehlo.add %a, %b : tensor<i64>
        stablehlo.return %s : tensor<i64>
    }) {replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>} : (tensor<2xi64>) -> tensor<2xi64>
    %z = "stablehlo.collective_reduce"(%x, %root) ({
      ^bb0(%a: tensor<i64>, %b: tensor<i64>):
        %s = stablehlo.multiply %a, %b : tensor<i64>
        stablehlo.return %s : tensor<i64>
    }) {replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>, has_dynamic_root} : (tensor<2xi64>, tensor<1xi32>) -> tensor<2xi64>
    return %y, %z : tensor<2xi64>, tensor<2xi64>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
    %b = stablehlo.constant dense<[10, 20]> : tensor<2xi64>
    %root = stablehlo.constant dense<1> : tensor<1xi32>
    %r:4 = "interpreter.run_parallel"(%a, %root, %b, %root) {programs = [[@sum], [@sum]]} : (tensor<2xi64>, tensor<1xi32>, tensor<2xi64>, tensor<1xi32>) -> (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>)
    check.expect_eq_const %r#0, dense<[0, 0]> : tensor<2xi64>
    check.expect_eq_const %r#1, dense<[10, 40]> : tensor<2xi64>
    check.expect_eq_const %r#2, dense<[11, 22]> : tensor<2xi64>
    check.expect_eq_const %r#3, dense<[0, 0]> : tensor<2xi64>
    func.return
  }
}
