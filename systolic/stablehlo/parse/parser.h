// The parser's parts, one file for each: types, attributes, operations, functions. Other folders
// include parse.h.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "systolic/stablehlo/program.h"
#include "systolic/stablehlo/scanner.h"

namespace systolic::inline v0 {
namespace stablehlo {

// The results of an op as they are named: "%0:2" has two.
struct ResultName {
  std::string_view name;
  int64_t count = 1;
  size_t offset = 0;
};

// An attribute and everything that it holds.
int64_t attribute_count(const Attribute& attribute);

class Parser {
 public:
  explicit Parser(Program& program) : program_(program), scan_(program) {}

  // parse_module.cc: everything.
  void parse_program();

  // parse_types.cc
  TypeId type();
  // "(T, T)" or one T.
  std::vector<TypeId> type_list_or_one();
  // "T, T, ..."
  std::vector<TypeId> type_list();
  // "<T, T, ...>"
  Type type_of_parts(Type::Kind kind);
  TypeId tensor_of(ElementType element, std::vector<int64_t> dims);
  TypeId scalar(ElementType element);
  TypeId intern(Type type);

  // parse_attributes.cc
  Attribute attribute();
  // Fields up to and with the closing character.
  std::vector<NamedAttribute> fields(char close);
  // "{...}" if it comes next.
  void attribute_dictionary(std::vector<NamedAttribute>& into);
  std::string_view symbol();
  std::string_view optional_location();

  // parse_operation.cc
  void operations(Region& region);
  Operation operation();
  ValueId operand();
  // "%a, %b" as far as operands follow the commas.
  void operand_list(std::vector<ValueId>& operands);
  // "({...}, {...})" without the outer brackets.
  Region region();
  // "^bb0(%a: T):" arguments and ops up to "}".
  void region_body(Region& region);
  ValueId define(std::string_view name, TypeId type, size_t offset);
  // The types after ":" in the form (T, T) -> T; operands must have the types given.
  std::vector<TypeId> function_type(const Operation& op);
  void check_operand_types(const Operation& op, const std::vector<TypeId>& types, size_t offset);

  // pretty/parse_pretty.cc: the rest of an op in its pretty form; gives its result types.
  std::vector<TypeId> pretty_operation(Operation& op);

  Program& program() { return program_; }
  Scanner& scan() { return scan_; }
  Function& function() { return *function_; }
  std::string_view implied(std::string text);
  size_t scope_begin() const { return defined_.size(); }
  void scope_end(size_t begin);

 private:
  struct Values {
    ValueId first = 0;
    int64_t count = 1;
  };

  void module_body(bool braces);
  void resource_section();
  void resource_entries(std::string_view closing, int level, bool of_builtin);
  void module_header();
  void module_operation();
  void function_definition();
  void function_arguments(bool& declared_only);
  void function_results();
  void alias_definition();
  void begin_function(size_t offset);
  void name_function(std::string name, size_t offset);

  // parse_generic_module.cc
  std::vector<NamedAttribute> properties();
  void end_of_symbol(std::vector<NamedAttribute>& attributes);
  void generic_module();
  void generic_function();
  void mesh();

  TypeId new_type();
  Type tensor_type();
  std::string_view without_alias(std::string_view text);
  std::string_view bounds_encoding(std::string_view text);
  Type quantized_element(Type type);
  ElementType storage_element();
  void quantized_scales(Quantization& quantization);
  std::pair<ElementType, std::shared_ptr<const Quantization>> element();
  Attribute dialect_attribute();
  bool sub_axis();
  Attribute number_attribute();
  Attribute word_attribute();
  Attribute dense_attribute();
  void generic_operation(Operation& op, std::vector<TypeId>& results);
  std::vector<ResultName> result_names();
  void define_results(Operation& op, const std::vector<ResultName>& names,
                      const std::vector<TypeId>& types);

  Program& program_;
  Scanner scan_;
  Function* function_ = nullptr;
  std::unordered_map<std::string_view, TypeId> types_by_text_;
  std::unordered_map<std::string, TypeId> types_by_meaning_;
  std::unordered_map<std::string_view, TypeId> type_aliases_;
  // With the number of attributes in each.
  std::unordered_map<std::string_view, std::pair<int64_t, Attribute>> attribute_aliases_;
  int64_t expanded_ = 0;  // attributes that aliases stood for so far
  int64_t leaves_ = 0;    // types in all tuples and function types so far
  std::unordered_map<std::string_view, Values> values_;
  std::unordered_set<std::string> function_names_;
  std::vector<std::string_view> defined_;  // in the order of definition, for scopes
};

}  // namespace stablehlo
}  // namespace systolic::inline v0
