#include "systolic/io/safetensors.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/io/file.h"

namespace systolic::inline v0 {
namespace io {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t most_header_bytes = 100'000'000;
constexpr std::string_view metadata_key = "__metadata__";

struct StoredType {
  std::string_view name;
  DType dtype;
};
constexpr StoredType stored_types[] = {{"BOOL", DType::pred},
                                       {"U8", DType::u8},
                                       {"I8", DType::i8},
                                       {"F8_E5M2", DType::f8e5m2},
                                       {"F8_E4M3", DType::f8e4m3fn},
                                       {"I16", DType::i16},
                                       {"U16", DType::u16},
                                       {"F16", DType::f16},
                                       {"BF16", DType::bf16},
                                       {"I32", DType::i32},
                                       {"U32", DType::u32},
                                       {"F32", DType::f32},
                                       {"F64", DType::f64},
                                       {"I64", DType::i64},
                                       {"U64", DType::u64},
                                       {"C64", DType::c64}};

struct Entry {
  std::string name;
  DType dtype = DType::f32;
  std::vector<int64_t> shape;
  uint64_t begin = 0, end = 0;
};

class Reader {
 public:
  Reader(const std::string& path, SourceLocation location)
      : path_(path), location_(location), file_(MappedFile::open(path, location)) {}

  Safetensors read() {
    const Json header = parse_header();
    Safetensors result;
    std::vector<Entry> entries;
    for (const auto& [name, value] : header.items()) {
      if (name == metadata_key) {
        read_metadata(value, result.metadata);
      } else {
        entries.push_back(read_entry(name, value));
      }
    }
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    check_layout(entries);
    Example::Components tensors;
    for (Entry& entry : entries) tensors.push_back({entry.name, literal_of(entry)});
    result.tensors = Example(std::move(tensors));
    return result;
  }

 private:
  [[noreturn]] void fail(std::string_view check, std::string what) const {
    raise<DataLoss>({.what = str("safetensors file '", path_, "': ", check, ": ", what),
                     .hint = "the file is damaged or forged: fetch or write it again",
                     .location = location_});
  }

  Json parse_header() {
    const auto bytes = file_->bytes();
    uint64_t size = 0;
    if (bytes.size() < 8)
      fail("HeaderTooSmall", str(bytes.size(), " bytes are no safetensors file"));
    std::memcpy(&size, bytes.data(), 8);
    if (size > most_header_bytes)
      fail("HeaderTooLarge",
           str("a header of ", size, " bytes, at most ", most_header_bytes, " are allowed"));
    if (size > bytes.size() - 8)
      fail("InvalidHeaderLength", str("a header of ", size, " bytes in a file of ", bytes.size()));
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + 8, size);
    if (text.empty() || text[0] != '{')
      fail("InvalidHeaderStart", "the header does not start with '{'");
    data_ = bytes.subspan(8 + size);
    std::vector<std::unordered_set<std::string>> seen(4);
    auto check = [&](int depth, Json::parse_event_t event, Json& parsed) {
      if (depth > 3) fail("InvalidHeader", "the header is nested too deeply");
      const auto level = static_cast<size_t>(std::max(depth, 0));
      if (event == Json::parse_event_t::object_start && level + 1 < seen.size())
        seen[level + 1].clear();
      if (event == Json::parse_event_t::key &&
          !seen[level].insert(parsed.get<std::string>()).second) {
        fail("InvalidHeader", str("the name '", parsed.get<std::string>(), "' twice"));
      }
      return true;
    };
    try {
      return Json::parse(text.begin(), text.end(), check);
    } catch (const Json::exception& error) {
      fail("InvalidHeaderDeserialization", error.what());
    }
  }

  void read_metadata(const Json& value, std::map<std::string, std::string>& metadata) const {
    if (!value.is_object()) fail("InvalidHeader", "__metadata__ is no object");
    for (const auto& [key, text] : value.items()) {
      if (!text.is_string()) fail("InvalidHeader", str("__metadata__ '", key, "' is no text"));
      metadata[key] = text.get<std::string>();
    }
  }

