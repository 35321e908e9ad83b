#include "backends/cpu/lower/products/dot.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

#include "backends/cpu/fuse/product_shape.h"
#include "backends/cpu/kernels/matmul/matmul.h"
#include "backends/cpu/lower/elementwise/cluster.h"
#include "backends/cpu/lower/elementwise/convert.h"
#include "backends/cpu/lower/families.h"
#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/core/axes.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

// Several axes that one stride covers.
struct Span {
  int64_t size = 1, stride = 0;
};

std::optional<Span> join_axes(const View& view, const std::vector<int64_t>& axes) {
  Span span;
  for (size_t i = axes.size(); i-- > 0;) {
    const int64_t size = view.type.shape[static_cast<int>(axes[i])];
    const int64_t stride = view.strides[static_cast<size_t>(axes[i])];
    if (size == 1) continue;
    if (span.size == 1) {
      span = {size, stride};
    } else if (stride == span.size * span.stride) {
      span.size *= size;
    } else {
      return std::nullopt;
    }
  }
  return span;
}

struct Matrix {
  PlaceId place = no_place;
  int64_t offset = 0;
  Span batch, rows, columns;
  Span group = {};  // matrices of the batch that come in groups: size and stride in a group
  kernels::MatrixLayout layout() const {
    return {batch.stride, rows.stride, columns.stride, group.stride};
  }
};

// A product's batch axes. Two of them, as sentences and heads are, need no common stride where
// matrices come in groups.
struct Batch {
  Span all, group;
};
std::optional<Batch> join_batch(const View& view, const ir::Axes& batch, bool in_groups) {
  std::vector<Span> spans;
  for (int64_t axis : batch) {
    const int64_t size = view.type.shape[static_cast<int>(axis)];
    if (size != 1) spans.push_back({size, view.strides[static_cast<size_t>(axis)]});
  }
  if (in_groups && spans.size() == 2) {
    return Batch{{spans[0].size * spans[1].size, spans[0].stride}, spans[1]};
  }
  const auto all = join_axes(view, batch);
  return all ? std::optional<Batch>({*all, {}}) : std::nullopt;
}

std::optional<Matrix> as_matrix(const View& view, const ir::Axes& batch, const ir::Axes& rows,
                                const ir::Axes& columns, bool in_groups) {
  const auto b = join_batch(view, batch, in_groups);
  const auto r = join_axes(view, rows), c = join_axes(view, columns);
  // The kernels want rows or columns next to each other.
  if (!b || !r || !c) return std::nullopt;
  const bool packed = r->stride == 1 || c->stride == 1 || r->size == 1 || c->size == 1;
  if (!packed || r->stride < 0 || c->stride < 0) return std::nullopt;
  return Matrix{view.place, view.offset, b->all, *r, *c, b->group};
}

// `count` axes from `first` on.
ir::Axes axes_from(int64_t first, size_t count) {
  ir::Axes axes(count);
  for (int64_t& axis : axes) axis = first++;
  return axes;
}

// The operand as a stack of matrices; copied in the order (batch, rows, columns) where its strides
// do not allow it.
Matrix matrix_operand(Planner& planner, ir::ValueId value, const ir::Axes& batch,
                      const ir::Axes& rows, const ir::Axes& columns, bool in_groups) {
  const View& view = planner.view(value);
  if (const auto matrix = as_matrix(view, batch, rows, columns, in_groups)) return *matrix;
  ir::Axes order = batch;
  order.insert(order.end(), rows.begin(), rows.end());
  order.insert(order.end(), columns.begin(), columns.end());
  std::vector<int64_t> dims;
  for (int64_t axis : order) dims.push_back(view.type.shape[static_cast<int>(axis)]);
  const ir::Type type{view.type.dtype, Shape(dims)};
  const View ordered = view_transpose(view, type, order);
  const PlaceId copy = planner.temporary(type.bytes());
  planner.emit_copy(ordered, copy, "copy matrix");
  const auto left = static_cast<int64_t>(batch.size() + rows.size());
  return *as_matrix(dense_view(copy, type), axes_from(0, batch.size()),
                    axes_from(static_cast<int64_t>(batch.size()), rows.size()),
                    axes_from(left, columns.size()), in_groups);
}

