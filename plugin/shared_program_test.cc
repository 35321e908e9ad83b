// Programs that two processes of two devices share, as threads over loopback, against one process
// of four devices.
#include <gtest/gtest.h>

#include "backends/pjrt/compile_options.h"
#include "plugin/box.h"
#include "plugin/buffer.h"
#include "plugin/executable.h"
#include "plugin/processes/test_processes.h"
#include "plugin/serve.h"

#ifdef SYSTOLIC_PJRT_PEERS  // a build with Gloo

namespace systolic {
namespace {

using namespace plugin;
using Literals = std::vector<Literal>;
using Handles = std::vector<abi::Buffer*>;

constexpr std::chrono::seconds wait_seconds{20};
const std::vector<TestProcess> two_processes(2);
const std::vector<std::string> no_errors(2, "no error");

// A program on all four devices, in one process or in one of two.
class Program {
 public:
  Program(Client& client, const std::string& text)
      : loaded_(client, compile(client, "mlir", text, pjrt::serialize({.partitions = 4}))) {}

  const Compiled& compiled() const { return *loaded_.compiled; }
  double products() const { return compiled().program()->cost().matrix_flops; }
  size_t own_devices() const { return loaded_.devices.size(); }
  size_t place(size_t device) const { return loaded_.span.own[device]; }

  // The parts of an argument on the process's devices.
  Handles put(size_t argument, const Literal& whole) const {
    const Port& port = compiled().signature.arguments[argument];
    Handles buffers;
    for (size_t i = 0; i < own_devices(); ++i) {
      buffers.push_back(
          new_buffer(of(loaded_.devices[i]), part_of(whole, port.parts, place(i)), port.element));
    }
    return buffers;
  }

  // [argument][device] -> [result][device]
  std::vector<Handles> run(const std::vector<Handles>& arguments) {
    const size_t count = compiled().signature.results.size();
    std::vector<Handles> by_device(own_devices()), made(own_devices(), Handles(count));
    std::vector<abi::Buffer* const*> from;
    std::vector<abi::Buffer**> to;
    for (size_t i = 0; i < own_devices(); ++i) {
      for (const Handles& argument : arguments) by_device[i].push_back(argument[i]);
      from.push_back(by_device[i].data());
      to.push_back(made[i].data());
    }
    abi::LoadedExecutableExecuteArgs args{};
    args.executable = handle<abi::LoadedExecutable>(&loaded_);
    args.arguments = from.data();
    args.device_count = own_devices();
    args.argument_count = arguments.size();
    args.results = to.data();
    serve(args);
    std::vector<Handles> results(count);
    for (const Handles& row : made) {
      for (size_t i = 0; i < count; ++i) results[i].push_back(row[i]);
    }
    return results;
  }

