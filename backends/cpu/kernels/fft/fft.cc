#include "backends/cpu/kernels/fft/fft.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <span>

#include "backends/cpu/kernels/fft/fft_chirp.h"
#include "backends/cpu/kernels/fft/fft_chirp_rows.h"
#include "backends/cpu/kernels/fft/fft_stages.h"
#include "backends/cpu/kernels/scratch_cursor.h"
#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace kernels {

struct Fft::Implementation {
  virtual ~Implementation() = default;
  virtual size_t scratch_bytes() const = 0;
  virtual void run(const void* input, void* output, void* scratch, ThreadPool& pool) const = 0;
  double flops = 0;
};

namespace {

int64_t product(std::span<const int64_t> dims) {
  int64_t result = 1;
  for (int64_t size : dims) result *= size;
  return result;
}

// A row of 2^12 lies in the second cache with its results; longer ones are split, and shorter ones
// too where there are too few rows to fill a vector.
constexpr int64_t longest_whole = 4096, shortest_split = 512;

// The larger of two factors that are as equal as can be.
int64_t larger_factor(int64_t n) {
  auto smaller = static_cast<int64_t>(std::sqrt(static_cast<double>(n)));
  while (n % smaller != 0) --smaller;
  return n / smaller;
}

using Axis = FftAxis;

enum class Memory : uint8_t { input, output, between, halves, whole, chirp };

template <class T>
class Plan final : public Fft::Implementation {
 public:
  Plan(const FftOptions& options, int threads) : threads_(threads) {
    std::vector<int64_t> dims = options.input_dims;
    const size_t rank = dims.size(), count = options.lengths.size();
    const bool to_real = options.kind == FftKind::irfft, from_real = options.kind == FftKind::rfft;
    backwards_ = to_real || options.kind == FftKind::ifft;
    Memory at = Memory::input;
    if (!to_real) {
      at = add_axis(dims, rank - 1, options.lengths.back(), at, Memory::output,
                    from_real ? FftEnd::real : FftEnd::complex,
                    from_real ? FftEnd::half : FftEnd::complex);
    }
    for (size_t i = rank - count; i + 1 < rank; ++i) {
      const Memory to = to_real ? Memory::halves : Memory::output;
      at = add_axis(dims, i, options.lengths[i - (rank - count)], at, to, FftEnd::complex,
                    FftEnd::complex);
      if (to_real) halves_elements_ = std::max(halves_elements_, product(dims));
    }
    if (to_real) {
      add_axis(dims, rank - 1, options.lengths.back(), at, Memory::output, FftEnd::half,
               FftEnd::real);
    }
  }

  size_t scratch_bytes() const override {
    Scratch scratch(*this, nullptr);
    return static_cast<size_t>(scratch.cursor.taken()) * sizeof(float);
  }

  void run(const void* input, void* output, void* scratch, ThreadPool& pool) const override {
    const Scratch memory(*this, scratch);
    const auto at = [&](Memory where) -> T* {
      switch (where) {
        case Memory::input:
          return const_cast<T*>(static_cast<const T*>(input));  // NOLINT: only read
        case Memory::output:
          return static_cast<T*>(output);
        case Memory::between:
          return memory.between;
        case Memory::halves:
          return memory.halves;
        case Memory::whole:
          return memory.whole;
        case Memory::chirp:
          return memory.chirp;
      }
      return nullptr;
    };
    for (const Step& step : steps_) {
      const T* from = at(step.from);
      T* to = at(step.to);
      switch (step.kind) {
        case Kind::pass:
          run_pass(step.pass, from, to, memory.buffers, pool);
          break;
        case Kind::expand:
          expand(step.axis, from, to, pool);
          break;
        case Kind::chirp_begin:
          begin_chirp(*step.chirp, step.axis, step.end, from, to, pool);
          break;
        case Kind::chirp_multiply:
          multiply_chirp(*step.chirp, step.axis, to, pool);
          break;
        case Kind::chirp_end:
          end_chirp(*step.chirp, step.axis, step.end, from, to, pool);
          break;
      }
    }
  }

