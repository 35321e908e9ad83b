#include "backends/cpu/kernels/matmul/matmul.h"

#include <algorithm>

#include "backends/cpu/kernels/amx/amx.h"
#include "backends/cpu/kernels/instruction_set.h"
#include "backends/cpu/kernels/matmul/gemm_cut.h"
#include "backends/cpu/kernels/matmul/matmul_implementation.h"
#include "backends/cpu/kernels/onednn.h"
#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

void check(const MatmulOptions& o, int threads) {
  ensure(threads >= 1, "a matmul is planned for at least one thread");
  ensure(o.batch >= 0 && o.m >= 0 && o.n >= 0 && o.k >= 0, "a matmul's sizes are not negative");
  const bool small_float = o.dtype == DType::bf16 || o.dtype == DType::f16;
  ensure(
      o.output_dtype == o.dtype || (small_float && o.output_dtype == DType::f32) || sums_in_i32(o),
      "a matmul's result has its operands' type, f32 for bf16 and f16, or i32 for i8 and u8");
  ensure(o.group == 1 ||
             ((o.dtype == DType::f32 || small_float) && o.group > 0 && o.batch % o.group == 0),
         "groups of matrices are whole, and of f32, bf16 or f16");
  ensure(!o.by_rows || Matmul::gives_rows(o), "a matmul by rows is one that gives_rows()");
  ensure(!o.b_packed || Matmul::takes_packed(o), "a matmul's b is packed where it takes_packed()");
  ensure(!o.rounds_b || o.b_packed, "only a b that pack() reads is rounded");
}

// Two kinds of product took our own kernel 0.84 to 0.97 times as long as oneDNN on a Xeon of family
// 6, model 207: a transposed a times a narrower b that is read where it lies, and rows of b whose
// sums are written around the caches.
bool is_left_to_us_on_intel(const MatmulOptions& o) {
  const bool tall_gradient =
      o.a.row_stride == 1 && reads_b_in_place(o, gemm_tile_size()) && o.m > o.n;
  const bool streams = o.b.column_stride == 1 && streams_result(o, gemm_tile_size());
  return tall_gradient || streams;
}

// With AVX2 oneDNN needs fewer instructions for as many multiply-adds: as fast as our own kernel on
// a Zen 3 alone, 1.1 times as fast where another thread shares the core; 0.85 times for gradients,
// whose a is transposed.
bool onednn_multiplies_fast(const MatmulOptions& o) {
  return onednn_multiplies_by_avx512() ? !(is_intel() && is_left_to_us_on_intel(o))
                                       : onednn_multiplies_by_avx2() && o.a.column_stride == 1;
}

// Whether oneDNN, which keeps its sums in registers over all of k, is the faster one in f32: with
// 512-bit vectors it took 0.88 to 1.03 times as long for products of transformers; for a gradient
// summed over few our own kernel is as fast.
bool is_left_to_onednn(const MatmulOptions& o) {
  constexpr int64_t least_side = 256, least_work = int64_t{1} << 27;
  return o.dtype == DType::f32 && o.batch == 1 && !o.by_rows &&
         std::min({o.m, o.n, o.k}) >= least_side && o.m * o.n * o.k >= least_work &&
         onednn_multiplies_fast(o);
}

std::unique_ptr<Matmul::Implementation> choose(const MatmulOptions& options, int threads) {
  if (amx_splits(options)) {
    MatmulOptions whole = options;
    whole.splits = false;
    return make_split_matmul(options, threads, choose(whole, threads));
  }
  if (options.dtype == DType::bf16 && onednn_pays_for_bf16()) {
    if (auto result = make_amx_matmul(options, threads)) return result;
    if (auto result = make_onednn_matmul(options, threads)) return result;
  }
  if (sums_in_i32(options) && onednn_multiplies_int8()) {
    if (auto result = make_byte_matmul(options, threads)) return result;
  }
  if (auto result = make_few_rows_matmul(options, threads)) return result;
  if (is_left_to_onednn(options)) {
    if (auto result = make_onednn_matmul(options, threads)) return result;
  }
  switch (options.dtype) {
    case DType::f32:
    case DType::bf16:
    case DType::f16:
      return make_gemm_matmul(options, threads);
    default:
      return make_generic_matmul(options);
  }
}

