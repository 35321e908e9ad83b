#include "systolic/stablehlo/import/importer.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/stablehlo/dense.h"
#include "systolic/stablehlo/import/check_cores.h"
#include "systolic/stablehlo/import/shape_fold.h"
#include "systolic/stablehlo/narrow.h"
#include "systolic/stablehlo/op_source.h"
#include "systolic/stablehlo/print.h"
#include "systolic/stablehlo/quantize.h"
#include "systolic/stablehlo/verify/verify.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

constexpr int64_t most_ops = 4'000'000;
constexpr int most_depth = 500;  // calls and regions within each other
const ir::Type entry_token{DType::pred, Shape{0}};

}  // namespace

Importer::Importer(const Program& program, const ImportOptions& options)
    : program_(program), options_(options), file_(ir::intern(program.file)) {
  const CoreCounts asked = core_counts(program);
  replicas_ = options.replicas.value_or(asked.replicas);
  partitions_ = options.partitions.value_or(asked.partitions);
  has_manual_part_ = has_manual_part(program);
  constexpr int64_t most_cores = 1 << 14;
  const bool possible = replicas_ >= 1 && partitions_ >= 1 && replicas_ <= most_cores &&
                        partitions_ <= most_cores && replicas_ * partitions_ <= most_cores;
  if (!possible) {
    raise_at(program, 0, "the module's cores",
             str(replicas_, " replicas of ", partitions_, " partitions"),
             str("1 to ", most_cores, " together"));
  }
  for (const Function& function : program.functions) functions_[function.name] = &function;
  if (program.is_bytecode) return;
  const std::string& source = *program.source;
  for (size_t at = source.find('\n'); at != std::string::npos; at = source.find('\n', at + 1)) {
    line_ends_.push_back(at);
  }
}

ir::Module Importer::run() {
  module_.name = program_.name.empty() ? "module" : program_.name;
  module_.num_replicas = options_.core ? 1 : replicas_ * partitions_;
  module_.functions.emplace_back();
  builder_.emplace(module_.main(), &module_);
  const Function& function = options_.entry != nullptr ? *options_.entry : program_.entry();
  Frame frame{&function, std::vector<Slot>(function.values.size())};
  frame_ = &frame;
  active_.push_back(&function);
  if (options_.part) {
    import_part(*options_.part);
  } else {
    import_entry(function);
  }
  for (const auto& [actual, expected] : checked_) {
    builder_->result(actual);
    builder_->result(expected);
  }
  return std::move(module_);
}

void Importer::import_entry(const Function& function) {
  if (function.declared_only) {
    raise_at(program_, function.offset, str("function @", function.name, " has no body"), {},
             "{ ... return }");
  }
  size_t next = 0;
  for (size_t i = 0; i < function.body.arguments.size(); ++i) {
    const ValueId value = function.body.arguments[i];
    Slot& slot = frame_->values[static_cast<size_t>(value)];
    if (is_entry_token(function.type(value))) builder_->argument(entry_token);
    for (ir::Type& type : arrays_of(function.type(value), function.offset)) {
      if (next < options_.arguments.size()) type = options_.arguments[next];
      for (int64_t size : type.shape) {
        if (size >= 0) continue;
        raise_at(program_, function.offset, str("argument ", i, " of @", function.name),
                 type_text(program_, function.type(value)), "sizes that are known",
                 "give the types of the arguments when importing");
      }
      ++next;
      slot.push_back(builder_->argument(type));
    }
  }
  size_t result = 0;
  for (const Slot& slot : operations(function.body.operations, 0, static_cast<size_t>(-1))) {
    if (is_entry_token(function.result_types[result++])) {
      builder_->result(builder_->constant(Literal(entry_token.dtype, entry_token.shape)));
    }
    for (const ir::Value& array : slot) builder_->result(array);
  }
}

bool Importer::is_entry_token(TypeId type) const {
  return options_.entry_tokens && program_.type(type).kind == Type::Kind::token;
}

void Importer::import_part(const Part& part) {
  for (const auto& [value, arrays] : part.known) {
    for (const Literal& array : arrays) {
      frame_->values[static_cast<size_t>(value)].push_back(builder_->constant(array));
    }
  }
  for (ValueId value : part.given) {
    Slot& slot = frame_->values[static_cast<size_t>(value)];
    for (ir::Type& type : arrays_of(frame_->function->type(value), frame_->function->offset)) {
      slot.push_back(builder_->argument(std::move(type)));
    }
  }
  operations(frame_->function->body.operations, part.begin, part.end);
  for (ValueId value : part.wanted) {
    if (options_.array_counts != nullptr) {
      options_.array_counts->push_back(frame_->values[static_cast<size_t>(value)].size());
    }
    for (const ir::Value& array : frame_->values[static_cast<size_t>(value)]) {
      builder_->result(array);
    }
  }
}