 private:
  enum class Kind : uint8_t {
    pass,
    expand,  // makes whole spectra of halves
    chirp_begin,
    chirp_multiply,
    chirp_end,
  };
  struct Step {
    Kind kind = Kind::pass;
    Memory from = Memory::input, to = Memory::output;
    FftPass<T> pass = {};
    Axis axis = {};
    const FftChirp<T>* chirp = nullptr;
    FftEnd end = FftEnd::complex;  // of the array's side of a chirp's begin or end
  };

  struct Scratch {
    Scratch(const Plan& plan, void* given) : cursor(given) {
      const int64_t floats = sizeof(T) / sizeof(float);
      const auto take = [&](int64_t elements) {
        return reinterpret_cast<T*>(cursor.take(floats * elements));
      };
      between = take(2 * plan.between_elements_);
      halves = take(2 * plan.halves_elements_);
      whole = take(2 * plan.whole_elements_);
      chirp = take(2 * plan.chirp_elements_);
      buffers = take(plan.threads_ * plan.buffer_elements_);
    }
    ScratchCursor cursor;
    T *between = nullptr, *halves = nullptr, *whole = nullptr, *chirp = nullptr, *buffers = nullptr;
  };

  const std::vector<FftStage<T>>* stages(int64_t n) {
    buffer_elements_ = std::max(buffer_elements_, fft_buffer_elements<T>(n));
    const auto found = stages_.find(n);
    return found != stages_.end() ? &found->second
                                  : &stages_.emplace(n, fft_stages<T>(n)).first->second;
  }

  // Transforms an axis of `dims`, which become those of the result; gives where that lies.
  Memory add_axis(std::vector<int64_t>& dims, size_t which, int64_t n, Memory from, Memory to,
                  FftEnd from_end, FftEnd to_end) {
    const std::span<const int64_t> all(dims);
    Axis axis{n,         product(all.first(which)), product(all.subspan(which + 1)), dims[which], n,
              backwards_};
    if (to_end == FftEnd::half) axis.to_size = n / 2 + 1;
    dims[which] = axis.to_size;
    const bool real = from_end == FftEnd::real || to_end == FftEnd::real;
    const auto elements = static_cast<double>(axis.rows() * n);
    flops += (real ? 2.5 : 5.0) * elements * std::log2(static_cast<double>(n));
    if (fft_wants_chirp(n)) {
      add_chirp(axis, from, to, from_end, to_end);
    } else {
      add_transform(axis, from, to, from_end, to_end);
    }
    return to;
  }

  // For a length of small factors.
  void add_transform(const Axis& axis, Memory from, Memory to, FftEnd from_end, FftEnd to_end) {
    const int64_t n = axis.n, factor = n > 1 ? larger_factor(n) : 1;
    const bool real = from_end == FftEnd::real || to_end == FftEnd::real;
    const bool few = n >= shortest_split && axis.rows() * (real ? 1 : 2) <= fft_lanes<T>();
    if ((n > longest_whole || few) && n / factor >= 8) {
      add_split(axis, factor, from, to, from_end, to_end);
    } else {
      add_whole(axis, from, to, from_end, to_end);
    }
  }

  FftPass<T> new_pass(const Axis& axis, int64_t n, FftEnd from_end, FftEnd to_end,
                      const FftChirp<T>* chirp = nullptr) {
    FftPass<T> pass;
    pass.n = n;
    pass.from_end = from_end;
    pass.to_end = to_end;
    pass.backwards = axis.backwards;
    pass.chirp = chirp;
    pass.stages = stages(chirp != nullptr ? chirp->m : n);
    return pass;
  }