// Whether the product's matrices come in groups. Small ones of bf16 are sooner multiplied by our
// own kernel than copied for oneDNN.
bool comes_in_groups(const View& a, const ir::Axes& a_batch, const ir::Axes& a_rows, const View& b,
                     const ir::Axes& b_batch, const ir::Axes& b_columns) {
  constexpr int64_t small = 128;
  if (kernels::Matmul::takes_groups(a.type.dtype)) return true;
  const bool apart = !join_axes(a, a_batch) || !join_axes(b, b_batch);
  return apart && a.type.dtype == DType::bf16 && size_along(a.type.shape, a_rows) <= small &&
         size_along(b.type.shape, b_columns) <= small;
}

// What the product is stored as: narrow floats take f32 results too, bytes those of 32 bits.
DType product_type(DType operand, DType result) {
  const bool narrow = operand == DType::bf16 || operand == DType::f16;
  const bool byte = operand == DType::i8 || operand == DType::u8;
  if (result == operand || (narrow && result == DType::f32) || (byte && result == DType::i32)) {
    return result;
  }
  return operand;
}

// The axes of a product's operands that are in its result, batch axes aside.
struct FreeAxes {
  ir::Axes lhs, rhs;
};
FreeAxes free_axes(const Planner& planner, const ir::Op& op) {
  const auto& dot = op.get<ir::DotAttributes>();
  const auto remaining = [&](ir::ValueId operand, const ir::Axes& batch, const ir::Axes& summed) {
    return remaining_axes(planner.type(operand).shape.rank(), joined_axes(batch, summed));
  };
  return {remaining(op.operands[0], dot.lhs_batching_dimensions, dot.lhs_contracting_dimensions),
          remaining(op.operands[1], dot.rhs_batching_dimensions, dot.rhs_contracting_dimensions)};
}

bool splits(const Planner& planner, const ir::DotAttributes& dot) {
  using enum runtime::SplitProducts;
  return planner.split_products() == all ||
         (planner.split_products() == forward && !dot.of_gradient);
}

// As the kernels take it, with `rhs` in the place of the right operand.
ProductCall classify(Planner& planner, const ir::Op& op, ir::ValueId rhs) {
  const auto& attributes = op.get<ir::DotAttributes>();
  const ir::ValueId lhs = op.operands[0];
  const FreeAxes free = free_axes(planner, op);
  const bool in_groups =
      comes_in_groups(planner.view(lhs), attributes.lhs_batching_dimensions, free.lhs,
                      planner.view(rhs), attributes.rhs_batching_dimensions, free.rhs);
  const Matrix a = matrix_operand(planner, lhs, attributes.lhs_batching_dimensions, free.lhs,
                                  attributes.lhs_contracting_dimensions, in_groups);
  const Matrix b = matrix_operand(planner, rhs, attributes.rhs_batching_dimensions,
                                  attributes.rhs_contracting_dimensions, free.rhs, in_groups);
  const DType dtype = planner.type(lhs).dtype;
  const int64_t elements = a.rows.size * b.columns.size;
  return {.options = {.batch = a.batch.size,
                      .group = a.group.size,
                      .m = a.rows.size,
                      .n = b.columns.size,
                      .k = a.columns.size,
                      .a = a.layout(),
                      .b = b.layout(),
                      .c = {a.group.size * elements, b.columns.size, 1, elements},
                      .dtype = dtype,
                      .splits = splits(planner, attributes)},
          .a = a.place,
          .b = b.place,
          .a_offset = a.offset * byte_width(dtype),
          .b_offset = b.offset * byte_width(planner.type(rhs).dtype)};
}

