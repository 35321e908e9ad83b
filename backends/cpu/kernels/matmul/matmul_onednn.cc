// Matrix products by oneDNN, one thread each on slices of the batch, the rows or the columns of the
// result. For bf16 and 8-bit integers on processors that multiply them (AVX512-BF16, VNNI, AMX),
// and for large products of f32.
#include <algorithm>
#include <atomic>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/cpu/kernels/matmul/matmul_implementation.h"
#include "backends/cpu/kernels/onednn.h"
#include "backends/cpu/kernels/product_end.h"
#include "backends/cpu/kernels/scratch_cursor.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

using dnnl::memory;
using Arguments = std::unordered_map<int, memory>;

memory::data_type type_of(DType dtype) {
  switch (dtype) {
    case DType::bf16:
      return memory::data_type::bf16;
    case DType::i8:
      return memory::data_type::s8;
    case DType::u8:
      return memory::data_type::u8;
    case DType::i32:
      return memory::data_type::s32;
    default:
      return memory::data_type::f32;
  }
}

// Sizes of one slice of the result.
struct Slice {
  int64_t batch, m, n;
};

memory::desc describe(int64_t batch, int64_t rows, int64_t columns, const MatrixLayout& layout,
                      DType dtype) {
  // One matrix for the whole batch: oneDNN repeats an axis of size 1.
  const int64_t matrices = layout.batch_stride == 0 ? 1 : batch;
  const int64_t batch_stride = layout.batch_stride == 0 ? rows * columns : layout.batch_stride;
  return {{matrices, rows, columns},
          type_of(dtype),
          {batch_stride, layout.row_stride, layout.column_stride}};
}

// Moves on to oneDNN's GEMM; false where it has none for the product, and the description is spent.
// Its first choice for dense f32 (brgemm) reads b where it lies: on a Xeon of family 6, model 207,
// 1.1 times as slowly as the GEMM, which packs it, and up to twice where rows of b lie a multiple
// of 4 KiB apart. The GEMM's one drawback is a pass over the result for the bias: 1 to 5 %.
bool choose_gemm(dnnl::matmul::primitive_desc& description) {
  const auto is_gemm = [&] {
    return std::string_view(description.impl_info_str()).starts_with("gemm:jit");
  };
  while (!is_gemm()) {
    if (!description.next_impl()) return false;
  }
  return true;
}

// A relu makes a pass over the result, since oneDNN's turns NaN into 0. It can add the bias too.
bool end_adds_bias(const MatmulOptions& o) {
  return o.relu && o.bias && o.dtype == DType::f32 && o.c.column_stride == 1;
}
bool onednn_adds_bias(const MatmulOptions& o) { return o.bias && !end_adds_bias(o); }

dnnl::matmul::primitive_desc describe(const MatmulOptions& o, const Slice& slice) {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  dnnl::post_ops operations;
  if (o.accumulate) operations.append_sum(1.0f);
  attributes.set_post_ops(operations);
  const memory::desc bias({1, 1, slice.n}, type_of(o.dtype), memory::format_tag::abc);
  const auto first_choice = [&] {
    return dnnl::matmul::primitive_desc(
        onednn_engine(), describe(slice.batch, slice.m, o.k, o.a, o.dtype),
        describe(slice.batch, o.k, slice.n, o.b, o.dtype),
        onednn_adds_bias(o) ? bias : memory::desc(),
        describe(slice.batch, slice.m, slice.n, o.c, o.output_dtype), attributes);
  };
  dnnl::matmul::primitive_desc description = first_choice();
  const bool keeps = o.dtype != DType::f32 || choose_gemm(description);
  return keeps ? description : first_choice();  // copies of a description move on with it
}

struct OnednnMatmul final : Matmul::Implementation {
  OnednnMatmul(const MatmulOptions& options, int threads) : Implementation(options) {
    const MatmulOptions& o = options;
    axis = o.batch >= threads ? &Slice::batch : o.m >= o.n ? &Slice::m : &Slice::n;
    const Slice whole{o.batch, o.m, o.n};
    // Rows and columns in multiples of a tile of the matrix unit, or of what f32 has in registers.
    const int64_t tile = o.dtype == DType::f32 && axis == &Slice::m ? 4 : 32;
    const int64_t step = axis == &Slice::batch ? 1 : tile;
    size = std::min(whole.*axis, round_up_to((whole.*axis + threads - 1) / threads, step));
    count = (whole.*axis + size - 1) / size;
    add(whole, size);
    if (whole.*axis % size != 0) add(whole, whole.*axis % size);
    for (const auto& description : descriptions) {
      slot_floats = std::max<int64_t>(
          slot_floats,
          round_up_to(static_cast<int64_t>(description.scratchpad_desc().get_size() + 3) / 4, 16));
    }
  }