  void add_whole(const Axis& axis, Memory from, Memory to, FftEnd from_end, FftEnd to_end,
                 const FftChirp<T>* chirp = nullptr) {
    FftPass<T> pass = new_pass(axis, axis.n, from_end, to_end, chirp);
    pass.paired = from_end != FftEnd::complex;
    pass.rows.sizes = {1, axis.outer, axis.inner};
    pass.rows.from_strides = {0, axis.from_size * axis.inner, 1};
    pass.rows.to_strides = {0, axis.to_size * axis.inner, 1};
    pass.from_step = pass.to_step = axis.inner;
    pass.scale = axis.scale<T>();
    add_pass(pass, from, to);
  }

  // n = p m: transforms of length p over m columns, times the roots of n, then m over p rows.
  void add_split(Axis axis, int64_t m, Memory from, Memory to, FftEnd from_end, FftEnd to_end) {
    const int64_t n = axis.n, p = n / m, step = axis.inner;
    between_elements_ = std::max(between_elements_, axis.rows() * n);
    if (from_end == FftEnd::half) add_expansion(axis, from, from_end);
    FftPass<T> columns = new_pass(axis, p, from_end, FftEnd::complex);
    columns.rows.sizes = {axis.outer, axis.inner, m};
    columns.rows.from_strides = {axis.from_size * axis.inner, 1, step};
    columns.rows.to_strides = {axis.inner * n, n, 1};
    columns.from_step = m * step;
    columns.to_step = m;
    columns.factors = factors(p, m);
    add_pass(columns, from, Memory::between);
    FftPass<T> lines = new_pass(axis, m, FftEnd::complex, to_end);
    lines.rows.sizes = {axis.outer, axis.inner, p};
    lines.rows.from_strides = {axis.inner * n, n, m};
    lines.rows.to_strides = {axis.to_size * axis.inner, 1, step};
    lines.to_step = p * step;
    lines.scale = axis.scale<T>();
    if (to_end == FftEnd::half) lines.last_of_half = n / 2;
    add_pass(lines, Memory::between, to);
  }

  void add_chirp(Axis axis, Memory from, Memory to, FftEnd from_end, FftEnd to_end) {
    const auto found = chirps_.try_emplace(axis.n);
    FftChirp<T>& chirp = found.first->second;
    if (found.second) chirp = fft_chirp<T>(axis.n);
    // Rows enough for half of a vector's lanes, which a cache holds.
    const bool real = from_end != FftEnd::complex || to_end != FftEnd::complex;
    const bool many = axis.rows() * (real ? 1 : 2) >= fft_lanes<T>();
    if (many && axis.n <= longest_whole / 2) {
      return add_whole(axis, from, to, from_end, to_end, &chirp);
    }
    if (from_end == FftEnd::half) add_expansion(axis, from, from_end);
    chirp_elements_ = std::max(chirp_elements_, axis.rows() * chirp.m);
    const Axis rows{chirp.m, axis.rows(), 1, chirp.m, chirp.m, false};
    const auto add = [&](Kind kind, Memory source, Memory target, FftEnd end) {
      steps_.push_back(
          {.kind = kind, .from = source, .to = target, .axis = axis, .chirp = &chirp, .end = end});
    };
    add(Kind::chirp_begin, from, Memory::chirp, from_end);
    add_transform(rows, Memory::chirp, Memory::chirp, FftEnd::complex, FftEnd::complex);
    add(Kind::chirp_multiply, Memory::chirp, Memory::chirp, FftEnd::complex);
    add_transform(rows, Memory::chirp, Memory::chirp, FftEnd::complex, FftEnd::complex);
    add(Kind::chirp_end, Memory::chirp, to, to_end);
  }

  void add_pass(const FftPass<T>& pass, Memory from, Memory to) {
    steps_.push_back({.kind = Kind::pass, .from = from, .to = to, .pass = pass});
  }

  // From here on the axis is a whole spectrum.
  void add_expansion(Axis& axis, Memory& from, FftEnd& from_end) {
    whole_elements_ = axis.rows() * axis.n;
    steps_.push_back(
        {.kind = Kind::expand, .from = from, .to = Memory::whole, .pass = {}, .axis = axis});
    axis.from_size = axis.n;
    from = Memory::whole;
    from_end = FftEnd::complex;
  }