// Whether the product can pack `source`, its right operand before it is rounded, where both lie:
// what comes of it, a bias or another place of its rows, must not matter to takes_packed().
bool packs(Planner& planner, const ir::Op& op, ir::ValueId source) {
  const auto& dot = op.get<ir::DotAttributes>();
  const FreeAxes free = free_axes(planner, op);
  const auto a = as_matrix(planner.view(op.operands[0]), dot.lhs_batching_dimensions, free.lhs,
                           dot.lhs_contracting_dimensions, false);
  const auto b = as_matrix(planner.view(source), dot.rhs_batching_dimensions,
                           dot.rhs_contracting_dimensions, free.rhs, false);
  return a && b &&
         kernels::Matmul::takes_packed({.batch = a->batch.size,
                                        .m = a->rows.size,
                                        .n = b->columns.size,
                                        .k = a->columns.size,
                                        .a = a->layout(),
                                        .b = b->layout(),
                                        .c = kernels::row_major(a->rows.size, b->columns.size),
                                        .dtype = planner.type(op.operands[0]).dtype});
}

}  // namespace

MatrixWork product_work(const Planner& planner, const kernels::MatmulOptions& options) {
  return product_work(static_cast<double>(options.batch), options.m, options.k, options.n,
                      planner.matrix_unit());
}

ProductCall classify_product(Planner& planner, const ir::Op& op) {
  const ir::ValueId rhs = op.operands[1];
  if (planner.held_as<Unrounded>(rhs) != nullptr) {
    const ir::Op* rounding = planner.definition(rhs);
    lower_ops_together(planner, {&rounding, 1});
  }
  return classify(planner, op, rhs);
}

std::string product_text(const kernels::MatmulOptions& options) {
  return str("dot ", options.batch > 1 ? str(options.batch, " x ") : std::string(), "[", options.m,
             ",", options.k, "] x [", options.k, ",", options.n, "] ", to_string(options.dtype),
             kernels::Matmul::splits(options) ? " split" : "", options.bias ? " + bias" : "",
             options.accumulate ? " + sum" : "", options.relu ? " relu" : "");
}

