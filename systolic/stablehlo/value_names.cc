#include <unordered_set>

#include "systolic/base/text.h"
#include "systolic/stablehlo/function_printer.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

class Namer {
 public:
  Namer(const Program& program, const Function& function, bool pretty)
      : program_(program), function_(function), pretty_(pretty), names_(function.values.size()) {}

  std::vector<std::string> run() {
    name_arguments(function_.body, "arg");
    name_operations(function_.body);
    return std::move(names_);
  }

 private:
  // Where counting goes on; a region starts where the one around it ended.
  struct Counters {
    int64_t value = 0, argument = 0, conflict = 0;
  };

  void set(ValueId value, std::string name) {
    names_[static_cast<size_t>(value)] = std::move(name);
  }

  // The word, or the word with a number where it is taken.
  std::string unique(std::string_view word) {
    std::string name(word);
    while (!used_.insert(name).second) name = str(word, "_", next_.conflict++);
    taken_.push_back(name);
    return str("%", name);
  }

  void name_arguments(const Region& region, std::string_view word) {
    for (ValueId argument : region.arguments) {
      set(argument, word == "arg" ? str("%arg", next_.argument++) : unique(word));
    }
  }

  void name_results(const Operation& op) {
    if (op.results.empty()) return;
    const bool constant = pretty_ && op.name == "stablehlo.constant";
    if (constant) {
      const Type& type = program_.type(function_.type(op.results[0]));
      const bool integer = type.quantization == nullptr && type.element <= ElementType::ui64;
      return set(op.results[0], unique(integer ? "c" : "cst"));
    }
    if (pretty_ && op.name == "chlo.top_k" && op.results.size() == 2) {
      set(op.results[0], unique("values"));
      return set(op.results[1], unique("indices"));
    }
    const std::string base = str("%", next_.value++);
    for (size_t i = 0; i < op.results.size(); ++i) {
      set(op.results[i], op.results.size() > 1 ? str(base, "#", i) : base);
    }
  }

  void name_operations(const Region& region) {
    for (const Operation& op : region.operations) name_results(op);
    for (const Operation& op : region.operations) {
      const bool loop = pretty_ && op.name == "stablehlo.while";
      for (const Region& inner : op.regions) {
        const Counters outside = next_;
        const size_t taken = taken_.size();
        name_arguments(inner, loop ? "iterArg" : "arg");
        name_operations(inner);
        for (; taken_.size() > taken; taken_.pop_back()) used_.erase(taken_.back());
        next_ = outside;
      }
    }
  }

  const Program& program_;
  const Function& function_;
  bool pretty_;
  std::vector<std::string> names_;
  Counters next_;
  std::unordered_set<std::string> used_;
  std::vector<std::string> taken_;  // in their order
};

}  // namespace

std::vector<std::string> value_names(const Program& program, const Function& function,
                                     bool pretty) {
  return Namer(program, function, pretty).run();
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
