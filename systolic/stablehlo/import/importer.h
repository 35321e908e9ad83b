// How one function is imported, op by op; other folders include import.h.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "systolic/ir/builder/builder.h"
#include "systolic/stablehlo/dense.h"
#include "systolic/stablehlo/import/import.h"

namespace systolic::inline v0 {
namespace stablehlo {

// A value as written: an array, a tuple's or a future's arrays, or a token's none.
using Slot = std::vector<ir::Value>;

class OpImport;
using Handler = void (*)(OpImport&);

// The handler of an op by its full name; nullptr for ops that are not supported.
struct HandlerRow {
  Handler handler = nullptr;
  ir::OpCode code = ir::OpCode::constant;  // for the handlers of many ops
};
const HandlerRow* find_handler(std::string_view op);

class Importer {
 public:
  Importer(const Program& program, const ImportOptions& options);
  ir::Module run();

  struct Frame {
    const Function* function;
    std::vector<Slot> values;
  };

  const Program& program() const { return program_; }
  const ImportOptions& options() const { return options_; }
  ir::Builder& builder() { return *builder_; }
  Frame& frame() { return *frame_; }
  int64_t replicas() const { return replicas_; }
  int64_t partitions() const { return partitions_; }

  // The ops of a region; gives what its return returns.
  std::vector<Slot> operations(const std::vector<Operation>& ops, size_t begin, size_t end);
  std::vector<Slot> call(std::string_view callee, std::vector<Slot> arguments, size_t offset);
  void add_check(Check check, ir::Value actual, ir::Value expected);
  // The arrays of a type, "?" as dynamic_size; quantized and narrow ones as they are held.
  std::vector<ir::Type> arrays_of(TypeId type, size_t offset) const;

  // Whether each core runs the current op by itself: always in a per-core program, otherwise in
  // parts that are written per core.
  bool is_per_core() const { return !has_manual_part_ || in_manual_part_; }
  bool is_in_manual_part() const { return in_manual_part_; }
  // While one lives, ops are those of a part in which these axes of the mesh are manual, too.
  class ManualPart {
   public:
    ManualPart(Importer& importer, const std::vector<std::string>& axes)
        : importer_(importer), before_(std::exchange(importer.in_manual_part_, true)) {
      auto& all = importer.manual_axes_;
      count_ = all.size();
      all.insert(all.end(), axes.begin(), axes.end());
    }
    ~ManualPart() {
      importer_.in_manual_part_ = before_;
      importer_.manual_axes_.resize(count_);
    }
    ManualPart(const ManualPart&) = delete;
    ManualPart& operator=(const ManualPart&) = delete;

   private:
    Importer& importer_;
    bool before_;
    size_t count_;
  };
  const std::vector<std::string>& manual_axes() const { return manual_axes_; }

  // A number that no other random op of the program has.
  uint64_t next_random_key() { return ++random_keys_; }

  // While one lives, ops on scalars are run on arrays of this shape: map's region.
  class Mapped {
   public:
    Mapped(Importer& importer, Shape shape)
        : importer_(importer), before_(std::exchange(importer.mapped_, std::move(shape))) {}
    ~Mapped() { importer_.mapped_ = std::move(before_); }
    Mapped(const Mapped&) = delete;
    Mapped& operator=(const Mapped&) = delete;

   private:
    Importer& importer_;
    std::optional<Shape> before_;
  };

  // The elements of a constant, read once where aliases, calls or bytecode name them many times.
  DenseValue dense(const Attribute& attribute, ElementType element, const Shape& shape);

  // The constant that an array is known to be while importing; nullptr when it is not.
  const Literal* constant(ir::ValueId value) const;

 private:
  void operation(const Operation& op);
  void fold(const ir::Op& made);
  bool is_quantized(const Operation& op) const;
  SourceLocation location_of(const Operation& op) const;
  bool has_narrow(const Operation& op) const;
  void check_result(const Operation& op, size_t i, const Slot& slot) const;
  void import_entry(const Function& function);
  bool is_entry_token(TypeId type) const;
  void import_part(const Part& part);