namespace {

// Where only a transpose reads the product, and leaves its columns next to each other, the product
// is written as the transpose wants it. True where it is.
bool define_transposed(Planner& planner, const ir::Op& op, ir::ValueId result,
                       kernels::MatmulOptions& options) {
  const ir::Op* reader = planner.only_reader(result);
  if (reader == nullptr || reader->code != ir::OpCode::transpose) return false;
  const ir::Type &type = planner.type(result), &wanted = planner.type(reader->results[0]);
  const bool as_computed = product_type(options.dtype, type.dtype) == type.dtype;
  const bool takes = options.group > 1 || kernels::Matmul::takes_groups(options.dtype);
  if (!takes || !as_computed || type.bytes() == 0) return false;
  View view{.place = no_place, .type = type, .offset = 0};
  view.strides.resize(static_cast<size_t>(type.shape.rank()));
  const std::vector<int64_t> strides = wanted.shape.strides();
  const auto& order = reader->get<ir::AxesAttributes>().axes;
  for (size_t i = 0; i < order.size(); ++i) {
    view.strides[static_cast<size_t>(order[i])] = strides[i];
  }
  const auto& dot = op.get<ir::DotAttributes>();
  const size_t batch = dot.lhs_batching_dimensions.size();
  const size_t rows = static_cast<size_t>(planner.type(op.operands[0]).shape.rank()) - batch -
                      dot.lhs_contracting_dimensions.size();
  const auto matrix =
      as_matrix(view, axes_from(0, batch), axes_from(static_cast<int64_t>(batch), rows),
                axes_from(static_cast<int64_t>(batch + rows), order.size() - batch - rows),
                options.group > 1);
  if (!matrix || matrix->columns.stride != 1) return false;
  options.c = matrix->layout();
  view.place = planner.temporary(type.bytes());
  planner.define(result, std::move(view));
  return true;
}

// Into how many pieces, one a matrix or one a group of them, an operand or result of `bytes` falls
// that lie one after the other; 1 where they do not.
int64_t pieces_of(const kernels::MatmulOptions& o, const kernels::MatrixLayout& layout,
                  int64_t rows, int64_t columns, int64_t elements) {
  const int64_t matrix = (rows - 1) * layout.row_stride + (columns - 1) * layout.column_stride + 1;
  const int64_t groups = o.batch / o.group, piece = elements / o.batch;
  const bool one_by_one = layout.batch_stride == o.group * piece &&
                          (o.group == 1 || layout.group_stride == piece) && matrix <= piece;
  if (one_by_one && elements % o.batch == 0) return o.batch;
  const int64_t group = (o.group - 1) * layout.group_stride + matrix;
  const bool by_groups = elements % groups == 0 && layout.batch_stride == elements / groups &&
                         layout.group_stride >= 0 && group <= elements / groups;
  return by_groups ? groups : 1;
}

// The parts of one product whose b comes packed: blocks of rows. A piece of an operand is what a
// block reads where rows lie one after the other.
StepParts row_parts(Planner& planner, const kernels::Matmul& matmul, const ProductCall& call,
                    PlaceId c) {
  const kernels::MatmulOptions& o = matmul.options();
  const auto pieces = [&](PlaceId place, int64_t offset, const kernels::MatrixLayout& layout,
                          int64_t columns, DType dtype) {
    const bool whole = planner.memory().bytes(place) == o.m * columns * byte_width(dtype);
    return offset == 0 && whole && layout.row_stride == columns ? matmul.parts() : 1;
  };
  return {.count = matmul.parts(),
          .read_pieces = {pieces(call.a, call.a_offset, o.a, o.k, o.dtype), 1},
          .written_pieces = {pieces(c, 0, o.c, o.n, o.output_dtype)},
          .reused_bytes = static_cast<int64_t>(matmul.packed_bytes()),
          .scratch_bytes = static_cast<int64_t>(matmul.part_scratch_bytes())};
}

StepParts product_parts(Planner& planner, const kernels::Matmul& matmul, const ProductCall& call,
                        PlaceId c) {
  const kernels::MatmulOptions& o = matmul.options();
  if (matmul.parts() == 0) return {};
  if (o.b_packed) return row_parts(planner, matmul, call, c);
  const auto pieces = [&](PlaceId place, int64_t offset, const kernels::MatrixLayout& layout,
                          int64_t rows, int64_t columns, DType dtype) {
    const int64_t elements = planner.memory().bytes(place) / byte_width(dtype);
    return offset == 0 ? pieces_of(o, layout, rows, columns, elements) : 1;
  };
  return {.count = matmul.parts(),
          .read_pieces = {pieces(call.a, call.a_offset, o.a, o.m, o.k, o.dtype),
                          pieces(call.b, call.b_offset, o.b, o.k, o.n, o.dtype)},
          .written_pieces = {pieces(c, 0, o.c, o.m, o.n, o.output_dtype)},
          .scratch_bytes = static_cast<int64_t>(matmul.part_scratch_bytes())};
}

// The step that packs b; the product reads what it makes.
void emit_pack(Planner& planner, const std::shared_ptr<const kernels::Matmul>& matmul,
               ProductCall& call) {
  const PlaceId b = call.b,
                packed = planner.temporary(static_cast<int64_t>(matmul->packed_bytes()));
  const int64_t offset = call.b_offset;
  const kernels::MatmulOptions& o = matmul->options();
  StepNote note{.name = str(o.rounds_b ? "round and pack [" : "pack [", o.k, ",", o.n, "] ",
                            to_string(o.dtype)),
                .reads = {b},
                .writes = {packed}};
  note.parts = {.count = matmul->pack_parts(), .read_pieces = {1}, .written_pieces = {1}};
  note.parts.run = [=](const Frame& frame, int64_t begin, int64_t end) {
    matmul->pack(frame.at(b) + offset, begin, end, frame.at(packed));
  };
  planner.emit(std::move(note), [=](const Frame& frame) {
    frame.pool().parallel_for(matmul->pack_parts(), 1, [&](int64_t begin, int64_t end) {
      matmul->pack(frame.at(b) + offset, begin, end, frame.at(packed));
    });
  });
  call.b = packed;
  call.b_offset = 0;
}

// Nothing where the two are one, as they are where the layout could put them so.
void copy_addend(const Frame& frame, PlaceId addend, PlaceId c, int64_t bytes) {
  const std::byte* from = frame.at(addend);
  std::byte* to = frame.at(c);
  if (from == to) return;
  frame.pool().parallel_for(bytes, int64_t{1} << 20, [&](int64_t begin, int64_t end) {
    std::memcpy(to + begin, from + begin, static_cast<size_t>(end - begin));
  });
}

// The step that adds the product to `addend`, in its place.
void emit_sum(Planner& planner, const std::shared_ptr<const kernels::Matmul>& matmul,
              const ProductCall& call, PlaceId addend, PlaceId c) {
  const PlaceId scratch = planner.temporary(static_cast<int64_t>(matmul->scratch_bytes()));
  const int64_t bytes = planner.memory().bytes(c);
  StepNote note{.name = product_text(matmul->options()),
                .reads = {call.a, call.b, addend},
                .writes = {c},
                .scratch = {scratch},
                .in_place = {{c, addend}},
                .flops = matmul->flops(),
                .matrix = product_work(planner, matmul->options())};
  planner.emit(std::move(note), [=](const Frame& frame) {
    copy_addend(frame, addend, c, bytes);
    matmul->run({.a = frame.at(call.a) + call.a_offset,
                 .b = frame.at(call.b) + call.b_offset,
                 .c = frame.at(c),
                 .bias = nullptr},
                frame.at(scratch), frame.pool());
  });
}

// The step that multiplies, into c.
void emit_product(Planner& planner, const std::shared_ptr<const kernels::Matmul>& matmul,
                  const ProductCall& call, PlaceId bias, PlaceId c) {
  const PlaceId scratch = planner.temporary(static_cast<int64_t>(matmul->scratch_bytes()));
  StepNote note{.name = product_text(matmul->options()),
                .reads = {call.a, call.b},
                .writes = {c},
                .scratch = {scratch},
                .flops = matmul->flops(),
                .matrix = product_work(planner, matmul->options())};
  note.parts = product_parts(planner, *matmul, call, c);
  if (bias != no_place) {
    note.reads.push_back(bias);
    note.parts.read_pieces.push_back(1);
  }
  const auto operands = [=](const Frame& frame) {
    return kernels::MatmulOperands{.a = frame.at(call.a) + call.a_offset,
                                   .b = frame.at(call.b) + call.b_offset,
                                   .c = frame.at(c),
                                   .bias = bias == no_place ? nullptr : frame.at(bias)};
  };
  note.parts.run = [=](const Frame& frame, int64_t begin, int64_t end) {
    matmul->run_parts(operands(frame), begin, end, frame.at(scratch));
  };
  planner.emit(std::move(note), [=](const Frame& frame) {
    matmul->run(operands(frame), frame.at(scratch), frame.pool());
  });
}

}  // namespace

