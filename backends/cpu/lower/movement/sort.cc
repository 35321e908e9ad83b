#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "backends/cpu/kernels/movement/gather.h"
#include "backends/cpu/kernels/movement/layout.h"
#include "backends/cpu/kernels/movement/top_k.h"
#include "backends/cpu/lower/families.h"
#include "backends/cpu/lower/regions/scalar_region.h"
#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/core/axes.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

// The comparator is `key[a] < key[b]` or `>` of one operand; or asks for the total order of such
// numbers with -0 made 0 and each NaN the same before, as JAX does.
class KeyReader {
 public:
  struct Key {
    size_t operand;
    kernels::SortOrder order;
  };

  KeyReader(const Planner& planner, const ir::Block& comparator)
      : planner_(planner), comparator_(comparator) {}

  std::optional<Key> read() const {
    if (comparator_.ops.empty()) return std::nullopt;
    const ir::Op& op = comparator_.ops.back();
    if (op.code != ir::OpCode::compare || comparator_.results != op.results) return std::nullopt;
    const auto& compare = op.get<ir::CompareAttributes>();
    const bool greater = compare.direction == ir::Direction::gt;
    if (!greater && compare.direction != ir::Direction::lt) return std::nullopt;
    const Compared left = compared(op.operands[0]), right = compared(op.operands[1]);
    const bool total = compare.type == ir::CompareType::total_order;
    const bool plain = left.changes() == 0 && right.changes() == 0;
    const bool united = left.changes() == 2 && right.changes() == 2 && total;
    if (!plain && !united) return std::nullopt;
    for (size_t i = 0; i + 1 < comparator_.arguments.size(); i += 2) {
      const ir::ValueId a = comparator_.arguments[i], b = comparator_.arguments[i + 1];
      if (left.x == a && right.x == b) return Key{i / 2, {greater, total && plain}};
      if (left.x == b && right.x == a) return Key{i / 2, {!greater, total && plain}};
    }
    return std::nullopt;
  }

 private:
  struct Compared {
    ir::ValueId x;
    bool unites_nans = false, unites_zeros = false;
    int changes() const { return int{unites_nans} + int{unites_zeros}; }
  };

  // x of select(x != x, NaN, x) and of select(x == 0, 0, x).
  Compared compared(ir::ValueId value) const {
    const ir::Op* select = planner_.definition(value);
    if (select == nullptr || select->code != ir::OpCode::select) return {value};
    const ir::Op* condition = planner_.definition(select->operands[0]);
    const std::optional<Literal> constant = planner_.splat(select->operands[1]);
    const bool asks = condition != nullptr && condition->code == ir::OpCode::compare;
    if (!asks || !constant || !is_float(constant->dtype())) return {value};
    Compared inner = compared(select->operands[2]);
    if (condition->operands[0] != inner.x) return {value};
    const ir::Direction direction = condition->get<ir::CompareAttributes>().direction;
    const double number = constant->number_at(0);
    if (direction == ir::Direction::ne && condition->operands[1] == inner.x && number != number &&
        !std::signbit(number)) {
      inner.unites_nans = true;
    } else if (direction == ir::Direction::eq && number == 0 && !std::signbit(number) &&
               is_zero(condition->operands[1])) {
      inner.unites_zeros = true;
    } else {
      return {value};
    }
    return inner;
  }
  bool is_zero(ir::ValueId value) const {
    const std::optional<Literal> constant = planner_.splat(value);
    return constant && is_float(constant->dtype()) && constant->number_at(0) == 0;
  }

  const Planner& planner_;
  const ir::Block& comparator_;
};

struct Rows {
  int64_t rows, columns;
  int64_t read;  // columns that anybody reads of what is sorted
};

// Finds the order by asking the comparator about two elements at a time.
void order_by_comparator(const Frame& frame, const ScalarRegion& less,
                         const std::vector<const std::byte*>& row, const std::vector<int>& widths,
                         std::span<int32_t> order) {
  std::iota(order.begin(), order.end(), 0);
  std::vector<const void*> inputs(2 * row.size());
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    for (size_t i = 0; i < row.size(); ++i) {
      inputs[2 * i] = row[i] + int64_t{a} * widths[i];
      inputs[2 * i + 1] = row[i] + int64_t{b} * widths[i];
    }
    bool result = false;
    void* outputs[] = {&result};
    less.run(frame, inputs, outputs);
    return result;
  });
}

// How many of each sorted row are read, from the first on: all, but where nobody reads the results
// otherwise than by slices that begin there.
int64_t columns_read(const Planner& planner, const ir::Op& sort, int dimension) {
  int64_t most = 0;
  int uses = 0, sliced = 0;
  for (ir::ValueId result : sort.results) uses += planner.uses(result);
  ir::for_each_op(planner.function().body, [&](const ir::Op& op) {
    if (op.code != ir::OpCode::slice) return;
    const auto& results = sort.results;
    if (std::find(results.begin(), results.end(), op.operands[0]) == results.end()) return;
    const auto& slice = op.get<ir::SliceAttributes>();
    const auto axis = static_cast<size_t>(dimension);
    if (slice.start_indices[axis] != 0) return;
    most = std::max(most, slice.limit_indices[axis]);
    ++sliced;
  });
  return sliced == uses ? most : planner.type(sort.results[0]).shape[dimension];
}

class SortStep {
 public:
  // Emits the step that sorts `inputs` into `outputs`.
  static void emit(Planner& planner, const ir::Op& op, Rows size, StepNote note) {
    const PlaceId permutation =
        planner.temporary(size.rows * size.columns * static_cast<int64_t>(sizeof(int32_t)));
    const SortStep step(planner, op, size, note.reads, note.writes, permutation);
    const PlaceId scratch = planner.temporary(static_cast<int64_t>(step.scratch_bytes()));
    note.scratch = {permutation, scratch};
    if (step.less_) step.less_->note_reads(note);
    planner.emit(std::move(note),
                 [=](const Frame& frame) { step.run(frame, permutation, scratch); });
  }

