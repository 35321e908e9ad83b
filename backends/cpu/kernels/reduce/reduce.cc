#include "backends/cpu/kernels/reduce/reduce.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "backends/cpu/kernels/reduce/reduce_combine.h"
#include "backends/cpu/kernels/reduce/reduce_run.h"
#include "systolic/base/error.h"
#include "systolic/core/axes.h"
#include "systolic/core/convert.h"

namespace systolic::inline v0 {
namespace kernels {

bool Reduction::supports(ReduceKind kind, DType dtype) {
  const bool bits = kind == ReduceKind::and_ || kind == ReduceKind::or_ || kind == ReduceKind::xor_;
  const bool extreme = kind == ReduceKind::maximum || kind == ReduceKind::minimum;
  if (dtype == DType::pred) return bits || extreme;
  if (is_integer(dtype)) return dtype != DType::i4 && dtype != DType::u4;
  return is_float(dtype) && !bits;
}

Reduction::Reduction(ReduceKind kind, DType dtype, std::span<const int64_t> dims,
                     std::span<const int64_t> axes)
    : kind_(kind), dtype_(dtype) {
  if (!supports(kind, dtype)) {
    raise<Unimplemented>({.what = str("this reduction of ", dtype),
                          .wanted = "bits of integers or pred, sums of numbers but complex"});
  }
  make_groups(dims, axes);
  plan();
}

void Reduction::make_groups(std::span<const int64_t> dims, std::span<const int64_t> axes) {
  std::vector<Group> groups;
  for (size_t k = 0; k < dims.size(); ++k) {
    const bool reduced = has_axis(axes, static_cast<int64_t>(k));
    elements_ *= dims[k];
    if (!reduced) outputs_ *= dims[k];
    if (dims[k] == 1) continue;
    if (!groups.empty() && groups.back().reduced == reduced) {
      groups.back().size *= dims[k];
    } else {
      groups.push_back({.size = dims[k], .stride = 1, .reduced = reduced});
    }
  }
  int64_t stride = 1;
  for (size_t k = groups.size(); k-- > 0;) {
    groups[k].stride = stride;
    stride *= groups[k].size;
  }
  if (!groups.empty()) {
    inner_reduced_ = groups.back().reduced;
    columns_ = groups.back().size;
    groups.pop_back();
  }
  if (!groups.empty()) {
    rows_ = groups.back().size;
    groups.pop_back();
  }
  for (const Group& group : groups) {
    (group.reduced ? outer_reduced_ : outer_kept_).push_back(group);
    (group.reduced ? outer_reduced_count_ : outer_kept_count_) *= group.size;
  }
}

void Reduction::plan() {
  if (elements_ == 0) return;
  const auto blocks = [](int64_t size, int64_t block) { return (size + block - 1) / block; };
  using Blocks = ReductionBlocks;
  column_block_ = std::min(columns_, inner_reduced_ ? Blocks::item_elements : Blocks::most_columns);
  row_block_ = std::clamp<int64_t>(Blocks::item_elements / column_block_, 1, rows_);
  // A block of rows must be contiguous when it is fetched at once.
  if (inner_reduced_ && column_block_ < columns_) row_block_ = 1;
  const int64_t row_blocks = blocks(rows_, row_block_);
  const int64_t column_blocks = blocks(columns_, column_block_);
  kept_blocks_ = inner_reduced_ ? row_blocks : column_blocks;
  reduced_blocks_ = inner_reduced_ ? column_blocks : row_blocks;
  const int64_t tasks = outer_kept_count_ * kept_blocks_;
  const int64_t items = outer_reduced_count_ * reduced_blocks_;
  const int64_t worth = elements_ / tasks / Blocks::piece_elements;
  pieces_ = std::clamp<int64_t>(std::min(Blocks::wanted_tasks / tasks, worth), 1, items);
  if (pieces_ > 1) scratch_bytes_ = static_cast<size_t>(pieces_ * outputs_) * sizeof(double);
}

namespace {

// The result of reducing nothing.
void fill_neutral(ReduceKind kind, DType dtype, int64_t outputs, const void* init, void* output) {
  const size_t bytes = static_cast<size_t>(byte_width(dtype));
  std::array<std::byte, 16> neutral{};
  if (init == nullptr) {
    visit_dtype(dtype, [&](auto tag) {
      using Stored = typename decltype(tag)::type;
      if constexpr (!is_complex_type<Stored>) {
        visit_kind(kind, [&](auto kind_tag) {
          using T = CombineType<Stored>;
          constexpr ReduceKind which = decltype(kind_tag)::value;
          const Stored value = convert_element<Stored>(reduce_neutral<which, T>());
          std::memcpy(neutral.data(), &value, sizeof(value));
        });
      }
    });
    init = neutral.data();
  }
  for (int64_t i = 0; i < outputs; ++i) {
    std::memcpy(static_cast<std::byte*>(output) + static_cast<size_t>(i) * bytes, init, bytes);
  }
}

}  // namespace

namespace {

// Reads from an array, or from a program's output. What they refer to must outlive them.
auto fetch_from(const void* input, int width) {
  return [input, width](int64_t begin, int64_t, void*) -> const void* {
    return static_cast<const char*>(input) + begin * width;
  };
}
auto fetch_from(const TileProgram& program, std::span<const void* const> inputs) {
  return [&program, inputs](int64_t begin, int64_t count, void* buffer) -> const void* {
    void* outputs[] = {buffer};
    program.run_range(begin, begin + count, inputs, outputs);
    return buffer;
  };
}

}  // namespace

void Reduction::check(const TileProgram& program) const {
  ensure(program.outputs() == 1 && program.output_dtype(0) == dtype_ &&
             program.elements() == elements_,
         "a reduction of a program takes its one output, of the planned type and size");
}

int64_t Reduction::parts() const {
  const bool by_rows = inner_reduced_ && outer_kept_.empty() && outer_reduced_.empty();
  return by_rows && pieces_ == 1 && elements_ > 0 ? rows_ : 0;
}

void Reduction::run(const void* input, void* output, void* scratch, ThreadPool& pool,
                    const void* init) const {
  if (elements_ == 0) return fill_neutral(kind_, dtype_, outputs_, init, output);
  run_reduction(*this, fetch_from(input, byte_width(dtype_)), output, scratch, pool, init);
}

void Reduction::run(const TileProgram& program, std::span<const void* const> inputs, void* output,
                    void* scratch, ThreadPool& pool, const void* init) const {
  check(program);
  if (elements_ == 0) return fill_neutral(kind_, dtype_, outputs_, init, output);
  run_reduction(*this, fetch_from(program, inputs), output, scratch, pool, init);
}

void Reduction::run_parts(int64_t begin, int64_t end, const void* input, void* output,
                          const void* init) const {
  run_reduction_rows(*this, begin, end, fetch_from(input, byte_width(dtype_)), output, init);
}

void Reduction::run_parts(int64_t begin, int64_t end, const TileProgram& program,
                          std::span<const void* const> inputs, void* output,
                          const void* init) const {
  check(program);
  run_reduction_rows(*this, begin, end, fetch_from(program, inputs), output, init);
}

}  // namespace kernels
}  // namespace systolic::inline v0
