#include "systolic/saving/free_batch.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/stablehlo/print.h"

namespace systolic::inline v0 {
namespace saving {
namespace {

using stablehlo::Attribute, stablehlo::dynamic_size, stablehlo::ElementType, stablehlo::Function,
    stablehlo::NamedAttribute, stablehlo::Operation, stablehlo::Program, stablehlo::Region,
    stablehlo::Type, stablehlo::TypeId, stablehlo::ValueId;

[[noreturn]] void raise_depends_on_rows(const std::string& what) {
  raise<Unimplemented>({.what = str(what, " depends on the number of rows"),
                        .wanted = "a model that computes each row alone",
                        .hint = "export_model writes a program for batches of one size"});
}

// One function of both programs, op by op.
class FunctionMerge {
 public:
  FunctionMerge(Program& program, Function& function, int64_t rows, const Program& other,
                const Function& other_function, int64_t other_rows)
      : program_(program),
        function_(function),
        rows_(rows),
        other_(other),
        other_function_(other_function),
        other_rows_(other_rows) {}

  void merge() {
    if (function_.values.size() != other_function_.values.size())
      raise_depends_on_rows("the program");
    sizes_.reserve(function_.values.size());
    for (size_t i = 0; i < function_.values.size(); ++i) {
      sizes_.push_back(program_.type(function_.values[i]).dims);
      function_.values[i] = merged(function_.values[i], other_function_.values[i]);
    }
    for (size_t i = 0; i < function_.result_types.size(); ++i)
      function_.result_types[i] =
          merged(function_.result_types[i], other_function_.result_types[i]);
    std::vector<Operation> first = count_rows();
    merge_region(function_.body, other_function_.body);
    auto& all = function_.body.operations;
    all.insert(all.begin(), std::make_move_iterator(first.begin()),
               std::make_move_iterator(first.end()));
  }

 private:
  TypeId merged(TypeId ours, TypeId others) {
    Type type = program_.type(ours);
    const Type& other = other_.type(others);
    if (type.dims == other.dims) return ours;
    if (type.dims.size() != other.dims.size()) raise_depends_on_rows("the shape of an array");
    for (size_t i = 0; i < type.dims.size(); ++i) {
      int64_t& size = type.dims[i];
      if (size == other.dims[i]) continue;
      if (size % rows_ != 0 || size / rows_ * other_rows_ != other.dims[i])
        raise_depends_on_rows(str("a size of ", size));
      size = dynamic_size;
    }
    return add_type(std::move(type));
  }
  TypeId add_type(Type type) {
    program_.types.push_back(std::move(type));
    return static_cast<TypeId>(program_.types.size() - 1);
  }
  TypeId tensor_of(ElementType element, std::vector<int64_t> dims) {
    Type type;
    type.element = element;
    type.dims = std::move(dims);
    return add_type(std::move(type));
  }
  TypeId scalar_i64() {
    Type type;
    type.kind = Type::Kind::scalar;
    type.element = ElementType::i64;
    return add_type(std::move(type));
  }
  bool is_dynamic(ValueId value) const {
    const auto& dims = program_.type(function_.type(value)).dims;
    return std::count(dims.begin(), dims.end(), dynamic_size) > 0;
  }
  std::string_view text(std::string value) {
    return program_.implied->emplace_back(std::move(value));
  }

  ValueId add_op(std::string_view name, std::vector<ValueId> operands,
                 std::vector<NamedAttribute> attributes, TypeId type, std::vector<Operation>& to) {
    const auto result = static_cast<ValueId>(function_.values.size());
    function_.values.push_back(type);
    Operation& op = to.emplace_back();
    op.name = name;
    op.operands = std::move(operands);
    op.results = {result};
    op.attributes = std::move(attributes);
    return result;
  }
  ValueId constant(std::string value, TypeId type, std::vector<Operation>& to) {
    Attribute elements;
    elements.kind = Attribute::Kind::elements;
    elements.name = "dense";
    elements.type = type;
    elements.text = text(std::move(value));
    return add_op("stablehlo.constant", {}, {{"value", elements}}, type, to);
  }
  NamedAttribute axis(int64_t number) {
    Attribute value;
    value.kind = Attribute::Kind::integer;
    value.type = scalar_i64();
    value.integer = number;
    value.text = text(str(number));
    return {"dimension", value};
  }