  const Program& program_;
  const ImportOptions& options_;
  ir::Module module_;
  std::optional<ir::Builder> builder_;
  Frame* frame_ = nullptr;
  int64_t replicas_ = 1, partitions_ = 1;
  int64_t imported_ops_ = 0;
  int depth_ = 0;
  uint64_t random_keys_ = 0;
  bool has_manual_part_ = false, in_manual_part_ = false;
  std::vector<std::string> manual_axes_;  // of the parts that the op at hand is in
  std::optional<Shape> mapped_;
  const char* file_ = "";
  std::vector<size_t> line_ends_;  // offsets of the source's line breaks
  std::unordered_map<std::string_view, const Function*> functions_;
  std::vector<const Function*> active_;
  std::unordered_map<ir::ValueId, Literal> constants_;
  // By where their text starts, its elements' type and its shape.
  std::map<std::tuple<const char*, ElementType, std::vector<int64_t>>, DenseValue> dense_;
  std::vector<std::pair<ir::Value, ir::Value>> checked_;
};

// One op while it is imported: what its handler reads and sets.
class OpImport {
 public:
  OpImport(Importer& importer, const Operation& op, ir::OpCode code)
      : importer_(importer), op_(op), code_(code) {}

  const Operation& op() const { return op_; }
  ir::OpCode code() const { return code_; }
  Importer& importer() { return importer_; }
  const Importer& importer() const { return importer_; }
  ir::Builder& builder() { return importer_.builder(); }

  size_t operand_count() const { return op_.operands.size(); }
  const Slot& slot(size_t i) const;
  // An operand that is one array.
  ir::Value operand(size_t i) const;
  // The arrays of operands [begin, end), one after the other.
  std::vector<ir::Value> operands(size_t begin = 0, size_t end = static_cast<size_t>(-1)) const;

  // The type of a result as written; "?" is a size of dynamic_size.
  ir::Type written(size_t i = 0) const;
  const Type& result_type(size_t i = 0) const;
  const Type& operand_type(size_t i = 0) const;
  // The element types as written, those of quantized arrays as they are stored.
  ElementType result_element(size_t i = 0) const;
  ElementType operand_element(size_t i = 0) const;
  // The written type of a result whose sizes are all known.
  ir::Type static_type(size_t i = 0) const;
  DType result_dtype(size_t i = 0) const { return written(i).dtype; }

  // Converts quantized and narrow operands to the numbers they stand for, and what the handler sets
  // back to quantized or narrow.
  void dequantize_operands();
  void quantize_results();

  void set(std::vector<Slot> results) { results_ = std::move(results); }
  void set(ir::Value result) { results_ = {{result}}; }
  // One array each.
  void set_arrays(const std::vector<ir::Value>& arrays);
  // The arrays that the op gave, divided among its results as their types say: a token gets none.
  void divide(const std::vector<ir::Value>& arrays);
  const std::vector<Slot>& results() const { return results_; }

  // Appends ops of ir.
  ir::Value add(ir::OpCode code, std::vector<ir::Value> operands, ir::Attributes attributes = {},
                std::vector<ir::Block> regions = {}, std::vector<ir::Type> requested = {});
  // The op itself, with all operands and results.
  void append(ir::Attributes attributes = {}, std::vector<ir::Block> regions = {},
              std::vector<ir::Type> requested = {});

  // A region with arguments of these types; what it returns must be arrays.
  ir::Block region(size_t i, const std::vector<ir::Type>& arguments);
  // With the arguments' types as written.
  ir::Block region(size_t i);
  // The same inside an op that the builder is making: gives the values returned.
  std::vector<ir::Value> region_ops(size_t i, std::span<const ir::Value> arguments);
  const Region& written_region(size_t i) const;

  // Attributes. A missing one gives the default, or an error where there is none.
  const Attribute* find(std::string_view name) const { return op_.find(name); }
  const Attribute& required(std::string_view name) const;
  int64_t integer(std::string_view name) const;
  int64_t integer(std::string_view name, int64_t otherwise) const;
  bool boolean(std::string_view name, bool otherwise) const;
  ir::Axes axes(std::string_view name) const;
  ir::Axes axes(std::string_view name, ir::Axes otherwise) const;
  ir::Padding padding(std::string_view name, size_t rank) const;
  // The word of an enumeration, or the text of a string: "LT".
  std::string_view word(std::string_view name, std::string_view otherwise) const;
  ir::Precision precision() const;
  // A field of a structure.
  ir::Axes field_axes(const Attribute& structure, std::string_view name) const;
  int64_t field_integer(const Attribute& structure, std::string_view name, int64_t otherwise) const;

  [[noreturn]] void fail(std::string what, std::string got = {}, std::string wanted = {},
                         std::string hint = {}) const;
  [[noreturn]] void lack(std::string what, std::string hint = {}) const;

 private:
  Importer& importer_;
  const Operation& op_;
  ir::OpCode code_;
  bool dequantized_ = false;
  std::vector<Slot> numbers_;  // the operands, where they are not what the frame holds
  std::vector<Slot> results_;
};

}  // namespace stablehlo
}  // namespace systolic::inline v0
