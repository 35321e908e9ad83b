#include "systolic/stablehlo/bytecode/vhlo/vhlo_op_attributes.h"

#include <algorithm>
#include <map>
#include <set>

#include "systolic/base/error.h"
#include "systolic/stablehlo/bytecode/vhlo/vhlo_rules.h"
#include "systolic/stablehlo/convolution_numbers.h"
#include "systolic/stablehlo/dense.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

using Kind = Attribute::Kind;

class OpAttributes {
 public:
  OpAttributes(VhloWriter& writer, const VhloOp& vhlo, const Operation& op)
      : writer_(writer), vhlo_(vhlo), op_(op) {}

  VhloOpAttributes convert() {
    split();
    VhloOpAttributes result;
    for (const std::string_view word : words_of(vhlo_.attributes)) {
      const std::string_view name = word.substr(0, word.find_first_of("!-="));
      result.own.push_back(one(name));
    }
    for (const NamedAttribute& attribute : op_.attributes) {
      if (used_.count(attribute.name) == 0)
        result.others.emplace_back(attribute.name, writer_.attribute(attribute.value));
    }
    return result;
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    raise<Unimplemented>({.what = str(place_of(writer_.program(), op_.offset), ": ", op_.name, ": ",
                                      what, " in VHLO bytecode")});
  }

  const Attribute* take(std::string_view name) {
    const Attribute* found = op_.find(name);
    if (found != nullptr) used_.insert(name);
    return found;
  }

  // Structures as their fields.
  void split() {
    if (const Attribute* dot = take("dot_dimension_numbers")) {
      put_lists(*dot,
                "lhs_batching_dimensions rhs_batching_dimensions lhs_contracting_dimensions "
                "rhs_contracting_dimensions");
    }
    if (take("algorithm") != nullptr) fail("an algorithm of a dot product");
    const Attribute* numbers = take("dimension_numbers");
    if (numbers != nullptr && vhlo_.name.find("gather") != std::string_view::npos) {
      put_lists(*numbers, "offset_dims collapsed_slice_dims start_index_map");
      put_index(*numbers, "operand_batching_dims");
    } else if (numbers != nullptr) {
      put_convolution(*numbers);
    }
    if (vhlo_.name == "send_v1" || vhlo_.name == "recv_v1") {
      const Attribute* channel = take("channel_handle");
      if (channel == nullptr) fail("no channel_handle");
      known_.emplace("channel_id", number_in(*channel, "handle"));
      known_.emplace("channel_type", number_in(*channel, "type"));
    }
    if (const Attribute* scatter = take("scatter_dimension_numbers")) {
      put_lists(*scatter, "update_window_dims inserted_window_dims scatter_dims_to_operand_dims");
      put_index(*scatter, "input_batching_dims");
    }
  }

  std::vector<int64_t> field(const Attribute& structure, std::string_view name) const {
    std::vector<int64_t> values;
    if (const Attribute* list = find(structure.fields, name)) {
      for (const Attribute& item : list->items) values.push_back(item.integer);
    }
    return values;
  }
  uint64_t number_in(const Attribute& structure, std::string_view name) {
    const Attribute* found = find(structure.fields, name);
    return writer_.integer(found == nullptr ? 0 : found->integer);
  }
  void put_lists(const Attribute& structure, std::string_view names) {
    for (const std::string_view name : words_of(names))
      known_.emplace(name, writer_.axes(field(structure, name)));
  }
  void put_index(const Attribute& structure, std::string_view no_batching) {
    if (!field(structure, no_batching).empty()) fail("axes of batches");
    known_.emplace("index_vector_dim", number_in(structure, "index_vector_dim"));
  }
  void put_convolution(const Attribute& text) {
    const ConvolutionNumbers numbers = read_convolution_numbers(writer_.program(), text);
    const auto put = [&](const ConvolutionLayout& layout, const char* spatial, const char* first,
                         const char* second) {
      known_.emplace(spatial, writer_.axes(layout.spatial));
      known_.emplace(first, writer_.integer(layout.first));
      known_.emplace(second, writer_.integer(layout.second));
    };
    put(numbers.input, "input_spatial_dimensions", "input_batch_dimension",
        "input_feature_dimension");
    put(numbers.kernel, "kernel_spatial_dimensions", "kernel_input_feature_dimension",
        "kernel_output_feature_dimension");
    put(numbers.output, "output_spatial_dimensions", "output_batch_dimension",
        "output_feature_dimension");
    window_rank_ = static_cast<int64_t>(numbers.input.spatial.size());
  }