  // The rows of a batch, as i32 [1], from the first argument that has them.
  std::vector<Operation> count_rows() {
    std::vector<Operation> ops;
    for (const ValueId argument : function_.body.arguments) {
      const auto& dims = program_.type(function_.type(argument)).dims;
      const auto found = std::find(dims.begin(), dims.end(), dynamic_size);
      if (found == dims.end() ||
          sizes_[static_cast<size_t>(argument)][static_cast<size_t>(found - dims.begin())] != rows_)
        continue;
      const ValueId count =
          add_op("stablehlo.get_dimension_size", {argument}, {axis(found - dims.begin())},
                 tensor_of(ElementType::i32, {}), ops);
      count_ = add_op("stablehlo.reshape", {count}, {}, tensor_of(ElementType::i32, {1}), ops);
      break;
    }
    return ops;
  }

  // The sizes as an array, i32 [rank].
  ValueId shape_of(ValueId value, std::vector<Operation>& to) {
    if (count_ < 0) raise_depends_on_rows("a function without a batch");
    const TypeId one = tensor_of(ElementType::i32, {1});
    const std::vector<int64_t> dims = program_.type(function_.type(value)).dims;
    std::vector<ValueId> parts;
    for (size_t i = 0; i < dims.size(); ++i) {
      const int64_t size = sizes_[static_cast<size_t>(value)][i];
      if (dims[i] != dynamic_size) {
        parts.push_back(constant(str(size), one, to));
      } else if (size == rows_) {
        parts.push_back(count_);
      } else {
        const ValueId factor = constant(str(size / rows_), one, to);
        parts.push_back(add_op("stablehlo.multiply", {count_, factor}, {}, one, to));
      }
    }
    const TypeId type = tensor_of(ElementType::i32, {static_cast<int64_t>(dims.size())});
    return add_op("stablehlo.concatenate", std::move(parts), {axis(0)}, type, to);
  }

  void merge_region(Region& region, const Region& other) {
    if (region.operations.size() != other.operations.size()) raise_depends_on_rows("the program");
    std::vector<Operation> merged;
    for (size_t i = 0; i < region.operations.size(); ++i) {
      Operation& op = region.operations[i];
      const Operation& theirs = other.operations[i];
      if (op.name != theirs.name || op.regions.size() != theirs.regions.size())
        raise_depends_on_rows(std::string(op.name));
      for (size_t k = 0; k < op.regions.size(); ++k) merge_region(op.regions[k], theirs.regions[k]);
      merge_op(op, theirs, merged);
      merged.push_back(std::move(op));
    }
    region.operations = std::move(merged);
  }

  void merge_op(Operation& op, const Operation& theirs, std::vector<Operation>& before) {
    static constexpr std::pair<std::string_view, std::string_view> with_shape[] = {
        {"stablehlo.broadcast_in_dim", "stablehlo.dynamic_broadcast_in_dim"},
        {"stablehlo.reshape", "stablehlo.dynamic_reshape"},
        {"stablehlo.iota", "stablehlo.dynamic_iota"}};
    const bool dynamic = op.results.size() == 1 && is_dynamic(op.results[0]);
    if (dynamic && op.name == "stablehlo.constant") return merge_constant(op, theirs, before);
    if (dynamic && op.name == "stablehlo.slice") return merge_slice(op, theirs, before);
    if (attributes_text(program_, op.attributes) != attributes_text(other_, theirs.attributes))
      raise_depends_on_rows(std::string(op.name));
    for (const auto& [fixed, free] : with_shape) {
      if (!dynamic || op.name != fixed) continue;
      op.operands.push_back(shape_of(op.results[0], before));
      op.name = free;
      return;
    }
  }

