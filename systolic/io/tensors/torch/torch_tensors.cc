#include "systolic/io/tensors/torch/torch_tensors.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace io {
namespace {

using Kind = PickleValue::Kind;

constexpr int most_levels = 16;  // of dictionaries in dictionaries
constexpr size_t most_entries = 200'000;
constexpr size_t most_axes = 64;
constexpr size_t most_name_bytes = 500;

struct NamedType {
  std::string_view name;
  DType dtype;
};
constexpr NamedType storages[] = {
    {"BoolStorage", DType::pred},        {"ByteStorage", DType::u8},
    {"CharStorage", DType::i8},          {"ShortStorage", DType::i16},
    {"IntStorage", DType::i32},          {"LongStorage", DType::i64},
    {"HalfStorage", DType::f16},         {"BFloat16Storage", DType::bf16},
    {"FloatStorage", DType::f32},        {"DoubleStorage", DType::f64},
    {"ComplexFloatStorage", DType::c64}, {"ComplexDoubleStorage", DType::c128}};
constexpr std::string_view untyped_storage = "torch.storage.UntypedStorage";
constexpr NamedType types[] = {{"bool", DType::pred},         {"uint8", DType::u8},
                               {"int8", DType::i8},           {"int16", DType::i16},
                               {"int32", DType::i32},         {"int64", DType::i64},
                               {"uint16", DType::u16},        {"uint32", DType::u32},
                               {"uint64", DType::u64},        {"float16", DType::f16},
                               {"bfloat16", DType::bf16},     {"float32", DType::f32},
                               {"float64", DType::f64},       {"complex64", DType::c64},
                               {"complex128", DType::c128},   {"float8_e4m3fn", DType::f8e4m3fn},
                               {"float8_e5m2", DType::f8e5m2}};
constexpr std::string_view ordered_dict = "collections.OrderedDict",
                           tensor_v1 = "torch._utils._rebuild_tensor",
                           tensor_v2 = "torch._utils._rebuild_tensor_v2",
                           tensor_v3 = "torch._utils._rebuild_tensor_v3",
                           parameter = "torch._utils._rebuild_parameter", size = "torch.Size";

template <size_t n>
std::optional<DType> type_named(const NamedType (&rows)[n], std::string_view global) {
  for (const std::string_view prefix : {"torch.", "torch.cuda."}) {
    if (!global.starts_with(prefix)) continue;
    for (const NamedType& row : rows) {
      if (row.name == global.substr(prefix.size())) return row.dtype;
    }
  }
  return std::nullopt;
}

class TensorWalk {
 public:
  TensorWalk(const std::string& name, SourceLocation location) : name_(name), location_(location) {}

  // Adds what a dictionary holds.
  void walk(const PickleValue& dictionary, const std::string& prefix, int level) {
    if (level > most_levels) damaged(str("dictionaries nest deeper than ", most_levels));
    for (size_t i = 0; i + 1 < dictionary.items.size(); i += 2) {
      if (++entries_ > most_entries) damaged(str("more than ", most_entries, " entries"));
      const PickleValue& value = *dictionary.items[i + 1];
      const bool inner = is_dictionary(value);
      if (!inner && !value.is(Kind::call)) continue;  // a number, a text
      const std::string name = prefix + key_of(*dictionary.items[i]);
      if (name.size() > most_name_bytes)
        damaged(str("a name of more than ", most_name_bytes, " bytes"));
      if (inner) {
        walk(value, name + ".", level + 1);
      } else if (value.text != size) {
        add(tensor_of(value, name, 0));
      }
    }
  }
  void add_root(const PickleValue& tensor) { add(tensor_of(tensor, "", 0)); }
  static bool is_dictionary(const PickleValue& value) {
    return value.is(Kind::dictionary) || value.is_call(ordered_dict);
  }
  std::vector<TorchTensor> take() { return std::move(tensors_); }
  [[noreturn]] void damaged(const std::string& what) const {
    raise<DataLoss>({.what = str("PyTorch file '", name_, "': ", what),
                     .hint = "the file is damaged or forged: fetch or write it again",
                     .location = location_});
  }

