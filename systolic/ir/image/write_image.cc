#include <map>

#include "systolic/ir/image/fields.h"
#include "systolic/ir/image/image.h"
#include "systolic/ir/image/image_format.h"

namespace systolic::inline v0 {
namespace ir {
namespace {

class ImageWriter {
 public:
  std::string take() { return std::move(bytes_); }

  void number(uint64_t value) {
    while (value >= 0x80) {
      bytes_ += static_cast<char>(value | 0x80);
      value >>= 7;
    }
    bytes_ += static_cast<char>(value);
  }
  void operator()(int64_t value) {
    number(static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63));
  }
  void operator()(int value) { (*this)(int64_t{value}); }
  void operator()(bool value) { number(value ? 1 : 0); }
  void operator()(std::string_view text) {
    number(text.size());
    bytes_ += text;
  }
  void operator()(const std::string& text) { (*this)(std::string_view(text)); }
  template <class A, class B>
  void operator()(const std::pair<A, B>& pair) {
    (*this)(pair.first);
    (*this)(pair.second);
  }
  template <class T>
  void operator()(const std::vector<T>& values) {
    number(values.size());
    for (const auto& value : values) (*this)(static_cast<const T&>(value));
  }
  template <class Enum>
  void one_of(Enum value, Enum /*last*/) {
    number(static_cast<uint64_t>(value));
  }
  void operator()(const Shape& shape) { (*this)(shape.to_vector()); }
  void operator()(const Type& type) {
    one_of(type.dtype, DType::token);
    (*this)(type.shape);
  }
  void operator()(const Literal& value) {
    (*this)(Type{value.dtype(), value.shape()});
    (*this)(std::string_view(reinterpret_cast<const char*>(value.raw()), value.byte_size()));
  }
  void operator()(const CustomOption& option) {
    (*this)(option.name);
    number(option.value.index());
    std::visit([this](const auto& value) { (*this)(value); }, option.value);
  }

  void operator()(const Module& module) {
    bytes_ += image_magic;
    (*this)(module.name);
    (*this)(module.num_replicas);
    (*this)(module.num_partitions);
    number(module.functions.size());
    for (const Function& function : module.functions) (*this)(function);
  }

 private:
  void operator()(const Parameter& parameter) {
    (*this)(parameter.name);
    (*this)(parameter.sharding.has_value());
    if (parameter.sharding) (*this)(parameter.sharding->tiles);
    (*this)(parameter.aliases_result.value_or(-1));
    (*this)(parameter.uniform);
    one_of(parameter.role, Role::other_state);
  }
  void operator()(const Function& function) {
    (*this)(function.name);
    (*this)(function.types);
    (*this)(function.arguments);
    (*this)(function.results);
    (*this)(function.body);
  }
  void operator()(const Block& block) {
    (*this)(block.arguments);
    (*this)(block.results);
    number(block.ops.size());
    for (const Op& op : block.ops) (*this)(op);
  }
  void operator()(const Op& op) {
    one_of(op.code, OpCode{});
    (*this)(op.operands);
    (*this)(op.results);
    text_of_many(op.location.file);
    (*this)(op.location.line);
    text_of_many(op.layer_path);
    Attributes attributes = op.attributes;  // the visitor names fields it may change
    std::visit([this](auto& a) { fields(*this, a); }, static_cast<AnyAttributes&>(attributes));
    number(op.regions.size());
    for (const Block& region : op.regions) (*this)(region);
  }

  // Whole the first time, then its number.
  void text_of_many(const char* text) {
    const auto [found, added] = known_.emplace(text, known_.size());
    number(found->second);
    if (added) (*this)(std::string_view(text));
  }

  std::string bytes_;
  std::map<std::string, uint64_t, std::less<>> known_;
};

}  // namespace

std::string image_of(const Module& module) {
  ImageWriter writer;
  writer(module);
  return writer.take();
}

}  // namespace ir
}  // namespace systolic::inline v0