 private:
  LoadedExecutable loaded_;
};

Literals to_host(const Handles& buffers) {
  Literals parts;
  for (abi::Buffer* buffer : buffers) parts.push_back(of(buffer).to_host());
  return parts;
}

void destroy(const std::vector<Handles>& arrays) {
  for (const Handles& buffers : arrays) {
    for (abi::Buffer* buffer : buffers) delete &of(buffer);
  }
}

Literal counted(const Shape& shape, double step) {
  Literal x(DType::f32, shape);
  auto values = x.mutable_data<float>();
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(step * static_cast<double>(i * 7 % 17) - 0.5);
  }
  return x;
}

// A step of a dense layer: x and y cut by rows over the devices, w everywhere and donated.
const char* const dense_step =
    "module @dense_step {\n"
    "sdy.mesh @m = <[\"d\"=4]>\n"
    "func.func @main(%x: tensor<8x3xf32> {sdy.sharding = #sdy.sharding<@m, [{\"d\"}, {}]>}, "
    "%w: tensor<3x2xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>, tf.aliasing_output = 0 : "
    "i32}, %y: tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@m, [{\"d\"}, {}]>}) -> "
    "(tensor<3x2xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}, "
    "tensor<f32> {sdy.sharding = #sdy.sharding<@m, []>}, "
    "tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@m, [{\"d\"}, {}]>}) {\n"
    "%zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "%rate = stablehlo.constant dense<0.1> : tensor<3x2xf32>\n"
    "%guess = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x3xf32>, "
    "tensor<3x2xf32>) -> tensor<8x2xf32>\n"
    "%error = stablehlo.subtract %guess, %y : tensor<8x2xf32>\n"
    "%slope = stablehlo.dot_general %x, %error, contracting_dims = [0] x [0] : (tensor<8x3xf32>, "
    "tensor<8x2xf32>) -> tensor<3x2xf32>\n"
    "%change = stablehlo.multiply %slope, %rate : tensor<3x2xf32>\n"
    "%next = stablehlo.subtract %w, %change : tensor<3x2xf32>\n"
    "%square = stablehlo.multiply %error, %error : tensor<8x2xf32>\n"
    "%loss = stablehlo.reduce(%square init: %zero) applies stablehlo.add across dimensions = "
    "[0, 1] : (tensor<8x2xf32>, tensor<f32>) -> tensor<f32>\n"
    "return %next, %loss, %guess : tensor<3x2xf32>, tensor<f32>, tensor<8x2xf32>\n"
    "}\n}";

// Rows in reverse, rows cut over the devices or, `in_turn`, so that no process has a piece of them.
std::string reversed(bool in_turn) {
  const std::string cut = str("{sdy.sharding = #sdy.sharding<@m, [{",
                              in_turn ? "\"b\", \"a\"" : "\"a\", \"b\"", "}, {}]>}");
  return str(
      "module @reversed {\nsdy.mesh @m = <[\"a\"=2, \"b\"=2]>\n"
      "func.func @main(%x: tensor<8x2xf32> ",
      cut, ") -> (tensor<8x2xf32> ", cut,
      ") {\n%r = stablehlo.reverse %x, dims = [0] : tensor<8x2xf32>\n"
      "return %r : tensor<8x2xf32>\n}\n}");
}

// What three steps leave on the devices: [result][device] of each, and guesses in reverse.
struct Steps {
  std::vector<Literals> arrays;
  double products = 0;
  int64_t shares = 0;
  runtime::MemoryStats memory = {};  // of one device
};

Steps three_steps(Client& client) {
  Program step(client, dense_step), turn(client, reversed(false));
  Steps steps{.arrays = {},
              .products = step.products(),
              .shares = step.compiled().shares,
              .memory = step.compiled().memory()};
  const Handles x = step.put(0, counted({8, 3}, 0.1)), y = step.put(2, counted({8, 2}, 0.07));
  Handles w = step.put(1, counted({3, 2}, 0.2));
  for (int i = 0; i < 3; ++i) {
    const std::vector<Handles> results = step.run({x, w, y}), turned = turn.run({results[2]});
    for (abi::Buffer* buffer : w) EXPECT_TRUE(of(buffer).deleted());
    destroy({w});
    w = results[0];
    for (const Handles& buffers : results) steps.arrays.push_back(to_host(buffers));
    steps.arrays.push_back(to_host(turned[0]));
    destroy({results[1], results[2], turned[0]});
  }
  destroy({x, y, w});
  return steps;
}

void expect_near(const Literal& got, const Literal& wanted) {
  ASSERT_EQ(got.shape(), wanted.shape());
  for (int64_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got.number_at(i), wanted.number_at(i), 1e-5) << i;
  }
}

TEST(SharedProgram, AStepEqualsThatOfOneProcessAndCostsEachHalf) {
  Client one("v3-8", 4, wait_seconds);
  const Steps wanted = three_steps(one);
  EXPECT_EQ(wanted.shares, 1);
  const auto errors = in_processes(two_processes, [&](int process, const auto& groups) {
    Client client("v3-8", groups, wait_seconds);
    const Steps got = three_steps(client);
    EXPECT_EQ(got.shares, 2);
    EXPECT_EQ(got.products, wanted.products / 2);
    EXPECT_EQ(got.memory.arguments, wanted.memory.arguments);
    EXPECT_EQ(got.memory.results, wanted.memory.results);
    ASSERT_EQ(got.arrays.size(), wanted.arrays.size());
    for (size_t i = 0; i < got.arrays.size(); ++i) {
      ASSERT_EQ(got.arrays[i].size(), 2u);
      for (size_t device = 0; device < 2; ++device) {
        const size_t place = 2 * static_cast<size_t>(process) + device;
        expect_near(got.arrays[i][device], wanted.arrays[i][place]);
      }
    }
  });
  EXPECT_EQ(errors, no_errors);
}