 private:
  std::string key_of(const PickleValue& key) const {
    if (key.is(Kind::integer)) return str(key.integer);
    if (key.is(Kind::text)) return std::string(key.text.substr(0, most_name_bytes + 1));
    damaged(str("a key that is a ", to_string(key.kind)));
  }
  // As in a dictionary, the last entry counts where a name comes twice.
  void add(TorchTensor tensor) {
    const auto [place, fresh] = places_.emplace(tensor.info.name, tensors_.size());
    if (fresh) {
      tensors_.push_back(std::move(tensor));
    } else {
      tensors_[place->second] = std::move(tensor);
    }
  }

  TorchTensor tensor_of(const PickleValue& call, const std::string& name, int level) const {
    const auto& arguments = call.arguments->items;
    const size_t count = arguments.size();
    if (call.text == parameter && count >= 1 && arguments[0]->is(Kind::call) && level == 0)
      return tensor_of(*arguments[0], name, 1);
    const bool v3 = call.text == tensor_v3;
    const bool known = call.text == tensor_v1 || call.text == tensor_v2 || v3;
    if (!known || count < (v3 ? 7u : 4u))
      damaged(str("'", name, "' is not a tensor but a call of ", call.text));
    const size_t metadata = v3 ? 7 : 6;
    if (count > metadata && !is_empty(*arguments[metadata])) {
      raise<Unimplemented>({.what = str("PyTorch file '", name_, "': tensor '", name,
                                        "' is conjugated or negated when read"),
                            .hint = "save it with .resolve_conj().resolve_neg()",
                            .location = location_});
    }
    TorchTensor tensor;
    tensor.info.name = name;
    read_storage(*arguments[0], v3 ? arguments[6] : nullptr, tensor);
    tensor.offset = count_of(*arguments[1], name);
    read_layout(*arguments[2], *arguments[3], tensor);
    return tensor;
  }
  static bool is_empty(const PickleValue& metadata) {
    return metadata.is(Kind::none) || (is_dictionary(metadata) && metadata.items.empty());
  }

  // ("storage", type, key, where it was, elements)
  void read_storage(const PickleValue& value, const PickleValue* dtype, TorchTensor& tensor) const {
    const std::string& name = tensor.info.name;
    const PickleValue* id = value.is(Kind::persistent) ? value.items[0] : nullptr;
    if (id == nullptr || !id->is(Kind::tuple) || id->items.size() < 5 ||
        !id->items[0]->is(Kind::text) || id->items[0]->text != "storage" ||
        !id->items[1]->is(Kind::global) || !id->items[2]->is(Kind::text) ||
        id->items[2]->text.size() > most_name_bytes) {
      damaged(str("tensor '", name, "' has no storage"));
    }
    if (id->items.size() > 5 && !id->items[5]->is(Kind::none)) {
      raise<Unimplemented>({.what = str("PyTorch file '", name_, "': tensor '", name,
                                        "' lies in a view of a storage (PyTorch before 0.4)"),
                            .hint = "load and save it with a newer PyTorch",
                            .location = location_});
    }
    const std::string_view type = id->items[1]->text;
    const bool untyped = type == untyped_storage;
    const auto element = dtype == nullptr          ? type_named(storages, type)
                         : dtype->is(Kind::global) ? type_named(types, dtype->text)
                                                   : std::nullopt;
    if (!element || (untyped && dtype == nullptr))
      damaged(str("tensor '", name, "' has no type of elements"));
    tensor.info.dtype = *element;
    tensor.storage = id->items[2]->text;
    const auto width = untyped ? 1 : byte_width(type_named(storages, type).value_or(*element));
    if (__builtin_mul_overflow(count_of(*id->items[4], name), static_cast<uint64_t>(width),
                               &tensor.storage_bytes))
      damaged(str("the storage of tensor '", name, "' claims more than 2^64 bytes"));
  }

