#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/base/protobuf/wire.h"
#include "systolic/ir/image/fields.h"
#include "systolic/ir/image/image.h"
#include "systolic/ir/image/image_format.h"
#include "systolic/ir/infer/verify.h"

namespace systolic::inline v0 {
namespace ir {
namespace {

class ImageReader {
 public:
  explicit ImageReader(std::string_view bytes) : bytes_(bytes) {}

  Module read() {
    std::string_view magic;
    if (!bytes_.take(image_magic.size(), magic) || magic != image_magic) {
      damaged("it does not begin as the image of this version's programs");
    }
    Module module;
    (*this)(module.name);
    (*this)(module.num_replicas);
    (*this)(module.num_partitions);
    module.functions.resize(count());
    for (Function& function : module.functions) (*this)(function);
    if (!bytes_.at_end()) damaged("it goes on after its end");
    if (module.functions.empty()) damaged("it has no function");
    return module;
  }

  void operator()(int64_t& value) {
    const uint64_t number = this->number();
    value = static_cast<int64_t>(number >> 1) ^ -static_cast<int64_t>(number & 1);
  }
  void operator()(int& value) {
    int64_t wide = 0;
    (*this)(wide);
    if (wide < INT32_MIN || wide > INT32_MAX) damaged("a number is too large");
    value = static_cast<int>(wide);
  }
  void operator()(bool& value) {
    const uint64_t number = this->number();
    if (number > 1) damaged("a truth value is neither 0 nor 1");
    value = number == 1;
  }
  void operator()(std::string& text) { text = view(); }
  template <class A, class B>
  void operator()(std::pair<A, B>& pair) {
    (*this)(pair.first);
    (*this)(pair.second);
  }
  template <class T>
  void operator()(std::vector<T>& values) {
    values.clear();
    for (size_t left = count(); left > 0; --left) {
      T value{};
      (*this)(value);
      values.push_back(std::move(value));
    }
  }
  template <class Enum>
  void one_of(Enum& value, Enum last) {
    const uint64_t number = this->number();
    if (number > static_cast<uint64_t>(last)) damaged("an enumeration has no such value");
    value = static_cast<Enum>(number);
  }
  void operator()(Type& type) {
    one_of(type.dtype, DType::token);
    std::vector<int64_t> sizes;
    (*this)(sizes);
    if (std::any_of(sizes.begin(), sizes.end(), [](int64_t size) { return size < 0; })) {
      damaged("an axis has a negative size");
    }
    type.shape = Shape(sizes);
    type.shape.elements();  // raises where there are too many
  }
  void operator()(Literal& value) {
    Type type;
    (*this)(type);
    const std::string_view data = view();
    if (type.dtype == DType::string || type.dtype == DType::token)
      damaged("a constant is no array");
    if (type.shape.elements() > static_cast<int64_t>(data.size()) ||
        static_cast<int64_t>(data.size()) != type.bytes()) {
      damaged("a constant has another number of bytes than its type");
    }
    value = Literal(type.dtype, type.shape);
    if (!data.empty()) std::memcpy(value.mutable_raw(), data.data(), data.size());
  }
  void operator()(CustomOption& option) {
    const Nested nested(*this);
    (*this)(option.name);
    switch (number()) {
      case 0:
        return read_into<Literal>(option.value);
      case 1:
        return read_into<std::string>(option.value);
      case 2:
        return read_into<std::vector<CustomOption>>(option.value);
      default:
        damaged("an option has no such kind");
    }
  }

 private:
  struct Nested {
    explicit Nested(ImageReader& reader) : reader(reader) {
      if (++reader.depth_ > most_nested) reader.damaged("it is nested too deep");
    }
    ~Nested() { --reader.depth_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;
    ImageReader& reader;
  };

  [[noreturn]] void damaged(const char* what) const {
    raise<DataLoss>({.what = str("the image of a program is damaged: ", what)});
  }
  uint64_t number() {
    uint64_t value = 0;
    if (!bytes_.read_varint(value)) damaged("it ends early");
    return value;
  }
  std::string_view view() {
    std::string_view text;
    if (!bytes_.read_bytes(text)) damaged("it ends early");
    return text;
  }
  // How many things follow, each of which takes a byte at least.
  size_t count() {
    const uint64_t value = number();
    if (value > bytes_.bytes_left()) damaged("it ends early");
    return value;
  }
  template <class T, class Variant>
  void read_into(Variant& value) {
    T one{};
    (*this)(one);
    value = std::move(one);
  }

  void operator()(Parameter& parameter) {
    (*this)(parameter.name);
    bool has_sharding = false;
    (*this)(has_sharding);
    if (has_sharding) {
      Sharding sharding;
      (*this)(sharding.tiles);
      parameter.sharding = std::move(sharding);
    }
    int64_t alias = -1;
    (*this)(alias);
    if (alias >= 0) parameter.aliases_result = alias;
    (*this)(parameter.uniform);
    one_of(parameter.role, Role::other_state);
  }
  void operator()(Function& function) {
    (*this)(function.name);
    (*this)(function.types);
    (*this)(function.arguments);
    (*this)(function.results);
    (*this)(function.body);
  }
  void operator()(Block& block) {
    const Nested nested(*this);
    (*this)(block.arguments);
    (*this)(block.results);
    for (size_t left = count(); left > 0; --left) {
      block.ops.emplace_back();
      (*this)(block.ops.back());
    }
  }
  void operator()(Op& op) {
    one_of(op.code, static_cast<OpCode>(op_count - 1));
    (*this)(op.operands);
    (*this)(op.results);
    op.location.file = text_of_many();
    (*this)(op.location.line);
    op.layer_path = text_of_many();
    op.attributes = attributes(static_cast<size_t>(info(op.code).attributes));
    std::visit([this](auto& a) { fields(*this, a); }, static_cast<AnyAttributes&>(op.attributes));
    for (size_t left = count(); left > 0; --left) {
      op.regions.emplace_back();
      (*this)(op.regions.back());
    }
  }

  // The kind that an op has, without values.
  template <size_t kind = 0>
  static Attributes attributes(size_t wanted) {
    if constexpr (kind < std::variant_size_v<AnyAttributes>) {
      if (kind == wanted) return std::variant_alternative_t<kind, AnyAttributes>{};
      return attributes<kind + 1>(wanted);
    } else {
      return {};
    }
  }

  // Texts live as long as the process: they are short, and few are different.
  const char* text_of_many() {
    constexpr size_t most_bytes = 4096;
    const uint64_t which = number();
    if (which > known_.size()) damaged("a text is named before it comes");
    if (which == known_.size()) {
      const std::string_view text = view();
      if (text.size() > most_bytes || text.find('\0') != std::string_view::npos) {
        damaged("a name is no name");
      }
      known_.push_back(intern(text));
    }
    return known_[which];
  }

  protobuf::WireReader bytes_;
  std::vector<const char*> known_;
  int depth_ = 0;
};

}  // namespace

Module module_of(std::string_view image) {
  Module module = ImageReader(image).read();
  verify(module);
  return module;
}

}  // namespace ir
}  // namespace systolic::inline v0