  Entry read_entry(const std::string& name, const Json& value) const {
    Entry entry;
    entry.name = name;
    const auto dtype = value.is_object() ? value.find("dtype") : value.end();
    const auto shape = value.is_object() ? value.find("shape") : value.end();
    const auto offsets = value.is_object() ? value.find("data_offsets") : value.end();
    if (!value.is_object() || value.size() != 3 || dtype == value.end() || shape == value.end() ||
        offsets == value.end()) {
      fail("InvalidHeader",
           str("tensor '", name, "' needs dtype, shape and data_offsets, and nothing else"));
    }
    const bool numbers = shape->is_array() && offsets->is_array() && offsets->size() == 2 &&
                         shape->size() <= 64 && all_counts(*shape) && all_counts(*offsets);
    if (!dtype->is_string() || !numbers)
      fail("InvalidHeader", str("tensor '", name, "' has a field of a wrong kind"));
    const auto type =
        std::find_if(std::begin(stored_types), std::end(stored_types),
                     [&](const StoredType& row) { return row.name == dtype->get<std::string>(); });
    if (type == std::end(stored_types))
      fail("InvalidHeader",
           str("tensor '", name, "' of the unknown type ", dtype->get<std::string>()));
    entry.dtype = type->dtype;
    entry.begin = (*offsets)[0].get<uint64_t>();
    entry.end = (*offsets)[1].get<uint64_t>();
    uint64_t bytes = static_cast<uint64_t>(byte_width(entry.dtype));
    for (const Json& size : *shape) {
      entry.shape.push_back(size.get<int64_t>());
      if (__builtin_mul_overflow(bytes, size.get<uint64_t>(), &bytes))
        fail("ValidationOverflow", str("the shape of tensor '", name, "'"));
    }
    if (entry.end < entry.begin)
      fail("InvalidOffset", str("tensor '", name, "' ends before it begins"));
    if (entry.end - entry.begin != bytes) {
      fail("TensorInvalidInfo", str("tensor '", name, "' has ", entry.end - entry.begin,
                                    " bytes, its shape and type need ", bytes));
    }
    return entry;
  }

  static bool all_counts(const Json& array) {
    return std::all_of(array.begin(), array.end(), [](const Json& item) {
      return item.is_number_unsigned() && item.get<uint64_t>() <= static_cast<uint64_t>(INT64_MAX);
    });
  }

  void check_layout(const std::vector<Entry>& entries) const {
    uint64_t at = 0;
    for (const Entry& entry : entries) {
      if (entry.begin != at) {
        fail("InvalidOffset", str("tensor '", entry.name, "' begins at byte ", entry.begin,
                                  entry.begin < at ? ", inside another" : ", behind a hole",
                                  "; the data so far end at ", at));
      }
      at = entry.end;
    }
    if (at != data_.size()) {
      fail("MetadataIncompleteBuffer",
           str("the tensors cover ", at, " bytes of data, the file has ", data_.size()));
    }
  }

  Literal literal_of(const Entry& entry) const {
    const std::byte* data = data_.data() + entry.begin;
    const Shape shape(entry.shape);
    const size_t alignment = static_cast<size_t>(byte_width(real_part_type(entry.dtype)));
    const bool aligned = reinterpret_cast<uintptr_t>(data) % alignment == 0;
    if (aligned && entry.dtype != DType::pred)
      return Literal::wrap(entry.dtype, shape, data, file_);
    Literal copy(entry.dtype, shape);
    std::byte* out = copy.mutable_raw();
    if (entry.end > entry.begin) std::memcpy(out, data, entry.end - entry.begin);
    if (entry.dtype ==
        DType::pred) {  // a bool of another value than 0 and 1 would be undefined behaviour
      for (int64_t i = 0; i < copy.size(); ++i)
        out[i] = out[i] != std::byte{0} ? std::byte{1} : std::byte{0};
    }
    return copy;
  }

  std::string path_;
  SourceLocation location_;
  std::shared_ptr<const MappedFile> file_;
  std::span<const std::byte> data_;
};

std::string_view stored_name(const Example::Component& tensor, SourceLocation location) {
  for (const StoredType& row : stored_types) {
    if (row.dtype == tensor.value.dtype()) return row.name;
  }
  raise<InvalidArgument>({.what = str("tensor '", tensor.name, "' of type ", tensor.value.dtype(),
                                      " in a safetensors file"),
                          .wanted = "numbers of 8 to 64 bits",
                          .location = location});
}

}  // namespace

Safetensors read_safetensors(const std::string& path, SourceLocation location) {
  return Reader(path, location).read();
}

void write_safetensors(const std::string& path, const Example& tensors,
                       const std::map<std::string, std::string>& metadata,
                       SourceLocation location) {
  std::vector<const Example::Component*> order;
  for (const auto& tensor : tensors) {
    if (tensor.name == metadata_key)
      raise<InvalidArgument>(
          {.what = "a tensor cannot be named __metadata__", .location = location});
    order.push_back(&tensor);
  }
  // Wide types first, so that every tensor is aligned.
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return byte_width(a->value.dtype()) > byte_width(b->value.dtype());
  });
  Json header = Json::object();
  if (!metadata.empty()) header[std::string(metadata_key)] = metadata;
  uint64_t at = 0;
  for (const auto* tensor : order) {
    const uint64_t end = at + tensor->value.byte_size();
    header[tensor->name] = {{"dtype", stored_name(*tensor, location)},
                            {"shape", tensor->value.shape().to_vector()},
                            {"data_offsets", {at, end}}};
    at = end;
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const Json::exception& error) {
    raise<InvalidArgument>(
        {.what = str("a name or metadata of '", path, "' is not UTF-8: ", error.what()),
         .location = location});
  }
  text.append((8 - text.size() % 8) % 8, ' ');
  const uint64_t size = text.size();
  AtomicFile file(path, location);
  file.write(&size, 8);
  file.write(text);
  for (const auto* tensor : order) file.write(tensor->value.raw(), tensor->value.byte_size());
  file.commit();
}

}  // namespace io
}  // namespace systolic::inline v0