  // The roots of p m, [p, m]: real parts, then imaginary ones.
  const T* factors(int64_t p, int64_t m) {
    std::vector<T>& table = factors_[p * m];
    table.resize(static_cast<size_t>(2 * p * m));
    for (int64_t c = 0; c < p; ++c) {
      for (int64_t b = 0; b < m; ++b) {
        const double turn = static_cast<double>(c * b) / static_cast<double>(p * m);
        const auto at = static_cast<size_t>(c * m + b);
        table[at] = static_cast<T>(std::cos(2 * std::numbers::pi * turn));
        table[at + static_cast<size_t>(p * m)] =
            static_cast<T>(-std::sin(2 * std::numbers::pi * turn));
      }
    }
    return table.data();
  }

  void run_pass(const FftPass<T>& pass, const T* from, T* to, T* buffers, ThreadPool& pool) const {
    const int64_t width = fft_lanes<T>() * (pass.paired ? 2 : 1);
    const int64_t groups = (pass.rows.count() + width - 1) / width;
    constexpr int64_t worth_a_thread = 1 << 14;  // elements
    const int64_t share = std::max<int64_t>(1, worth_a_thread / (pass.n * width));
    const int64_t tasks = (groups + share - 1) / share;
    const auto body = [&](int64_t task, int slot) {
      run_fft_groups(pass, from, to, task * share, std::min(groups, (task + 1) * share),
                     buffers + slot * buffer_elements_);
    };
    if (tasks == 1) return body(0, 0);
    pool.parallel_tasks(tasks, threads_, body);
  }

  // Rows of n elements from their first n / 2 + 1, of which those that are their own conjugates
  // have no imaginary part.
  void expand(const Axis& axis, const T* from, T* to, ThreadPool& pool) const {
    const int64_t n = axis.n, last = n / 2;
    pool.parallel_for(axis.outer, std::max<int64_t>(1, (1 << 14) / n), [&](int64_t i, int64_t end) {
      for (; i < end; ++i) {
        const T* half = from + 2 * i * (last + 1);
        T* row = to + 2 * i * n;
        std::copy_n(half, 2 * (last + 1), row);
        row[1] = 0;
        if (n % 2 == 0) row[n + 1] = 0;
        for (int64_t e = 1; e < n - last; ++e) {
          row[2 * (n - e)] = half[2 * e];
          row[2 * (n - e) + 1] = -half[2 * e + 1];
        }
      }
    });
  }

  int threads_;
  bool backwards_ = false;
  std::vector<Step> steps_;
  std::map<int64_t, std::vector<FftStage<T>>> stages_;  // by length
  std::map<int64_t, std::vector<T>> factors_;
  std::map<int64_t, FftChirp<T>> chirps_;
  // Complex ones.
  int64_t between_elements_ = 0, halves_elements_ = 0, whole_elements_ = 0, chirp_elements_ = 0;
  int64_t buffer_elements_ = 0;
};

}  // namespace

Fft::Fft(const FftOptions& options, int threads) {
  const size_t rank = options.input_dims.size(), count = options.lengths.size();
  ensure(count >= 1 && count <= rank, "a transform has a length for some of its axes");
  ensure(product(options.input_dims) > 0 && product(options.lengths) > 0,
         "a transform has elements");
  if (options.is_double) {
    implementation_ = std::make_unique<Plan<double>>(options, threads);
  } else {
    implementation_ = std::make_unique<Plan<float>>(options, threads);
  }
}
Fft::~Fft() = default;
Fft::Fft(Fft&&) noexcept = default;
Fft& Fft::operator=(Fft&&) noexcept = default;

size_t Fft::scratch_bytes() const { return implementation_->scratch_bytes(); }
double Fft::flops() const { return implementation_->flops; }
void Fft::run(const void* input, void* output, void* scratch, ThreadPool& pool) const {
  implementation_->run(input, output, scratch, pool);
}

}  // namespace kernels
}  // namespace systolic::inline v0
