// Speed of the heavy kernels on the shapes of the MNIST examples. Usage: kernels_bench [THREADS
// [WORD [COPIES]]]: only rows whose name holds WORD. Prints the best of several runs; methods of
// one convolution are run alternately. Products take turns with COPIES sets of arrays, so that
// those of a call lie no nearer than in a model whose other steps have used the caches meanwhile.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/cpu/kernels/convolution/convolution.h"
#include "backends/cpu/kernels/instruction_set.h"
#include "backends/cpu/kernels/kernel_test_data.h"
#include "backends/cpu/kernels/matmul/matmul.h"
#include "backends/cpu/kernels/matmul/matmul_implementation.h"
#include "systolic/base/text.h"

namespace systolic {
namespace {

using namespace kernels;

std::string wanted_word;
int threads = 1;
int copies = 1;

// By the clock, and of the processors: the second hardly moves when other programs run on the
// machine.
struct Time {
  double wall = 1e9, processors = 1e9;
};

Time time_of(const std::function<void()>& run) {
  const auto begin = std::chrono::steady_clock::now();
  const std::clock_t processors = std::clock();
  run();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
          static_cast<double>(std::clock() - processors) / CLOCKS_PER_SEC};
}

// Best seconds of each of `runs`, which take turns for about a second.
std::vector<Time> best_times(const std::vector<std::function<void()>>& runs) {
  std::vector<Time> best(runs.size());
  double spent = 0;
  for (int round = 0; round < 200 && (round < 4 || spent < 1.0); ++round) {
    for (size_t i = 0; i < runs.size(); ++i) {
      const Time time = time_of(runs[i]);
      spent += time.wall;
      if (round == 0) continue;
      best[i].wall = std::min(best[i].wall, time.wall);
      best[i].processors = std::min(best[i].processors, time.processors);
    }
  }
  return best;
}

void print(const std::string& name, double flops, Time time, int repeats = 1) {
  std::printf("%-44s %9.3f ms %7.1f GFLOP/s, %9.3f processor ms\n", name.c_str(),
              time.wall * 1e3 / repeats, flops / time.wall * repeats * 1e-9,
              time.processors * 1e3 / repeats);
  std::fflush(stdout);
}

bool wanted(const std::string& name) { return name.find(wanted_word) != std::string::npos; }

// The operands of a product, `copies` times, and the ways to compute it.
class ProductBench {
 public:
  explicit ProductBench(const MatmulOptions& o)
      : a_bytes(o.batch * o.m * o.k * byte_width(o.dtype)),
        b_bytes(o.batch * o.k * o.n * byte_width(o.dtype)),
        c_bytes(o.batch * o.m * o.n * 4),
        a(a_bytes * copies),
        b(b_bytes * copies),
        c(c_bytes * copies),
        bias(o.n * byte_width(o.dtype)) {}

  // Computes the product `repeats` times.
  template <class Product>
  std::function<void()> by(const Product& product, int repeats, ThreadPool& pool) {
    auto scratch = std::make_shared<AlignedBytes>(product.scratch_bytes());
    return [this, &product, repeats, &pool, scratch] {
      for (int i = 0; i < repeats; ++i) {
        product.run({.a = set(a, i, a_bytes),
                     .b = set(b, i, b_bytes),
                     .c = set(c, i, c_bytes),
                     .bias = bias.data()},
                    scratch->data(), pool);
      }
    };
  }

 private:
  static void* set(AlignedBytes& sets, int64_t index, int64_t bytes) {
    return static_cast<unsigned char*>(sets.data()) + index % copies * bytes;
  }