void lower_product(Planner& planner, const ir::Op& op, const ProductEnd& end) {
  const auto* unrounded = planner.held_as<Unrounded>(op.operands[1]);
  const bool rounds = unrounded != nullptr && packs(planner, op, unrounded->source);
  ProductCall call =
      rounds ? classify(planner, op, unrounded->source) : classify_product(planner, op);
  kernels::MatmulOptions& options = call.options;
  const bool transposed = define_transposed(planner, op, end.result, options);
  options.bias = end.bias != ir::no_value;
  options.relu = end.relu;
  options.accumulate = end.addend != ir::no_value;
  const ir::Type& wanted = planner.type(end.result);
  options.output_dtype = product_type(options.dtype, wanted.dtype);
  options.b_packed = kernels::Matmul::takes_packed(options);
  options.rounds_b = rounds;
  const auto matmul = std::make_shared<const kernels::Matmul>(options, planner.threads());
  if (options.b_packed) emit_pack(planner, matmul, call);
  const PlaceId bias = options.bias ? planner.dense(end.bias) : no_place;
  if (options.accumulate) {
    const PlaceId addend = planner.dense(end.addend);
    return emit_sum(planner, matmul, call, addend, planner.define(end.result));
  }
  const bool converts = options.output_dtype != wanted.dtype;
  const PlaceId c =
      transposed ? planner.view(end.result).place
      : converts ? planner.temporary(wanted.shape.elements() * byte_width(options.output_dtype))
                 : planner.define(end.result);
  emit_product(planner, matmul, call, bias, c);
  if (converts) emit_convert(planner, c, options.output_dtype, end.result);
}

void lower_dot_general(Planner& planner, const ir::Op& op) {
  lower_product(planner, op, {.result = op.results[0]});
}

}  // namespace cpu
}  // namespace systolic::inline v0