std::unique_ptr<Matmul::Implementation> plan(const MatmulOptions& options, int threads) {
  check(options, threads);
  return choose(options, threads);
}

}  // namespace

Matmul::Matmul(const MatmulOptions& options, int threads)
    : implementation_(plan(options, threads)) {}
Matmul::~Matmul() = default;
Matmul::Matmul(Matmul&&) noexcept = default;
Matmul& Matmul::operator=(Matmul&&) noexcept = default;

const MatmulOptions& Matmul::options() const { return implementation_->options; }
size_t Matmul::scratch_bytes() const { return implementation_->scratch_bytes(); }

void Matmul::run(const MatmulOperands& operands, void* scratch, ThreadPool& pool) const {
  implementation_->run(operands, scratch, pool);
}

bool Matmul::splits(const MatmulOptions& options) { return amx_splits(options); }

bool Matmul::takes_groups(DType dtype) {
  const bool by_onednn = dtype == DType::bf16 && onednn_pays_for_bf16() && !amx::is_available();
  return dtype == DType::f32 || dtype == DType::f16 || (dtype == DType::bf16 && !by_onednn);
}

bool Matmul::gives_rows(const MatmulOptions& o) {
  if (o.batch != 1 || o.bias || o.relu || o.accumulate) return false;
  if (o.dtype == DType::bf16) return amx_gives_rows(o);
  return o.dtype == DType::f32 && o.output_dtype == DType::f32 && o.n <= most_columns_by_rows &&
         o.k <= most_steps_by_rows;
}

void Matmul::run_rows(const MatmulOperands& operands, void* scratch, ThreadPool& pool,
                      RowsConsumer consume) const {
  ensure(options().by_rows, "run_rows() needs a matmul that is planned by rows");
  implementation_->run_rows(operands, scratch, pool, consume);
}

bool Matmul::takes_packed(const MatmulOptions& o) {
  return o.batch == 1 && !o.accumulate && !o.by_rows && o.a.column_stride == 1 &&
         o.c.column_stride == 1 && amx_takes_packed(o);
}

size_t Matmul::packed_bytes() const { return implementation_->packed_bytes(); }
int64_t Matmul::pack_parts() const { return implementation_->pack_parts(); }

void Matmul::pack(const void* b, int64_t begin, int64_t end, void* packed) const {
  ensure(0 <= begin && begin <= end && end <= pack_parts(), "pack() needs parts that there are");
  implementation_->pack(b, begin, end, packed);
}

int64_t Matmul::parts() const { return implementation_->parts(); }
size_t Matmul::part_scratch_bytes() const { return implementation_->part_scratch_bytes(); }

void Matmul::run_parts(const MatmulOperands& operands, int64_t begin, int64_t end,
                       void* scratch) const {
  ensure(0 <= begin && begin <= end && end <= parts(), "run_parts() needs parts that there are");
  implementation_->run_parts(operands, begin, end, scratch);
}

void Matmul::Implementation::run_parts(const MatmulOperands&, int64_t, int64_t, void*) const {
  ensure(false, "a product without parts runs whole");
}

void Matmul::Implementation::pack(const void*, int64_t, int64_t, void*) const {
  ensure(false, "a product packs its own operands unless it is planned otherwise");
}

void Matmul::Implementation::run_rows(const MatmulOperands&, void*, ThreadPool&,
                                      RowsConsumer) const {
  ensure(false, "products by rows have their own kernel");
}

double Matmul::flops() const {
  const MatmulOptions& o = options();
  return 2.0 * static_cast<double>(o.batch) * static_cast<double>(o.m) * static_cast<double>(o.n) *
         static_cast<double>(o.k);
}

}  // namespace kernels
}  // namespace systolic::inline v0
