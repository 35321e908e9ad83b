// Writes one function; other folders include print.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "systolic/stablehlo/print.h"

namespace systolic::inline v0 {
namespace stablehlo {

// The name of each value, "%0#1", as MLIR counts: the values of a region before those of the
// regions in it. In the pretty form constants and the arguments of loops have names of their own.
std::vector<std::string> value_names(const Program& program, const Function& function, bool pretty);

class FunctionPrinter {
 public:
  FunctionPrinter(const Program& program, const Function& function, const PrintOptions& options,
                  std::string& out)
      : program_(program),
        function_(function),
        options_(options),
        out_(out),
        names_(value_names(program, function, options.pretty)) {}

  void print();

  const Program& program() const { return program_; }
  bool locations() const { return options_.locations; }
  TypeId type_id(ValueId value) const { return function_.type(value); }
  std::string type(ValueId value) const { return type_text(program_, function_.type(value)); }
  const std::string& name(ValueId value) const { return names_[static_cast<size_t>(value)]; }
  // "%0, %1"
  std::string names(const std::vector<ValueId>& values, size_t begin = 0,
                    size_t end = static_cast<size_t>(-1)) const;
  std::string types(const std::vector<ValueId>& values) const;
  // "T", "(T, T)"
  std::string result_types(const std::vector<ValueId>& values) const;
  void print_operations(const Region& region, size_t indent);
  std::string& out() { return out_; }

 private:
  void print_parameters();
  void print_results();
  void print_operation(const Operation& op, size_t indent);
  void print_generic(const Operation& op, size_t indent);
  void print_regions(const Operation& op, size_t indent);
  void print_location(std::string_view location);
  std::string braced(const std::vector<NamedAttribute>& attributes) const;

  const Program& program_;
  const Function& function_;
  PrintOptions options_;
  std::string& out_;
  std::vector<std::string> names_;
};

// The op in its pretty form, after "%0 = "; false, with nothing written, where it has none.
bool print_pretty(FunctionPrinter& printer, const Operation& op, size_t indent);

}  // namespace stablehlo
}  // namespace systolic::inline v0