  // The axes of the window: lists that StableHLO leaves out have as many numbers.
  int64_t window_rank() {
    if (window_rank_ >= 0) return window_rank_;
    const Attribute* window = op_.find("window_dimensions");
    if (window == nullptr) fail("a window of no known rank");
    return window_rank_ = static_cast<int64_t>(read_integers(writer_.program(), *window).size());
  }

  uint64_t one(std::string_view name) {
    const auto known = known_.find(name);
    if (known != known_.end()) return known->second;
    const VhloRule* rule = find_vhlo_rule(name);
    const VhloForm form = rule == nullptr ? VhloForm::same : rule->form;
    const Attribute* value = take(form == VhloForm::channel ? "channel_handle" : name);
    if (value != nullptr) return given(name, form, *value);
    if (rule != nullptr && rule->otherwise != VhloDefault::none) return otherwise(name, *rule);
    if (name.ends_with("_layouts")) return writer_.list({});
    fail(str("no ", name));
  }

  uint64_t given(std::string_view name, VhloForm form, const Attribute& value) {
    switch (form) {
      case VhloForm::axes:
        return writer_.axes(read_integers(writer_.program(), value));
      case VhloForm::booleans:
        return writer_.booleans(read_integers(writer_.program(), value));
      case VhloForm::channel:
        return number_in(value, "handle");
      default:
        break;
    }
    if (name == "api_version") return writer_.api_version(value.integer);
    if (name == "padding") {
      const std::vector<int64_t> numbers = padding_of(value);
      return writer_.numbers(numbers, {static_cast<int64_t>(numbers.size() / 2), 2});
    }
    return writer_.attribute(value);
  }

  // A constant, or a list of pairs.
  std::vector<int64_t> padding_of(const Attribute& value) const {
    const Program& program = writer_.program();
    if (value.kind != Kind::array) return read_integers(program, value);
    std::vector<int64_t> numbers;
    for (const Attribute& pair : value.items) {
      for (const int64_t number : read_integers(program, pair)) numbers.push_back(number);
    }
    return numbers;
  }

  uint64_t otherwise(std::string_view name, const VhloRule& rule) {
    const auto repeated = [&](int64_t value, int64_t count) {
      return std::vector<int64_t>(static_cast<size_t>(count), value);
    };
    switch (rule.otherwise) {
      case VhloDefault::minus_one:
        return writer_.integer(-1);
      case VhloDefault::zero:
        if (rule.form == VhloForm::channel) return writer_.integer(0);
        if (name == "version") return writer_.integer(0, ElementType::i32);
        return writer_.boolean(false);
      case VhloDefault::one:
        return writer_.api_version(1);
      case VhloDefault::ones:
        return writer_.axes(repeated(1, window_rank()));
      case VhloDefault::zeros:
        if (name == "padding")
          return writer_.numbers(repeated(0, 2 * window_rank()), {window_rank(), 2});
        return writer_.booleans(repeated(0, window_rank()));
      case VhloDefault::empty:
        if (rule.form == VhloForm::axes) return writer_.axes({});
        if (name.ends_with("_config")) return writer_.text("");
        return writer_.list({});
      case VhloDefault::no_type:
        return writer_.word("comparison_type", "NOTYPE");
      case VhloDefault::default_words:
        return writer_.list({});
      default:
        fail(str("no ", name));
    }
  }

  VhloWriter& writer_;
  const VhloOp& vhlo_;
  const Operation& op_;
  std::map<std::string_view, uint64_t> known_;
  std::set<std::string_view> used_;
  int64_t window_rank_ = -1;
};

}  // namespace

VhloOpAttributes to_vhlo(VhloWriter& writer, const VhloOp& vhlo, const Operation& op) {
  return OpAttributes(writer, vhlo, op).convert();
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