  int64_t a_bytes, b_bytes, c_bytes;
  AlignedBytes a, b, c, bias;
};

void bench_matmul(const std::string& name, const MatmulOptions& options) {
  if (!wanted(name)) return;
  const Matmul matmul(options, threads);
  const auto peer = options.dtype == DType::f32 ? make_onednn_matmul(options, threads) : nullptr;
  const int few = matmul.flops() < 1e8 ? static_cast<int>(1e8 / matmul.flops()) + 1 : 1;
  const int repeats = std::max(few, copies);
  ProductBench bench(options);
  ThreadPool pool(threads);
  const ThreadPool::Busy busy(pool);
  std::vector<std::function<void()>> runs = {bench.by(matmul, repeats, pool)};
  if (peer) runs.push_back(bench.by(*peer, repeats, pool));
  const auto times = best_times(runs);
  print(name, matmul.flops(), times[0], repeats);
  if (peer) print(name + " (oneDNN)", matmul.flops(), times[1], repeats);
}

// The three products of a dense layer.
void bench_dense(const std::string& name, int64_t batch, int64_t features, int64_t units,
                 DType dtype = DType::f32) {
  const std::string size = str(name, " ", batch, "x", features, "x", units, " ");
  bench_matmul(size + "forward", {.m = batch,
                                  .n = units,
                                  .k = features,
                                  .a = row_major(batch, features),
                                  .b = row_major(features, units),
                                  .c = row_major(batch, units),
                                  .dtype = dtype,
                                  .bias = true,
                                  .relu = true});
  bench_matmul(size + "dw", {.m = features,
                             .n = units,
                             .k = batch,
                             .a = transposed(batch, features),
                             .b = row_major(batch, units),
                             .c = row_major(features, units),
                             .dtype = dtype});
  bench_matmul(size + "dx", {.m = batch,
                             .n = features,
                             .k = units,
                             .a = row_major(batch, units),
                             .b = transposed(features, units),
                             .c = row_major(batch, features),
                             .dtype = dtype});
}

std::string_view name_of(ConvolutionMethod method) {
  switch (method) {
    case ConvolutionMethod::generic:
      return "generic";
    case ConvolutionMethod::direct:
      return "direct";
    case ConvolutionMethod::winograd:
      return "winograd";
    case ConvolutionMethod::patches:
      return "patches";
    default:
      return "automatic";
  }
}

void bench_convolution(const std::string& name, const ConvolutionShape& s,
                       std::vector<ConvolutionMethod> methods, bool data = true,
                       DType dtype = DType::f32) {
  if (!wanted(name)) return;
  const int64_t width = byte_width(dtype);
  AlignedBytes x(s.input_elements() * width), y(s.output_elements() * width),
      dy(s.output_elements() * width), dx(s.input_elements() * width),
      w(s.weight_elements() * width), dw(s.weight_elements() * width), bias(s.out_channels * width),
      db(s.out_channels * width);
  std::vector<std::function<void()>> forwards, backwards;
  ThreadPool pool(threads);
  for (ConvolutionMethod method : methods) {
    auto forward = std::make_shared<ConvolutionForward>(
        s, ConvolutionForwardOptions{.dtype = dtype, .bias = true, .relu = true, .method = method},
        threads);
    auto backward =
        std::make_shared<ConvolutionBackward>(s,
                                              ConvolutionBackwardOptions{.dtype = dtype,
                                                                         .data = data,
                                                                         .bias_gradient = true,
                                                                         .relu_mask = true,
                                                                         .method = method},
                                              threads);
    auto scratch = std::make_shared<AlignedBytes>(
        std::max(forward->scratch_bytes(), backward->scratch_bytes()));
    forwards.push_back([=, &x, &y, &w, &bias, &pool] {
      forward->run({.x = x.data(), .w = w.data(), .bias = bias.data(), .y = y.data()},
                   scratch->data(), pool);
    });
    backwards.push_back([=, &x, &y, &w, &dx, &dy, &dw, &db, &pool] {
      backward->run({.x = x.data(),
                     .w = w.data(),
                     .y = y.data(),
                     .dy = dy.data(),
                     .dx = dx.data(),
                     .dw = dw.data(),
                     .db = db.data()},
                    scratch->data(), pool);
    });
  }
  const auto forward_times = best_times(forwards), backward_times = best_times(backwards);
  for (size_t i = 0; i < methods.size(); ++i) {
    print(str(name, " forward ", name_of(methods[i])), s.flops(), forward_times[i]);
    print(str(name, " backward ", name_of(methods[i])), s.flops() * (data ? 2 : 1),
          backward_times[i]);
  }
}

void bench_all() {
  bench_dense("mlp1", 32, 784, 128);
  bench_dense("mlp2", 32, 128, 10);
  bench_dense("dense3", 200, 128, 10);
  bench_dense("dense2", 200, 256, 128);
  bench_dense("dense1", 200, 18432, 256);
  bench_dense("wide1", 200, 147456, 256);
  bench_dense("narrow1", 32, 147456, 256);
  bench_dense("square", 1024, 1024, 1024);
  bench_dense("projection", 2048, 384, 384);
  bench_dense("feed_forward_up", 2048, 384, 1536);
  bench_dense("feed_forward_down", 2048, 1536, 384);
  bench_dense("vocabulary", 2048, 384, 30522);
  bench_dense("vit_projection", 1576, 768, 768);
  bench_dense("vit_up", 1576, 768, 3072);
  bench_dense("vit_down", 1576, 3072, 768);
  bench_dense("one_row", 1, 768, 3072);
  bench_dense("eight_rows", 8, 768, 3072);
  bench_dense("bf16_projection", 2048, 384, 384, DType::bf16);
  bench_dense("bf16_up", 2048, 384, 1536, DType::bf16);
  bench_dense("bf16_down", 2048, 1536, 384, DType::bf16);
  bench_dense("bf16", 200, 18432, 256, DType::bf16);
  const auto direct = ConvolutionMethod::direct, winograd = ConvolutionMethod::winograd;
  for (int64_t filters : {32, 256}) {
    const ConvolutionShape first{.batch = 200,
                                 .height = 28,
                                 .width = 28,
                                 .in_channels = 1,
                                 .out_channels = filters,
                                 .kernel_height = 3,
                                 .kernel_width = 3};
    ConvolutionShape second = first;
    second.height = second.width = 26;
    second.in_channels = filters;
    bench_convolution(str("conv1 ", filters), first, {direct, ConvolutionMethod::patches}, false);
    bench_convolution(str("conv2 ", filters), second, {direct, winograd});
    bench_convolution(str("conv2 bf16 ", filters), second, {direct, winograd}, true, DType::bf16);
  }
}

}  // namespace
}  // namespace systolic

int main(int argc, char** argv) {
  systolic::kernels::limit_instruction_set();
  systolic::threads = argc > 1 ? std::atoi(argv[1]) : systolic::ThreadPool::calibrated_threads();
  if (argc > 2) systolic::wanted_word = argv[2];
  if (argc > 3) systolic::copies = std::max(1, std::atoi(argv[3]));
  systolic::bench_all();
}