  void read_layout(const PickleValue& sizes, const PickleValue& strides,
                   TorchTensor& tensor) const {
    const std::string& name = tensor.info.name;
    const std::vector<uint64_t> dims = counts_of(sizes, name);
    tensor.strides = counts_of(strides, name);
    if (dims.size() != tensor.strides.size())
      damaged(str("tensor '", name, "' has ", dims.size(), " axes and ", tensor.strides.size(),
                  " strides"));
    // The elements, the last of them, and whether they are one after the other.
    uint64_t elements = 1, without_zeros = 1, last = tensor.offset;
    bool overflow = false;
    const bool empty = std::find(dims.begin(), dims.end(), 0) != dims.end();
    for (size_t axis = dims.size(); axis-- > 0;) {
      if (dims[axis] != 1 && tensor.strides[axis] != elements) tensor.contiguous = false;
      uint64_t reach = 0;
      elements *= dims[axis];
      overflow |=
          __builtin_mul_overflow(without_zeros, std::max<uint64_t>(dims[axis], 1), &without_zeros);
      if (empty) continue;
      overflow |= __builtin_mul_overflow(dims[axis] - 1, tensor.strides[axis], &reach);
      overflow |= __builtin_add_overflow(last, reach, &last);
    }
    constexpr uint64_t most = uint64_t{1} << 58;  // bytes fit 63 bits
    if (overflow || without_zeros > most || last > most)
      damaged(str("the shape of tensor '", name, "' overflows"));
    const auto width = static_cast<uint64_t>(byte_width(tensor.info.dtype));
    if (!empty && (last + 1) * width > tensor.storage_bytes) {
      damaged(str("tensor '", name, "' reaches to byte ", (last + 1) * width, " of a storage of ",
                  tensor.storage_bytes));
    }
    if (empty) tensor.contiguous = true;
    tensor.info.shape = Shape(std::vector<int64_t>(dims.begin(), dims.end()));
    check_elements(tensor);
  }
  // A stride of 0 repeats elements: a few bytes may claim to be a large array.
  void check_elements(const TorchTensor& tensor) const {
    constexpr uint64_t always = uint64_t{64} << 20, times = 1000;
    const uint64_t bytes = tensor.info.byte_size();
    if (tensor.contiguous || bytes <= always || bytes / times <= tensor.storage_bytes) return;
    raise<ResourceExhausted>(
        {.what = str("PyTorch file '", name_, "': tensor '", tensor.info.name, "' of ", bytes,
                     " bytes repeats a storage of ", tensor.storage_bytes),
         .hint = "save it after .contiguous()",
         .location = location_});
  }

  uint64_t count_of(const PickleValue& value, const std::string& name) const {
    if (!value.is(Kind::integer) || value.integer < 0)
      damaged(str("tensor '", name, "' has a size or stride that is no count"));
    return static_cast<uint64_t>(value.integer);
  }
  std::vector<uint64_t> counts_of(const PickleValue& value, const std::string& name) const {
    const PickleValue* list = &value;
    if (list->is_call(size) && list->arguments->items.size() == 1) list = list->arguments->items[0];
    if ((!list->is(Kind::tuple) && !list->is(Kind::list)) || list->items.size() > most_axes)
      damaged(str("tensor '", name, "' has no shape of at most ", most_axes, " axes"));
    std::vector<uint64_t> counts;
    for (const PickleValue* item : list->items) counts.push_back(count_of(*item, name));
    return counts;
  }

  const std::string& name_;
  SourceLocation location_;
  std::vector<TorchTensor> tensors_;
  std::unordered_map<std::string, size_t> places_;
  size_t entries_ = 0;
};

}  // namespace

bool is_torch_global(std::string_view global) {
  for (const std::string_view known :
       {ordered_dict, tensor_v1, tensor_v2, tensor_v3, parameter, size, untyped_storage}) {
    if (global == known) return true;
  }
  return type_named(storages, global) || type_named(types, global);
}

std::vector<TorchTensor> torch_tensors(const PickleValue& root, const std::string& name,
                                       SourceLocation location) {
  TensorWalk walk(name, location);
  if (!TensorWalk::is_dictionary(root))
    walk.damaged(str("it holds a ", to_string(root.kind), " instead of a dictionary of tensors"));
  walk.walk(root, "", 0);
  return walk.take();
}

std::vector<TorchTensor> torch_tensor(const PickleValue& root, const std::string& name,
                                      SourceLocation location) {
  TensorWalk walk(name, location);
  if (!root.is(Kind::call) || TensorWalk::is_dictionary(root))
    walk.damaged(str("it holds a ", to_string(root.kind), " instead of a tensor"));
  walk.add_root(root);
  return walk.take();
}

}  // namespace io
}  // namespace systolic::inline v0
