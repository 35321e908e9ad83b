#include "systolic/io/arrow/parse_batch.h"

#include <algorithm>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace io {
namespace {

namespace wire = arrow_wire;

class SchemaParser {
 public:
  SchemaParser(std::string_view bytes, const Damaged& damaged) : in_(bytes), damaged_(damaged) {}

  ArrowSchema parse() {
    ArrowSchema schema;
    const uint64_t rows = in_.number();
    if (rows != wire::unknown_rows) {
      if (rows > uint64_t{INT64_MAX}) fail();
      schema.rows = static_cast<int64_t>(rows);
    }
    schema.huggingface_metadata = in_.text();
    const uint64_t count = in_.number();
    for (uint64_t i = 0; i < count && in_.is_whole(); ++i) schema.fields.push_back(field(0));
    if (!in_.is_whole() || !in_.at_end()) fail();
    return schema;
  }

 private:
  [[noreturn]] void fail() const {
    damaged_("a schema that makes no sense");
    raise<DataLoss>({.what = "a schema that makes no sense"});
  }

  ArrowField field(size_t depth) {
    if (depth > wire::most_depth || ++fields_ > wire::most_fields) fail();
    ArrowField field;
    field.name = in_.text();
    field.type = in_.text();
    const uint8_t kind = in_.byte();
    if (kind > static_cast<uint8_t>(ArrowKind::unsupported)) fail();
    field.kind = static_cast<ArrowKind>(kind);
    set_dtype(field, std::string(in_.text()));
    const uint64_t width = in_.number(), inner = in_.number();
    if (width > uint64_t{INT32_MAX}) fail();
    field.width = static_cast<int64_t>(width);
    for (uint64_t i = 0; i < inner && in_.is_whole(); ++i)
      field.inner.push_back(this->field(depth + 1));
    const bool one = field.kind == ArrowKind::list || field.kind == ArrowKind::fixed_list ||
                     field.kind == ArrowKind::dictionary;
    const bool any = field.kind == ArrowKind::structure;
    if ((one && field.inner.size() != 1) || (!one && !any && !field.inner.empty())) fail();
    return field;
  }

  void set_dtype(ArrowField& field, const std::string& name) const {
    if (field.kind != ArrowKind::number) return;
    const std::optional<DType> dtype = find_dtype(name);
    if (!dtype || *dtype == DType::string || *dtype == DType::token) fail();
    field.dtype = *dtype;
  }

  wire::Reader in_;
  const Damaged& damaged_;
  size_t fields_ = 0;
};

class BatchParser {
 public:
  BatchParser(std::string_view bytes, const Damaged& damaged) : damaged_(damaged) {
    wire::Reader sized(bytes);
    const uint64_t head = sized.number();
    const uint64_t begin =
        head > bytes.size() ? bytes.size() + 1 : wire::aligned(sizeof head + head);
    check(begin <= bytes.size());
    in_ = wire::Reader(bytes.substr(sizeof head, head));
    buffers_ = bytes.substr(begin);
  }

  ArrowBatch parse(const std::vector<ArrowField>& fields) {
    ArrowBatch batch;
    batch.rows = length();
    for (const ArrowField& field : fields) {
      batch.columns.push_back(array(field));
      check(batch.columns.back().length == batch.rows);
    }
    check(in_.is_whole() && in_.at_end());
    return batch;
  }

 private:
  void check(bool holds) const {
    if (holds) return;
    damaged_("a batch that makes no sense");
    raise<DataLoss>({.what = "a batch that makes no sense"});
  }

  int64_t length() {
    const uint64_t length = in_.number();
    check(in_.is_whole() && length <= uint64_t{INT32_MAX});
    return static_cast<int64_t>(length);
  }

  // A buffer of `count` values of T.
  template <class T>
  std::span<const T> buffer(uint64_t count) {
    const std::string_view bytes = buffer_bytes();
    check(bytes.size() == count * sizeof(T));
    return {reinterpret_cast<const T*>(bytes.data()), count};
  }

  std::string_view buffer_bytes() {
    const uint64_t begin = in_.number(), size = in_.number();
    check(in_.is_whole() && begin % wire::alignment == 0 && begin <= buffers_.size() &&
          size <= buffers_.size() - begin);
    return buffers_.substr(begin, size);
  }

  std::span<const uint8_t> validity(int64_t length) {
    const std::string_view bytes = buffer_bytes();
    check(bytes.empty() || bytes.size() == static_cast<size_t>(length));
    return {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
  }

  // From 0 to what it returns, rising.
  int64_t read_offsets(ArrowArray& array) {
    array.offsets = buffer<int64_t>(static_cast<uint64_t>(array.length) + 1);
    check(array.offsets[0] == 0 && std::is_sorted(array.offsets.begin(), array.offsets.end()));
    return array.offsets.back();
  }

  ArrowArray array(const ArrowField& field) {
    ArrowArray array;
    array.length = length();
    if (field.kind == ArrowKind::null) return array;
    array.valid = validity(array.length);
    switch (field.kind) {
      case ArrowKind::number:
        array.values = std::as_bytes(buffer<char>(static_cast<uint64_t>(array.length) *
                                                  static_cast<uint64_t>(byte_width(field.dtype))));
        break;
      case ArrowKind::string: {
        const int64_t size = read_offsets(array);
        array.values = std::as_bytes(buffer<char>(static_cast<uint64_t>(size)));
        break;
      }
      case ArrowKind::dictionary:
        read_dictionary(array, field);
        break;
      default:
        read_inner(array, field);
    }
    return array;
  }

  void read_numbers(ArrowArray& array, DType dtype) {
    const auto width = static_cast<uint64_t>(byte_width(dtype));
    array.values = std::as_bytes(buffer<char>(static_cast<uint64_t>(array.length) * width));
    const auto is_truth = [](std::byte value) { return value <= std::byte{1}; };
    check(dtype != DType::pred || std::all_of(array.values.begin(), array.values.end(), is_truth));
  }

  void read_dictionary(ArrowArray& array, const ArrowField& field) {
    const auto places = buffer<int64_t>(static_cast<uint64_t>(array.length));
    array.values = std::as_bytes(places);
    array.inner.push_back(this->array(field.inner[0]));
    const int64_t count = array.inner[0].length;
    for (int64_t i = 0; i < array.length; ++i)
      check(!array.is_valid(i) ||
            (places[static_cast<size_t>(i)] >= 0 && places[static_cast<size_t>(i)] < count));
  }

  void read_inner(ArrowArray& array, const ArrowField& field) {
    int64_t wanted = array.length;
    if (field.kind == ArrowKind::list) wanted = read_offsets(array);
    if (field.kind == ArrowKind::fixed_list) wanted *= field.width;
    for (const ArrowField& inner : field.inner) {
      array.inner.push_back(this->array(inner));
      check(array.inner.back().length == wanted);
    }
  }

  const Damaged& damaged_;
  wire::Reader in_{""};
  std::string_view buffers_;
};

}  // namespace

ArrowSchema parse_schema(std::string_view bytes, const Damaged& damaged) {
  return SchemaParser(bytes, damaged).parse();
}

ArrowBatch parse_batch(std::string_view bytes, const std::vector<ArrowField>& fields,
                       const Damaged& damaged) {
  return BatchParser(bytes, damaged).parse(fields);
}

}  // namespace io
}  // namespace systolic::inline v0