  // One value, spread.
  void merge_constant(Operation& op, const Operation& theirs, std::vector<Operation>& before) {
    const Attribute* value = op.find("value");
    const Attribute* other = theirs.find("value");
    if (value == nullptr || other == nullptr || value->text != other->text ||
        value->text.find_first_of("[,") != std::string_view::npos)
      raise_depends_on_rows("a constant");
    const TypeId scalar = tensor_of(program_.type(function_.type(op.results[0])).element, {});
    const ValueId one = constant(std::string(value->text), scalar, before);
    const ValueId shape = shape_of(op.results[0], before);
    Attribute no_axes;
    no_axes.kind = Attribute::Kind::dense_array;
    no_axes.type = scalar_i64();
    op.name = "stablehlo.dynamic_broadcast_in_dim";
    op.operands = {one, shape};
    op.attributes = {{"broadcast_dimensions", no_axes}};
  }

  // Whole rows are kept: where they begin and how they are spaced is the same for all sizes.
  void merge_slice(Operation& op, const Operation& theirs, std::vector<Operation>& before) {
    for (const char* name : {"start_indices", "strides"}) {
      const Attribute *ours = op.find(name), *other = theirs.find(name);
      if (ours == nullptr || other == nullptr || ours->text != other->text)
        raise_depends_on_rows("a slice");
    }
    const ValueId operand = op.operands[0];
    const auto from = program_.type(function_.type(operand)).dims;
    const auto to = program_.type(function_.type(op.results[0])).dims;
    const std::vector<std::string> starts = split(op.find("start_indices")->text, ',');
    const std::vector<std::string> steps = split(op.find("strides")->text, ',');
    const std::vector<std::string> limits = split(op.find("limit_indices")->text, ',');
    const auto rank = static_cast<int64_t>(to.size());
    const TypeId indices = tensor_of(ElementType::i32, {rank});
    const TypeId one = tensor_of(ElementType::i32, {1});
    std::vector<ValueId> ends;
    for (size_t i = 0; i < to.size(); ++i) {
      if (to[i] != dynamic_size) {
        ends.push_back(constant(std::string(trim(limits[i])), one, before));
        continue;
      }
      const int64_t size = sizes_[static_cast<size_t>(operand)][i];
      if (from[i] != dynamic_size || size != rows_ || trim(limits[i]) != str(size) ||
          trim(starts[i]) != "0" || trim(steps[i]) != "1")
        raise_depends_on_rows("a slice of rows");
      ends.push_back(count_);
    }
    const auto list = [&](const std::vector<std::string>& numbers) {
      return constant(str("[", join(numbers), "]"), indices, before);
    };
    const ValueId start = list(starts);
    const ValueId limit =
        add_op("stablehlo.concatenate", std::move(ends), {axis(0)}, indices, before);
    op.operands = {operand, start, limit, list(steps)};
    op.name = "stablehlo.real_dynamic_slice";
    op.attributes.clear();
  }

  Program& program_;
  Function& function_;
  int64_t rows_;
  const Program& other_;
  const Function& other_function_;
  int64_t other_rows_;
  std::vector<std::vector<int64_t>> sizes_;  // of each value, for `rows_`
  ValueId count_ = -1;
};

}  // namespace

void free_batch(Program& program, int64_t rows, const Program& other, int64_t other_rows) {
  if (program.functions.size() != other.functions.size()) raise_depends_on_rows("the program");
  for (size_t i = 0; i < program.functions.size(); ++i) {
    FunctionMerge(program, program.functions[i], rows, other, other.functions[i], other_rows)
        .merge();
  }
}

}  // namespace saving
}  // namespace systolic::inline v0