std::vector<Slot> Importer::operations(const std::vector<Operation>& ops, size_t begin,
                                       size_t end) {
  for (size_t i = begin; i < std::min(end, ops.size()); ++i) {
    const Operation& op = ops[i];
    if (op.name == "func.return" || op.name == "stablehlo.return" || op.name == "sdy.return") {
      std::vector<Slot> returned;
      for (ValueId value : op.operands) {
        returned.push_back(frame_->values[static_cast<size_t>(value)]);
      }
      return returned;
    }
    operation(op);
  }
  return {};
}

bool Importer::is_quantized(const Operation& op) const {
  for (const std::vector<ValueId>* values : {&op.operands, &op.results}) {
    for (ValueId value : *values) {
      if (program_.type(frame_->function->type(value)).quantization) return true;
    }
  }
  return false;
}

bool Importer::has_narrow(const Operation& op) const {
  for (const std::vector<ValueId>* values : {&op.operands, &op.results}) {
    for (ValueId value : *values) {
      const Type& type = program_.type(frame_->function->type(value));
      if (type.kind == Type::Kind::tensor && is_narrow(type.element)) return true;
    }
  }
  return false;
}

// A line of the text; of bytecode, which has none, the line of the user's own program.
SourceLocation Importer::location_of(const Operation& op) const {
  if (program_.is_bytecode) {
    const OpSource source = source_of(op.location);
    return source.known() ? SourceLocation{ir::intern(source.file), source.line} : SourceLocation{};
  }
  const auto line = std::lower_bound(line_ends_.begin(), line_ends_.end(), op.offset);
  return {file_, program_.first_line + static_cast<int>(line - line_ends_.begin())};
}

namespace {

[[noreturn]] void raise_unsupported(const Program& program, const Operation& op) {
  constexpr size_t shown = 100;  // a name may be as long as the file
  const bool is_long = op.name.size() > shown;
  const std::string name(op.name.substr(0, shown));
  raise<Unimplemented>(
      {.what = str(place_of(program, op.offset), ": op ", name, is_long ? "..." : ""),
       .wanted = "an op of StableHLO's specification that is supported"});
}

}  // namespace

void Importer::operation(const Operation& op) {
  if (++imported_ops_ > most_ops) {
    raise_at(program_, op.offset, "the program expands to more ops than allowed", {},
             str("at most ", most_ops));
  }
  const HandlerRow* row = find_handler(op.name);
  if (row == nullptr) raise_unsupported(program_, op);
  builder_->location = location_of(op);
  OpImport import(*this, op, row->code);
  if (++depth_ > most_depth) {
    raise_at(program_, op.offset, "calls and regions nest too deep", {},
             str("at most ", most_depth, " levels"));
  }
  const bool narrow = has_narrow(op);
  const bool numbers = ((narrow || is_quantized(op)) && computes_with_numbers(op.name)) ||
                       (narrow && computes_with_narrow(op.name));
  if (numbers) import.dequantize_operands();
  const ir::Block& block = builder_->block();
  const size_t before = block.ops.size();
  row->handler(import);
  for (size_t i = before; i < block.ops.size(); ++i) fold(block.ops[i]);
  if (numbers) import.quantize_results();
  --depth_;
  if (import.results().size() != op.results.size()) {
    import.fail("its results", str(op.results.size(), " types"), str(import.results().size()));
  }
  for (size_t i = 0; i < op.results.size(); ++i) {
    Slot slot = import.results()[i];
    if (mapped_ && slot.size() == 1 && slot[0].rank() == 0) {
      slot[0] = ir::broadcast_in_dim(slot[0], *mapped_, {});
    }
    check_result(op, i, slot);
    frame_->values[static_cast<size_t>(op.results[i])] = std::move(slot);
  }
}

// The result of the op that was appended last, where it is a small array of whole numbers that are
// known: sizes, perhaps.
void Importer::fold(const ir::Op& made) {
  if (made.results.size() != 1) return;
  std::vector<const Literal*> operands;
  for (ir::ValueId operand : made.operands) operands.push_back(constant(operand));
  const ir::ValueId result = made.results[0];
  std::optional<Literal> literal = fold_sizes(made, operands, builder_->type(result));
  if (literal) constants_.insert_or_assign(result, std::move(*literal));
}

