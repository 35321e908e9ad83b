// The IR section: ops, regions and values.
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "systolic/stablehlo/bytecode/encoding/reader.h"
#include "systolic/stablehlo/bytecode/vhlo/vhlo_ops.h"

namespace systolic::inline v0 {
namespace stablehlo {

// What comes before an op's regions.
struct OpHead {
  size_t offset = 0;
  size_t name = 0;  // into IrReader's names
  std::string_view location;
  std::vector<NamedAttribute> attributes;
  std::vector<TypeId> result_types;
  std::vector<ValueId> operands;
  size_t region_count = 0;
  bool isolated = false;  // its regions see no values from outside
};

class IrReader {
 public:
  explicit IrReader(Reader& reader);
  void read();

 private:
  struct Name {
    std::string_view full;      // "stablehlo.add"
    std::string_view original;  // "vhlo.add_v1"
    std::string_view encoded;   // the attributes that its properties hold, in their order
    const VhloOp* vhlo = nullptr;
    bool registered = true;
    bool properties_known = false;
  };
  // The values that numbers stand for, in a region and those around it.
  using Scope = std::vector<ValueId>;

  void make_name(const OpName& op);
  // ir_reader.cc
  void module(Bytes& bytes);
  void module_op(Bytes& bytes);
  void region_values(Bytes& bytes, Region& region, std::string_view parent);
  void block(Bytes& bytes, Region& region, size_t& next, std::string_view parent);
  void block_arguments(Bytes& bytes, Region& region, size_t& next);
  void operation(Bytes& bytes, Region& region, size_t& next, std::string_view parent);
  void cast(const Bytes& bytes, const OpHead& head, size_t& next);
  std::vector<ValueId> define_results(const Bytes& bytes, const OpHead& head, size_t& next);
  ValueId define(const Bytes& bytes, TypeId type, size_t& next);
  void bind(const Bytes& bytes, ValueId value, size_t& next);
  Bytes regions_of(Bytes& bytes, const OpHead& head) const;
  // op_head.cc
  OpHead head(Bytes& bytes);
  void properties(Bytes& bytes, const Name& name, OpHead& head);
  void add_dictionary(const Bytes& bytes, Attribute dictionary, OpHead& head);
  void use_orders(Bytes& bytes, size_t values) const;
  ValueId operand(Bytes& bytes);
  // function_reader.cc
  void function(Bytes& bytes, OpHead head);
  void function_body(Bytes& bytes, Function& function, const OpHead& head);

  Program& program_;
  Reader& reader_;
  std::vector<Name> names_;
  Function* function_ = nullptr;
  std::unordered_set<std::string> function_names_;
  Scope scope_;
};

}  // namespace stablehlo
}  // namespace systolic::inline v0