// Compiling needs no other process: a program may be looked at in one alone.
TEST(SharedProgram, IsCompiledWithoutTheOthers) {
  const auto errors = in_processes(two_processes, [](int process, const auto& groups) {
    if (process == 1) return;
    Client client("v3-8", groups, wait_seconds);
    const Program step(client, dense_step);
    EXPECT_EQ(step.compiled().shares, 2);
    // The engine has four cores, of which two hold the temporaries of this share.
    EXPECT_EQ(step.compiled().memory().temporaries,
              2 * step.compiled().program()->memory().temporaries);
  });
  EXPECT_EQ(errors, no_errors);
}

// A piece that a shared program left, taken by a program that each computes whole, and back.
TEST(SharedProgram, PiecesTravelToProgramsThatAreNotShared) {
  const Literal x = counted({8, 2}, 0.3);
  const auto errors = in_processes(two_processes, [&](int, const auto& groups) {
    Client client("v3-8", groups, wait_seconds);
    Program pieces(client, reversed(false)), whole(client, reversed(true));
    EXPECT_EQ(pieces.compiled().shares, 2);
    EXPECT_EQ(whole.compiled().shares, 1);
    const Handles given = pieces.put(0, x);
    const std::vector<Handles> once = pieces.run({given});
    // As parts of another array, in which the devices' rows stand in turn.
    const std::vector<Handles> twice = whole.run({once[0]}), again = pieces.run({twice[0]});
    const stablehlo::Parts& rows = pieces.compiled().signature.arguments[0].parts;
    const stablehlo::Parts& turns = whole.compiled().signature.arguments[0].parts;
    Literal array(DType::f32, x.shape());
    const auto reverse = [](const Literal& from) {
      Literal to(from.dtype(), from.shape());
      for (int64_t i = 0; i < from.size(); ++i) {
        const int64_t row = from.shape()[0] - 1 - i / 2;
        to.mutable_data<float>()[static_cast<size_t>(row * 2 + i % 2)] =
            from.data<float>()[static_cast<size_t>(i)];
      }
      return to;
    };
    const auto taken_as = [&](const Literal& from, const stablehlo::Parts& was,
                              const stablehlo::Parts& is) {
      Literal to(from.dtype(), from.shape());
      for (size_t place = 0; place < 4; ++place) put_part(to, part_of(from, was, place), is, place);
      return to;
    };
    const Literal turned = reverse(taken_as(reverse(x), rows, turns));
    const Literal last = reverse(taken_as(turned, turns, rows));
    for (size_t i = 0; i < pieces.own_devices(); ++i) {
      EXPECT_EQ(to_host(twice[0])[i], part_of(turned, turns, whole.place(i)));
      EXPECT_EQ(to_host(again[0])[i], part_of(last, rows, pieces.place(i)));
    }
    destroy({given, once[0], twice[0], again[0]});
  });
  EXPECT_EQ(errors, no_errors);
}

TEST(SharedProgram, OneThatCannotRunItSaysSoToAll) {
  const auto errors = in_processes(two_processes, [](int process, const auto& groups) {
    Client client("v3-8", groups, wait_seconds);
    Program turn(client, reversed(false));
    const Literal x = counted({8, 2}, 0.3);
    const Handles gone = turn.put(0, x), there = turn.put(0, x);
    if (process == 1) of(gone[0]).release();
    const std::string said = error_of([&] { turn.run({gone}); });
    EXPECT_CONTAINS(said, process == 1 ? "the buffer of argument 0"
                                       : "process 1 cannot run a program that all run together");
    destroy(turn.run({there}));  // the next one runs
    groups->among({0, 1})->broken = true;
    EXPECT_CONTAINS(error_of([&] { turn.run({there}); }),
                    "a program of several processes failed in this one before");
    destroy({gone, there});
  });
  EXPECT_EQ(errors, no_errors);
}

}  // namespace
}  // namespace systolic

#endif