 private:
  SortStep(Planner& planner, const ir::Op& op, Rows size, std::vector<PlaceId> inputs,
           std::vector<PlaceId> outputs, PlaceId permutation)
      : size_(size), inputs_(std::move(inputs)), outputs_(std::move(outputs)) {
    for (ir::ValueId operand : op.operands) {
      widths_.push_back(byte_width(planner.type(operand).dtype));
    }
    key_ = KeyReader(planner, op.regions[0]).read();
    if (key_) {
      dtype_ = planner.type(op.operands[key_->operand]).dtype;
    } else {
      std::vector<PlaceId> apart = outputs_;
      apart.push_back(permutation);
      less_.emplace(planner, op, op.regions[0], apart);
    }
  }

  size_t scratch_bytes() const {
    return key_ && !selects() ? kernels::sort_scratch_bytes(dtype_, size_.rows, size_.columns) : 0;
  }

  void run(const Frame& frame, PlaceId permutation, PlaceId scratch) const {
    auto* order = frame.at<int32_t>(permutation);
    if (selects()) return select(frame, order);
    if (key_) {
      kernels::sort_rows(dtype_, frame.at(inputs_[key_->operand]), key_->order, size_.rows,
                         size_.columns, frame.at(outputs_[key_->operand]), order, frame.at(scratch),
                         frame.pool());
    } else {
      order_rows(frame, order);
    }
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (key_ && key_->operand == i) continue;
      kernels::permute_rows(widths_[i], frame.at(inputs_[i]), order, size_.rows, size_.columns,
                            frame.at(outputs_[i]), frame.pool());
    }
  }

  bool selects() const { return key_ && kernels::selects_top(dtype_, size_.columns, size_.read); }

  void select(const Frame& frame, int32_t* order) const {
    kernels::top_rows(dtype_, frame.at(inputs_[key_->operand]), key_->order, size_.rows,
                      size_.columns, size_.read, order, frame.pool());
    for (size_t i = 0; i < inputs_.size(); ++i) {
      kernels::permute_top(widths_[i], frame.at(inputs_[i]), order, size_.rows, size_.columns,
                           size_.read, frame.at(outputs_[i]), frame.pool());
    }
  }

  void order_rows(const Frame& frame, int32_t* order) const {
    // A comparator that is not a tile program has one memory: all rows then in one piece.
    const int64_t grain = less_->is_concurrent() ? 1 : size_.rows;
    frame.pool().parallel_for(size_.rows, grain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        std::vector<const std::byte*> data;
        for (size_t i = 0; i < inputs_.size(); ++i) {
          data.push_back(frame.at(inputs_[i]) + row * size_.columns * widths_[i]);
        }
        order_by_comparator(frame, *less_, data, widths_,
                            {order + row * size_.columns, static_cast<size_t>(size_.columns)});
      }
    });
  }

  Rows size_;
  std::vector<PlaceId> inputs_, outputs_;
  std::vector<int> widths_;
  std::optional<KeyReader::Key> key_;
  DType dtype_ = DType::f32;
  std::optional<ScalarRegion> less_;
};

// Puts `dimension` last, or back.
ir::Axes exchange_with_last(int rank, int64_t dimension) {
  ir::Axes axes = axes_from(0, rank);
  std::swap(axes[static_cast<size_t>(dimension)], axes.back());
  return axes;
}

ir::Type exchanged(const ir::Type& type, const ir::Axes& axes) {
  ir::Type result = type;
  for (size_t i = 0; i < axes.size(); ++i) {
    result.shape.set(static_cast<int>(i), type.shape[static_cast<int>(axes[i])]);
  }
  return result;
}

}  // namespace

void lower_sort(Planner& planner, const ir::Op& op) {
  const ir::Type& first = planner.type(op.operands[0]);
  const int rank = first.shape.rank();
  int64_t dimension = op.get<ir::SortAttributes>().dimension;
  if (dimension < 0) dimension += rank;
  const ir::Axes axes = exchange_with_last(rank, dimension);
  const bool last = dimension == rank - 1;
  std::vector<PlaceId> inputs, outputs;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const ir::Type& type = planner.type(op.operands[i]);
    if (last) {
      inputs.push_back(planner.dense(op.operands[i]));
      outputs.push_back(planner.define(op.results[i]));
    } else {
      inputs.push_back(planner.temporary(type.bytes()));
      outputs.push_back(planner.temporary(type.bytes()));
      const View turned = view_transpose(planner.view(op.operands[i]), exchanged(type, axes), axes);
      planner.emit_copy(turned, inputs.back());
    }
  }
  const int64_t columns = first.shape[static_cast<int>(dimension)];
  const int64_t elements = first.shape.elements();
  StepNote note{.name = op_text(planner, op), .reads = inputs, .writes = outputs};
  if (elements == 0) {
    planner.emit(std::move(note), [](const Frame&) {});
  } else {
    const int64_t read = columns_read(planner, op, static_cast<int>(dimension));
    // Another order of axes is copied whole.
    SortStep::emit(planner, op, {elements / columns, columns, last ? read : columns},
                   std::move(note));
  }
  for (size_t i = 0; i < op.operands.size() && !last; ++i) {
    const ir::Type type = planner.type(op.results[i]);
    const View sorted = dense_view(outputs[i], exchanged(type, axes));
    planner.define(op.results[i], view_transpose(sorted, type, axes));
  }
}

}  // namespace cpu
}  // namespace systolic::inline v0
