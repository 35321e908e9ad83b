// Attributes that VHLO has one by one and StableHLO as a structure.
#include <algorithm>

#include "systolic/base/text.h"
#include "systolic/stablehlo/bytecode/vhlo/vhlo_ops.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

using Kind = Attribute::Kind;

// Takes attributes away from an op, one after the other.
class Group {
 public:
  Group(Reader& reader, const Bytes& at, std::vector<NamedAttribute>& attributes)
      : reader_(reader), at_(at), attributes_(attributes) {}

  std::optional<Attribute> take(std::string_view name) {
    const auto found = std::find_if(attributes_.begin(), attributes_.end(),
                                    [&](const NamedAttribute& a) { return a.name == name; });
    if (found == attributes_.end()) return std::nullopt;
    Attribute value = std::move(found->value);
    attributes_.erase(found);
    return value;
  }

  int64_t integer(std::string_view name) {
    const std::optional<Attribute> value = take(name);
    if (!value || value->kind != Kind::integer) {
      at_.fail(str("attribute ", name), value ? "no number" : "none", "a whole number");
    }
    return value->integer;
  }

  std::vector<int64_t> numbers(std::string_view name) {
    std::optional<Attribute> value = take(name);
    if (!value) return {};
    return numbers_of(reader_, at_, {name, std::move(*value)});
  }

  // Fields of a structure: lists that are empty are left out, as is a zero.
  void add_lists(Attribute& structure, std::string_view names) {
    for (std::string_view name : words_of(names)) {
      const std::vector<int64_t> values = numbers(name);
      if (values.empty()) continue;
      Attribute list;
      list.kind = Kind::array;
      for (int64_t value : values) list.items.push_back(number(value));
      structure.fields.push_back({name, std::move(list)});
    }
  }

  void add_integer(Attribute& structure, std::string_view name) {
    const int64_t value = integer(name);
    if (value != 0) structure.fields.push_back({name, number(value)});
  }

  void put(std::string_view name, Attribute value) {
    value.offset = at_.offset();
    attributes_.push_back({name, std::move(value)});
  }

  Attribute number(int64_t value) {
    Attribute result;
    result.kind = Kind::integer;
    result.integer = value;
    result.text = reader_.implied(str(value));
    return result;
  }

  Reader& reader() { return reader_; }
  const Bytes& at() const { return at_; }

 private:
  Reader& reader_;
  const Bytes& at_;
  std::vector<NamedAttribute>& attributes_;
};

Attribute structure_named(std::string_view name) {
  Attribute result;
  result.kind = Kind::structure;
  result.name = name;
  return result;
}

void group_dot(Group& group) {
  Attribute numbers = structure_named("stablehlo.dot");
  group.add_lists(numbers,
                  "lhs_batching_dimensions rhs_batching_dimensions lhs_contracting_dimensions "
                  "rhs_contracting_dimensions");
  group.put("dot_dimension_numbers", std::move(numbers));
  Attribute algorithm = structure_named("stablehlo.dot_algorithm");
  bool is_written = false;
  for (std::string_view name :
       {"lhs_precision_type", "rhs_precision_type", "accumulation_type", "lhs_component_count",
        "rhs_component_count", "num_primitive_operations", "allow_imprecise_accumulation"}) {
    std::optional<Attribute> value = group.take(name);
    if (!value) continue;
    const Kind kind = value->kind;
    is_written |= kind == Kind::integer;  // else each is the type "none"
    if (kind == Kind::integer) value->type = no_type;
    algorithm.fields.push_back({name, std::move(*value)});
  }
  if (is_written) group.put("algorithm", std::move(algorithm));
}

void group_gather(Group& group) {
  Attribute numbers = structure_named("stablehlo.gather");
  group.add_lists(numbers,
                  "offset_dims collapsed_slice_dims operand_batching_dims "
                  "start_indices_batching_dims start_index_map");
  group.add_integer(numbers, "index_vector_dim");
  group.put("dimension_numbers", std::move(numbers));
}

void group_scatter(Group& group) {
  Attribute numbers = structure_named("stablehlo.scatter");
  group.add_lists(numbers,
                  "update_window_dims inserted_window_dims input_batching_dims "
                  "scatter_indices_batching_dims scatter_dims_to_operand_dims");
  group.add_integer(numbers, "index_vector_dim");
  group.put("scatter_dimension_numbers", std::move(numbers));
}

void group_channel(Group& group) {
  const int64_t handle = group.integer("channel_id"), type = group.integer("channel_type");
  group.put("channel_handle", channel_handle(group.reader(), handle, type));
}

// [b, 0, 1, f]: which axis is which.
std::string layout(Group& group, std::string_view name, char first, std::string_view first_name,
                   char second, std::string_view second_name) {
  const std::vector<int64_t> spatial = group.numbers(str(name, "_spatial_dimensions"));
  std::vector<std::string> words(spatial.size() + 2);
  const auto set = [&](int64_t axis, std::string word) {
    const bool fits = axis >= 0 && axis < static_cast<int64_t>(words.size());
    if (!fits || !words[static_cast<size_t>(axis)].empty()) {
      group.at().fail(str("the axes of a convolution's ", name), str("axis ", axis),
                      str("each of 0 to ", words.size() - 1, " once"));
    }
    words[static_cast<size_t>(axis)] = std::move(word);
  };
  set(group.integer(str(name, "_", first_name)), std::string(1, first));
  set(group.integer(str(name, "_", second_name)), std::string(1, second));
  for (size_t i = 0; i < spatial.size(); ++i) set(spatial[i], str(i));
  return str("[", join(words), "]");
}

void group_convolution(Group& group) {
  const std::string input =
      layout(group, "input", 'b', "batch_dimension", 'f', "feature_dimension");
  const std::string kernel =
      layout(group, "kernel", 'i', "input_feature_dimension", 'o', "output_feature_dimension");
  const std::string output =
      layout(group, "output", 'b', "batch_dimension", 'f', "feature_dimension");
  Attribute numbers;
  numbers.kind = Kind::opaque;
  numbers.name = "stablehlo.conv";
  numbers.text =
      group.reader().implied(str("#stablehlo.conv<", input, "x", kernel, "->", output, ">"));
  group.put("dimension_numbers", std::move(numbers));
}

// Layouts are left out where neither operands nor results have any.
void drop_empty_layouts(Group& group) {
  std::optional<Attribute> operands = group.take("operand_layouts");
  std::optional<Attribute> results = group.take("result_layouts");
  if (!operands || !results || (operands->items.empty() && results->items.empty())) return;
  group.put("operand_layouts", std::move(*operands));
  group.put("result_layouts", std::move(*results));
}

}  // namespace

void group_attributes(Reader& reader, const Bytes& at, std::string_view stablehlo_op,
                      std::vector<NamedAttribute>& attributes) {
  Group group(reader, at, attributes);
  const std::string_view op = stablehlo_op.substr(stablehlo_op.find('.') + 1);
  if (op == "dot_general") group_dot(group);
  if (op == "gather" || op == "dynamic_gather") group_gather(group);
  if (op == "scatter") group_scatter(group);
  if (op == "send" || op == "recv") group_channel(group);
  if (op == "convolution" || op == "dynamic_conv") group_convolution(group);
  if (op == "custom_call") drop_empty_layouts(group);
  std::sort(attributes.begin(), attributes.end(),
            [](const NamedAttribute& a, const NamedAttribute& b) { return a.name < b.name; });
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