  void add(Slice slice, int64_t length) {
    slice.*axis = length;
    descriptions.push_back(describe(options, slice));
    primitives.emplace_back(descriptions.back());
  }

  // Whether oneDNN has only its reference loops for it, as for matrices of one row or of one step
  // of k in bf16: a hundred times as slow as what we have.
  bool is_slow() const {
    return std::any_of(descriptions.begin(), descriptions.end(), [](const auto& description) {
      return std::string_view(description.impl_info_str()).substr(0, 3) == "ref";
    });
  }

  size_t scratch_bytes() const override {
    return sizeof(float) * static_cast<size_t>(count * slot_floats);
  }

  void run(const MatmulOperands& operands, void* scratch, ThreadPool& pool) const override {
    pool.parallel_slots(static_cast<int>(count), [&](int index) {
      const OnednnThread alone;
      run_slice(operands, index, static_cast<float*>(scratch) + index * slot_floats);
    });
  }

  void run_slice(const MatmulOperands& operands, int64_t index, float* scratch) const {
    const MatmulOptions& o = options;
    Slice first{0, 0, 0};
    first.*axis = index * size;
    const auto at = [](const void* data, DType dtype, int64_t element) {
      return const_cast<char*>(static_cast<const char*>(data)) + element * byte_width(dtype);
    };
    const auto& engine = onednn_engine();
    const size_t kind = index + 1 == count ? primitives.size() - 1 : 0;
    const auto& description = descriptions[kind];
    Arguments arguments = {
        {DNNL_ARG_SRC, memory(description.src_desc(), engine,
                              at(operands.a, o.dtype,
                                 first.batch * o.a.batch_stride + first.m * o.a.row_stride))},
        {DNNL_ARG_WEIGHTS,
         memory(description.weights_desc(), engine,
                at(operands.b, o.dtype,
                   first.batch * o.b.batch_stride + first.n * o.b.column_stride))},
        {DNNL_ARG_DST, memory(description.dst_desc(), engine,
                              at(operands.c, o.output_dtype,
                                 first.batch * o.c.batch_stride + first.m * o.c.row_stride +
                                     first.n * o.c.column_stride))},
        {DNNL_ARG_SCRATCHPAD, memory(description.scratchpad_desc(), engine, scratch)}};
    if (onednn_adds_bias(o)) {
      arguments.insert({DNNL_ARG_BIAS, memory(description.bias_desc(), engine,
                                              at(operands.bias, o.dtype, first.n))});
    }
    dnnl::stream stream(engine);
    primitives[kind].execute(stream, arguments);
    if (o.relu) finish(operands, first, kind);
  }

  void finish(const MatmulOperands& operands, const Slice& first, size_t kind) const {
    const MatmulOptions& o = options;
    const auto dims = descriptions[kind].dst_desc().get_dims();  // batch, m, n
    const bool transposed = o.c.column_stride != 1;
    const float* bias =
        end_adds_bias(o) ? static_cast<const float*>(operands.bias) + first.n : nullptr;
    for (int64_t matrix = 0; matrix < dims[0]; ++matrix) {
      const int64_t begin = (first.batch + matrix) * o.c.batch_stride + first.m * o.c.row_stride +
                            first.n * o.c.column_stride;
      finish_product({.data = static_cast<char*>(operands.c) + begin * byte_width(o.output_dtype),
                      .dtype = o.output_dtype,
                      .rows = transposed ? dims[2] : dims[1],
                      .columns = transposed ? dims[1] : dims[2],
                      .stride = transposed ? o.c.column_stride : o.c.row_stride},
                     bias, {.least = 0});
    }
  }

  int64_t Slice::*axis = nullptr;  // the one that is cut, into `count` slices of `size`
  int64_t size = 1, count = 1;
  int64_t slot_floats = 0;
  std::vector<dnnl::matmul::primitive_desc>
      descriptions;  // of a full slice, and of a shorter last one
  std::vector<dnnl::matmul> primitives;
};

}  // namespace

std::unique_ptr<Matmul::Implementation> make_onednn_matmul(const MatmulOptions& options,
                                                           int threads) {
  const bool known =
      options.dtype == DType::f32 || options.dtype == DType::bf16 ||
      // What follows a product is computed in f32.
      (sums_in_i32(options) && !options.bias && !options.relu && !options.accumulate);
  if (!known || options.group != 1 || options.batch < 1 || options.m < 1 || options.n < 1 ||
      options.k < 1)
    return nullptr;
  const OnednnThread alone;
  try {
    auto result = std::make_unique<OnednnMatmul>(options, threads);
    // Bytes have nothing better.
    return !sums_in_i32(options) && result->is_slow() ? nullptr : std::move(result);
  } catch (const dnnl::error&) {
    return nullptr;  // oneDNN has no such product on this processor
  }
}

}  // namespace kernels
}  // namespace systolic::inline v0
