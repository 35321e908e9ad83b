#include "systolic/io/arrow/worker/describe.h"

#include <arrow/extension_type.h>
#include <arrow/util/key_value_metadata.h>

#include "systolic/io/arrow/worker/check.h"

namespace worker {
namespace {

using systolic::io::arrow_wire::FieldKind;
using systolic::io::arrow_wire::Writer;
namespace limits = systolic::io::arrow_wire;

// As DType prints; times are counts of their unit since 1970 or midnight.
const char* dtype_of(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::BOOL:
      return "pred";
    case arrow::Type::INT8:
      return "i8";
    case arrow::Type::INT16:
      return "i16";
    case arrow::Type::INT32:
    case arrow::Type::DATE32:
    case arrow::Type::TIME32:
      return "i32";
    case arrow::Type::INT64:
    case arrow::Type::DATE64:
    case arrow::Type::TIME64:
    case arrow::Type::TIMESTAMP:
    case arrow::Type::DURATION:
      return "i64";
    case arrow::Type::UINT8:
      return "u8";
    case arrow::Type::UINT16:
      return "u16";
    case arrow::Type::UINT32:
      return "u32";
    case arrow::Type::UINT64:
      return "u64";
    case arrow::Type::HALF_FLOAT:
      return "f16";
    case arrow::Type::FLOAT:
      return "f32";
    case arrow::Type::DOUBLE:
      return "f64";
    default:
      return nullptr;
  }
}

class Description {
 public:
  void add(const std::string& name, const arrow::DataType& declared, size_t depth) {
    if (depth > limits::most_depth || ++fields_ > limits::most_fields)
      throw Fault("a schema of more than " + std::to_string(limits::most_depth) + " levels or " +
                  std::to_string(limits::most_fields) + " fields");
    const arrow::DataType& type = stored_type(declared);
    const FieldKind kind = kind_of(type);
    out_.text(name);
    out_.text(kind == FieldKind::unsupported || type.num_fields() == 0 ? declared.ToString() : "");
    out_.byte(static_cast<uint8_t>(kind));
    out_.text(kind == FieldKind::number ? dtype_of(type) : "");
    out_.number(
        kind == FieldKind::fixed_list
            ? static_cast<uint64_t>(static_cast<const arrow::FixedSizeListType&>(type).list_size())
            : 0);
    add_inner(type, kind, depth);
  }
  Writer& out() { return out_; }

 private:
  void add_inner(const arrow::DataType& type, FieldKind kind, size_t depth) {
    const auto& dictionary = static_cast<const arrow::DictionaryType&>(type);
    if (kind == FieldKind::dictionary) {
      out_.number(1);
      return add("", *dictionary.value_type(), depth + 1);
    }
    out_.number(kind == FieldKind::unsupported ? 0 : static_cast<uint64_t>(type.num_fields()));
    if (kind == FieldKind::unsupported) return;
    for (const auto& field : type.fields()) add(field->name(), *field->type(), depth + 1);
  }

  Writer out_;
  size_t fields_ = 0;
};

}  // namespace

const arrow::DataType& stored_type(const arrow::DataType& type) {
  const arrow::DataType* stored = &type;
  while (stored->id() == arrow::Type::EXTENSION)
    stored = static_cast<const arrow::ExtensionType&>(*stored).storage_type().get();
  return *stored;
}

FieldKind kind_of(const arrow::DataType& declared) {
  const arrow::DataType& type = stored_type(declared);
  if (dtype_of(type) != nullptr) return FieldKind::number;
  switch (type.id()) {
    case arrow::Type::NA:
      return FieldKind::null;
    case arrow::Type::STRING:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_BINARY:
    case arrow::Type::STRING_VIEW:
    case arrow::Type::BINARY_VIEW:
    case arrow::Type::FIXED_SIZE_BINARY:
      return FieldKind::string;
    case arrow::Type::LIST:
    case arrow::Type::LARGE_LIST:
    case arrow::Type::MAP:
      return FieldKind::list;
    case arrow::Type::FIXED_SIZE_LIST:
      return FieldKind::fixed_list;
    case arrow::Type::STRUCT:
      return FieldKind::structure;
    case arrow::Type::DICTIONARY:
      return FieldKind::dictionary;
    default:
      return FieldKind::unsupported;
  }
}

std::string described(const arrow::Schema& schema, std::optional<int64_t> rows) {
  Description description;
  description.out().number(rows ? static_cast<uint64_t>(*rows) : limits::unknown_rows);
  std::string metadata;
  if (schema.metadata() != nullptr)
    metadata = schema.metadata()->Get("huggingface").ValueOr(std::string());
  if (metadata.size() > limits::most_metadata_bytes) throw Fault("metadata that fill the memory");
  description.out().text(metadata);
  description.out().number(static_cast<uint64_t>(schema.num_fields()));
  for (const auto& field : schema.fields()) description.add(field->name(), *field->type(), 0);
  return description.out().bytes();
}

}  // namespace worker
