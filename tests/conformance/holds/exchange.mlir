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

// -----

// Collectives in programs that differ: each core computes something else between them. The numbers
// by hand.
module @collectives {
  func.func @adds(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<4xf32>) {
    %sum = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<2xf32>) -> tensor<2xf32>
    %y = stablehlo.add %sum, %x : tensor<2xf32>
    %all = "stablehlo.all_gather"(%y) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<2xf32>) -> tensor<4xf32>
    return %y, %all : tensor<2xf32>, tensor<4xf32>
  }
  func.func @multiplies(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<4xf32>) {
    %square = stablehlo.multiply %x, %x : tensor<2xf32>
    %sum = "stablehlo.all_reduce"(%square) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<2xf32>) -> tensor<2xf32>
    %all = "stablehlo.all_gather"(%sum) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<2xf32>) -> tensor<4xf32>
    return %sum, %all : tensor<2xf32>, tensor<4xf32>
  }
  func.func @main() {
    %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %y = stablehlo.constant dense<[3.0, 4.0]> : tensor<2xf32>
    %r:4 = "interpreter.run_parallel"(%x, %y) {programs = [[@adds], [@multiplies]]} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<4xf32>, tensor<2xf32>, tensor<4xf32>)
    check.expect_eq_const %r#0, dense<[11.0, 20.0]> : tensor<2xf32>
    check.expect_eq_const %r#1, dense<[11.0, 20.0, 10.0, 18.0]> : tensor<4xf32>
    check.expect_eq_const %r#2, dense<[10.0, 18.0]> : tensor<2xf32>
    check.expect_eq_const %r#3, dense<[11.0, 20.0, 10.0, 18.0]> : tensor<4xf32>
    func.return
  }
}

// -----

// Two groups, of which each is met when its own cores have come: the third core sends to the first
// after its own group is through.
module @groups_apart {
  func.func @waits(%x: tensor<i64>, %token: !stablehlo.token) -> tensor<i64> {
    %y, %received = "stablehlo.recv"(%token) {channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<i64>, !stablehlo.token)
    %sum = "stablehlo.all_reduce"(%y) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> ({
    ^bb0(%a: tensor<i64>, %b: tensor<i64>):
      %s = stablehlo.add %a, %b : tensor<i64>
      stablehlo.return %s : tensor<i64>
    }) : (tensor<i64>) -> tensor<i64>
    return %sum : tensor<i64>
  }
  func.func @sums(%x: tensor<i64>, %token: !stablehlo.token) -> tensor<i64> {
    %sum = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> ({
    ^bb0(%a: tensor<i64>, %b: tensor<i64>):
      %s = stablehlo.add %a, %b : tensor<i64>
      stablehlo.return %s : tensor<i64>
    }) : (tensor<i64>) -> tensor<i64>
    return %sum : tensor<i64>
  }
  func.func @sends(%x: tensor<i64>, %token: !stablehlo.token) -> tensor<i64> {
    %sum = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> ({
    ^bb0(%a: tensor<i64>, %b: tensor<i64>):
      %s = stablehlo.add %a, %b : tensor<i64>
      stablehlo.return %s : tensor<i64>
    }) : (tensor<i64>) -> tensor<i64>
    %sent = "stablehlo.send"(%sum, %token) {channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true} : (tensor<i64>, !stablehlo.token) -> !stablehlo.token
    return %sum : tensor<i64>
  }
  func.func @main() {
    %token = stablehlo.after_all : !stablehlo.token
    %one = stablehlo.constant dense<1> : tensor<i64>
    %r:4 = "interpreter.run_parallel"(%one, %token, %one, %token, %one, %token, %one, %token) {programs = [[@waits], [@sums], [@sends], [@sums]]} : (tensor<i64>, !stablehlo.token, tensor<i64>, !stablehlo.token, tensor<i64>, !stablehlo.token, tensor<i64>, !stablehlo.token) -> (tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>)
    check.expect_eq_const %r#0, dense<3> : tensor<i64>
    check.expect_eq_const %r#1, dense<3> : tensor<i64>
    check.expect_eq_const %r#2, dense<2> : tensor<i64>
    check.expect_eq_const %r#3, dense<2> : tensor<i64>
    func.return
  }
}

// -----

// A ring over partitions, and a part of a sum for each.
module @permute_and_scatter {
  func.func @even(%x: tensor<2xi64>) -> (tensor<2xi64>, tensor<1xi64>) {
    %y = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<2xi64>) -> tensor<2xi64>
    %z = "stablehlo.reduce_scatter"(%y) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, use_global_device_ids}> ({
    ^bb0(%a: tensor<i64>, %b: tensor<i64>):
      %s = stablehlo.add %a, %b : tensor<i64>
      stablehlo.return %s : tensor<i64>
    }) : (tensor<2xi64>) -> tensor<1xi64>
    return %y, %z : tensor<2xi64>, tensor<1xi64>
  }
  func.func @odd(%x: tensor<2xi64>) -> (tensor<2xi64>, tensor<1xi64>) {
    %double = stablehlo.add %x, %x : tensor<2xi64>
    %y = "stablehlo.collective_permute"(%double) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<2xi64>) -> tensor<2xi64>
    %z = "stablehlo.reduce_scatter"(%y) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, use_global_device_ids}> ({
    ^bb0(%a: tensor<i64>, %b: tensor<i64>):
      %s = stablehlo.add %a, %b : tensor<i64>
      stablehlo.return %s : tensor<i64>
    }) : (tensor<2xi64>) -> tensor<1xi64>
    return %y, %z : tensor<2xi64>, tensor<1xi64>
  }
  func.func @main() {
    %x = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
    %y = stablehlo.constant dense<[10, 20]> : tensor<2xi64>
    %r:4 = "interpreter.run_parallel"(%x, %y) {programs = [[@even, @odd]]} : (tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>, tensor<1xi64>, tensor<2xi64>, tensor<1xi64>)
    check.expect_eq_const %r#0, dense<[20, 40]> : tensor<2xi64>
    check.expect_eq_const %r#1, dense<21> : tensor<1xi64>
    check.expect_eq_const %r#2, dense<[1, 2]> : tensor<2xi64>
    check.expect_eq_const %r#3, dense<42> : tensor<1xi64>
    func.return
  }
}
