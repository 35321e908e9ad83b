#include "systolic/io/arrow/worker/batch_layout.h"

#include <arrow/extension_type.h>
#include <arrow/type_traits.h>

#include <cstring>

#include "systolic/io/arrow/worker/check.h"
#include "systolic/io/arrow/worker/describe.h"

namespace worker {
namespace {

namespace wire = systolic::io::arrow_wire;
using wire::FieldKind;

}  // namespace

BatchLayout::BatchLayout(const arrow::RecordBatch& batch) {
  head_.number(static_cast<uint64_t>(batch.num_rows()));
  for (const auto& column : batch.columns()) add(*column);
}

uint64_t BatchLayout::bytes() const {
  return wire::aligned(sizeof(uint64_t) + head_.bytes().size()) + buffer_bytes_;
}

void BatchLayout::write(char* to) const {
  const uint64_t size = head_.bytes().size();
  std::memcpy(to, &size, sizeof size);
  std::memcpy(to + sizeof size, head_.bytes().data(), size);
  to += wire::aligned(sizeof size + size);
  for (const std::span<const char> buffer : buffers_) {
    if (!buffer.empty()) std::memcpy(to, buffer.data(), buffer.size());
    to += wire::aligned(buffer.size());
  }
}

void BatchLayout::add_buffer(const void* data, uint64_t bytes) {
  head_.number(buffer_bytes_);
  head_.number(bytes);
  buffers_.emplace_back(static_cast<const char*>(data), bytes);
  buffer_bytes_ += wire::aligned(bytes);
}

void BatchLayout::add_own(std::vector<char> bytes) {
  own_.push_back(std::move(bytes));
  add_buffer(own_.back().data(), own_.back().size());
}

void BatchLayout::add(const arrow::Array& array) {
  if (array.type_id() == arrow::Type::EXTENSION)
    return add(*static_cast<const arrow::ExtensionArray&>(array).storage());
  const FieldKind kind = kind_of(*array.type());
  if (kind == FieldKind::unsupported) return;
  head_.number(static_cast<uint64_t>(array.length()));
  if (kind == FieldKind::null) return;
  add_validity(array);
  add_inner(array);
}

void BatchLayout::add_validity(const arrow::Array& array) {
  if (array.null_count() == 0) return add_nothing();
  std::vector<char> valid(static_cast<size_t>(array.length()));
  for (int64_t i = 0; i < array.length(); ++i)
    valid[static_cast<size_t>(i)] = array.IsValid(i) ? 1 : 0;
  add_own(std::move(valid));
}

void BatchLayout::add_inner(const arrow::Array& array) {
  switch (array.type_id()) {
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return add_strings<arrow::BinaryArray>(array);
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
      return add_strings<arrow::LargeBinaryArray>(array);
    case arrow::Type::STRING_VIEW:
    case arrow::Type::BINARY_VIEW:
      return add_viewed_strings(array);
    case arrow::Type::FIXED_SIZE_BINARY:
      return add_fixed_strings(array);
    case arrow::Type::LIST:
    case arrow::Type::MAP:
      return add_list<arrow::ListArray>(array);
    case arrow::Type::LARGE_LIST:
      return add_list<arrow::LargeListArray>(array);
    case arrow::Type::DICTIONARY:
      return add_dictionary(array);
    case arrow::Type::FIXED_SIZE_LIST: {
      const auto& list = static_cast<const arrow::FixedSizeListArray&>(array);
      return add(*list.values()->Slice(list.value_offset(0), list.length() * list.value_length()));
    }
    case arrow::Type::STRUCT:
      for (int i = 0; i < array.num_fields(); ++i)
        add(*static_cast<const arrow::StructArray&>(array).field(i));
      return;
    default:
      return add_numbers(array);
  }
}

template <class Offset>
void BatchLayout::add_offsets(const Offset* offsets, int64_t length) {
  std::vector<char> rebased(static_cast<size_t>(length + 1) * sizeof(int64_t));
  for (int64_t i = 0; i <= length; ++i) {
    const int64_t offset = static_cast<int64_t>(offsets[i]) - static_cast<int64_t>(offsets[0]);
    std::memcpy(rebased.data() + static_cast<size_t>(i) * sizeof offset, &offset, sizeof offset);
  }
  add_own(std::move(rebased));
}

template <class Array>
void BatchLayout::add_strings(const arrow::Array& array) {
  const auto& strings = static_cast<const Array&>(array);
  if (array.length() == 0) return add_own(std::vector<char>(sizeof(int64_t))), add_nothing();
  add_offsets(strings.raw_value_offsets(), array.length());
  add_buffer(strings.raw_data() + strings.value_offset(0),
             static_cast<uint64_t>(strings.total_values_length()));
}

void BatchLayout::add_viewed_strings(const arrow::Array& array) {
  const auto& strings = static_cast<const arrow::BinaryViewArray&>(array);
  std::vector<int64_t> offsets = {0};
  std::vector<char> bytes;
  for (int64_t i = 0; i < array.length(); ++i) {
    const std::string_view text = array.IsNull(i) ? std::string_view() : strings.GetView(i);
    bytes.insert(bytes.end(), text.begin(), text.end());
    offsets.push_back(static_cast<int64_t>(bytes.size()));
  }
  add_offsets(offsets.data(), array.length());
  add_own(std::move(bytes));
}

void BatchLayout::add_fixed_strings(const arrow::Array& array) {
  const auto& strings = static_cast<const arrow::FixedSizeBinaryArray&>(array);
  std::vector<int64_t> offsets;
  for (int64_t i = 0; i <= array.length(); ++i) offsets.push_back(i * strings.byte_width());
  add_offsets(offsets.data(), array.length());
  add_buffer(strings.raw_values(), static_cast<uint64_t>(offsets.back()));
}

template <class Array>
void BatchLayout::add_list(const arrow::Array& array) {
  const auto& list = static_cast<const Array&>(array);
  if (array.length() == 0) {
    add_own(std::vector<char>(sizeof(int64_t)));
    return add(*list.values()->Slice(0, 0));
  }
  add_offsets(list.raw_value_offsets(), array.length());
  add(*list.values()->Slice(list.value_offset(0),
                            list.value_offset(array.length()) - list.value_offset(0)));
}

void BatchLayout::add_numbers(const arrow::Array& array) {
  if (array.type_id() == arrow::Type::BOOL) {
    const auto& truths = static_cast<const arrow::BooleanArray&>(array);
    std::vector<char> bytes(static_cast<size_t>(array.length()));
    for (int64_t i = 0; i < array.length(); ++i)
      bytes[static_cast<size_t>(i)] = truths.Value(i) ? 1 : 0;
    return add_own(std::move(bytes));
  }
  const auto& values = static_cast<const arrow::PrimitiveArray&>(array);
  const auto width = static_cast<uint64_t>(
      static_cast<const arrow::FixedWidthType&>(*array.type()).bit_width() / 8);
  const uint8_t* const data = array.length() == 0 ? nullptr : values.values()->data();
  add_buffer(data == nullptr ? nullptr : data + static_cast<uint64_t>(array.offset()) * width,
             static_cast<uint64_t>(array.length()) * width);
}

void BatchLayout::add_dictionary(const arrow::Array& array) {
  const auto& dictionary = static_cast<const arrow::DictionaryArray&>(array);
  std::vector<int64_t> places;
  for (int64_t i = 0; i < array.length(); ++i)
    places.push_back(array.IsNull(i) ? 0 : dictionary.GetValueIndex(i));
  std::vector<char> bytes(places.size() * sizeof(int64_t));
  if (!places.empty()) std::memcpy(bytes.data(), places.data(), bytes.size());
  add_own(std::move(bytes));
  add(*dictionary.dictionary());
}

}  // namespace worker