// What an op gives must be what the text says, as far as it says it.
void Importer::check_result(const Operation& op, size_t i, const Slot& slot) const {
  const TypeId written = frame_->function->type(op.results[i]);
  std::vector<ir::Type> wanted = arrays_of(written, op.offset);
  if (mapped_) {
    for (ir::Type& type : wanted) type.shape = *mapped_;
  }
  bool fits = wanted.size() == slot.size();
  for (size_t k = 0; fits && k < slot.size(); ++k) {
    const ir::Type got = slot[k].type();
    fits = got.dtype == wanted[k].dtype && got.shape.rank() == wanted[k].shape.rank();
    for (int axis = 0; fits && axis < got.shape.rank(); ++axis) {
      fits = wanted[k].shape[axis] == dynamic_size || wanted[k].shape[axis] == got.shape[axis];
    }
  }
  if (fits) return;
  std::vector<ir::Type> got;
  for (const ir::Value& value : slot) got.push_back(value.type());
  raise_at(program_, op.offset,
           str(op.name, ": result ", i, " is declared to be ", type_text(program_, written)), {},
           str("(", join(got), ")"));
}

std::vector<Slot> Importer::call(std::string_view callee, std::vector<Slot> arguments,
                                 size_t offset) {
  const auto found = functions_.find(callee);
  if (found == functions_.end()) {
    raise_at(program_, offset, str("there is no function @", callee), {},
             "a function of the module");
  }
  const Function& function = *found->second;
  if (std::find(active_.begin(), active_.end(), &function) != active_.end()) {
    raise_at(program_, offset, str("function @", callee, " calls itself"), {},
             "calls without a cycle");
  }
  if (function.declared_only || arguments.size() != function.body.arguments.size()) {
    raise_at(
        program_, offset, str("@", callee, " is given ", arguments.size(), " arguments"), {},
        function.declared_only ? "a function with a body" : str(function.body.arguments.size()));
  }
  Frame frame{&function, std::vector<Slot>(function.values.size())};
  for (size_t i = 0; i < arguments.size(); ++i) {
    frame.values[static_cast<size_t>(function.body.arguments[i])] = std::move(arguments[i]);
  }
  Frame* const caller = std::exchange(frame_, &frame);
  active_.push_back(&function);
  std::vector<Slot> results = operations(function.body.operations, 0, static_cast<size_t>(-1));
  active_.pop_back();
  frame_ = caller;
  return results;
}

void Importer::add_check(Check check, ir::Value actual, ir::Value expected) {
  check.actual = module_.main().body.results.size() + 2 * checked_.size();
  check.expected = check.actual + 1;
  checked_.emplace_back(actual, expected);
  options_.checks->push_back(std::move(check));
}

DenseValue Importer::dense(const Attribute& attribute, ElementType element, const Shape& shape) {
  constexpr size_t short_text = 256;  // sooner read than found
  const std::string_view text = text_of_elements(program_, attribute);
  if (text.size() <= short_text) return read_dense(program_, attribute, element, shape);
  const auto dims = shape.dims();
  const auto [found, inserted] =
      dense_.try_emplace({text.data(), element, {dims.begin(), dims.end()}});
  if (inserted) found->second = read_dense(program_, attribute, element, shape);
  return found->second;
}

const Literal* Importer::constant(ir::ValueId value) const {
  const auto found = constants_.find(value);
  return found == constants_.end() ? nullptr : &found->second;
}

std::vector<ir::Type> Importer::arrays_of(TypeId id, size_t offset) const {
  const Type& type = program_.type(id);
  switch (type.kind) {
    case Type::Kind::token:
      return {};
    case Type::Kind::tuple:
    case Type::Kind::future: {
      std::vector<ir::Type> arrays;
      for (TypeId part : type.parts) {
        for (ir::Type& array : arrays_of(part, offset)) arrays.push_back(std::move(array));
      }
      return arrays;
    }
    case Type::Kind::tensor: {
      const ElementType element = type.quantization ? type.quantization->storage : type.element;
      if (const std::optional<DType> dtype = held_in(element); dtype && !type.unranked) {
        return {{*dtype, Shape(type.dims)}};
      }
      raise<Unimplemented>(
          {.what = str(place_of(program_, offset), ": arrays of type ", type_text(program_, id))});
    }
    default:
      raise_at(program_, offset, "a value", type_text(program_, id),
               "tensor, token, tuple or future");
  }
}

ir::Module import_module(const Program& program, const ImportOptions& options) {
  verify(program);
  return Importer(program, options).run();
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
