#include "systolic/io/tensors/safetensors_header.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <unordered_set>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/excerpt.h"

namespace systolic::inline v0 {
namespace io {
namespace {

using Json = nlohmann::json;

constexpr std::string_view metadata_key = "__metadata__";
constexpr size_t most_axes = 64;

struct StoredType {
  std::string_view name;
  std::optional<DType> dtype;  // nothing: of the format, but of no array here
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
                                       {"C64", DType::c64},
                                       {"F4", {}},
                                       {"F6_E2M3", {}},
                                       {"F6_E3M2", {}},
                                       {"F8_E8M0", {}},
                                       {"F8_E4M3FNUZ", {}},
                                       {"F8_E5M2FNUZ", {}}};

// Takes the events of a JSON parser, so that a header of 100 MB becomes no tree of 5 GB:
//   {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, "__metadata__": {"a":
//   "b"}}
class HeaderEvents : public nlohmann::json_sax<Json> {
 public:
  HeaderEvents(const std::string& path, SourceLocation location)
      : path_(path), location_(location) {}

  struct Entry {
    std::string name;
    std::optional<std::string> dtype;
    std::optional<std::vector<uint64_t>> shape, offsets;
  };
  std::vector<Entry>& entries() { return entries_; }
  std::map<std::string, std::string>& metadata() { return metadata_; }

  [[noreturn]] void fail(std::string_view check, const std::string& what) const {
    raise_bad_safetensors(path_, check, what, location_);
  }

  bool start_object(size_t) override {
    if (++level_ > 2 || in_list_) fail_field();
    return true;
  }
  bool end_object() override {
    if (level_-- == 2 && !in_metadata_) check_whole(entries_.back());
    return true;
  }
  bool start_array(size_t) override {
    if (level_ != 2 || in_list_ || in_metadata_) fail_field();
    if (key_ == "shape") {
      list_ = &entries_.back().shape.emplace();
    } else if (key_ == "data_offsets") {
      list_ = &entries_.back().offsets.emplace();
    } else {
      fail_field();
    }
    in_list_ = true;
    return true;
  }
  bool end_array() override {
    in_list_ = false;
    return true;
  }

  bool key(std::string& name) override {
    if (level_ == 1) {
      if (!names_.insert(name).second)
        fail("InvalidHeader", str("the name '", shown_name(name), "' twice"));
      in_metadata_ = name == metadata_key;
      if (!in_metadata_) entries_.push_back({name, {}, {}, {}});
    } else if (in_metadata_) {
      if (metadata_.contains(name))
        fail("InvalidHeader", str("the name '", shown_name(name), "' twice"));
    } else {
      check_new_field(name);
    }
    key_ = std::move(name);
    return true;
  }
  bool string(std::string& text) override {
    if (level_ != 2 || in_list_ || (!in_metadata_ && key_ != "dtype")) fail_field();
    if (in_metadata_) {
      metadata_[key_] = std::move(text);
    } else {
      entries_.back().dtype = std::move(text);
    }
    return true;
  }
  bool number_unsigned(uint64_t value) override {
    constexpr auto most = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    if (!in_list_ || value > most || list_->size() >= most_axes) fail_field();
    list_->push_back(value);
    return true;
  }
  bool null() override { fail_field(); }
  bool boolean(bool) override { fail_field(); }
  bool number_integer(int64_t) override { fail_field(); }
  bool number_float(double, const std::string&) override { fail_field(); }
  bool binary(Json::binary_t&) override { fail_field(); }
  bool parse_error(size_t, const std::string&, const Json::exception& error) override {
    fail("InvalidHeaderDeserialization", excerpt(error.what(), 200));
  }

 private:
  [[noreturn]] void fail_field() const {
    if (level_ == 1 && in_metadata_) fail("InvalidHeader", "__metadata__ is not an object");
    if (level_ == 1) fail_fields(entries_.back());
    if (in_metadata_)
      fail("InvalidHeader", str("__metadata__ '", shown_name(key_), "' is not text"));
    fail("InvalidHeader",
         str("tensor '", shown_name(entries_.back().name), "' has a field of a wrong kind"));
  }
  void check_new_field(const std::string& name) const {
    const Entry& entry = entries_.back();
    const bool twice = (name == "dtype" && entry.dtype) || (name == "shape" && entry.shape) ||
                       (name == "data_offsets" && entry.offsets);
    if (twice) fail("InvalidHeader", str("the name '", shown_name(name), "' twice"));
    if (name != "dtype" && name != "shape" && name != "data_offsets") fail_fields(entry);
  }
  [[noreturn]] void fail_fields(const Entry& entry) const {
    fail("InvalidHeader", str("tensor '", shown_name(entry.name),
                              "' needs dtype, shape and data_offsets, and nothing else"));
  }
  void check_whole(const Entry& entry) const {
    if (!entry.dtype || !entry.shape || !entry.offsets) fail_fields(entry);
  }

  const std::string& path_;
  SourceLocation location_;
  std::vector<Entry> entries_;
  std::map<std::string, std::string> metadata_;
  std::unordered_set<std::string> names_;
  std::string key_;
  std::vector<uint64_t>* list_ = nullptr;
  int level_ = 0;  // of braces
  bool in_metadata_ = false, in_list_ = false;
};

struct PlacedTensor {
  TensorInfo info;
  uint64_t begin = 0, end = 0;
};

DType type_of(const HeaderEvents& events, const HeaderEvents::Entry& entry,
              SourceLocation location) {
  for (const StoredType& row : stored_types) {
    if (row.name != *entry.dtype) continue;
    if (row.dtype) return *row.dtype;
    raise<Unimplemented>(
        {.what = str("safetensors tensor '", shown_name(entry.name), "' of type ", row.name),
         .hint = "save it as BF16, F8_E4M3 or F8_E5M2",
         .location = location});
  }
  events.fail("InvalidHeader", str("tensor '", shown_name(entry.name), "' of the unknown type ",
                                   shown_name(*entry.dtype)));
}

PlacedTensor placed(const HeaderEvents& events, HeaderEvents::Entry& entry,
                    SourceLocation location) {
  if (entry.offsets->size() != 2)
    events.fail("InvalidHeader",
                str("tensor '", shown_name(entry.name), "' has a field of a wrong kind"));
  PlacedTensor result;
  result.info.dtype = type_of(events, entry, location);
  result.begin = (*entry.offsets)[0];
  result.end = (*entry.offsets)[1];
  int64_t bytes = byte_width(result.info.dtype);
  std::vector<int64_t> dims;
  for (const uint64_t size : *entry.shape) {
    dims.push_back(static_cast<int64_t>(size));
    if (__builtin_mul_overflow(bytes, dims.back(), &bytes))
      events.fail("ValidationOverflow", str("the shape of tensor '", shown_name(entry.name), "'"));
  }
  if (result.end < result.begin)
    events.fail("InvalidOffset",
                str("tensor '", shown_name(entry.name), "' ends before it begins"));
  if (result.end - result.begin != static_cast<uint64_t>(bytes)) {
    events.fail("TensorInvalidInfo",
                str("tensor '", shown_name(entry.name), "' has ", result.end - result.begin,
                    " bytes, its shape and type need ", bytes));
  }
  result.info.shape = Shape(dims);
  result.info.name = std::move(entry.name);
  return result;
}

void check_layout(const HeaderEvents& events, const std::vector<PlacedTensor>& tensors,
                  uint64_t data_bytes) {
  uint64_t at = 0;
  for (const PlacedTensor& tensor : tensors) {
    if (tensor.begin != at) {
      events.fail("InvalidOffset",
                  str("tensor '", shown_name(tensor.info.name), "' begins at byte ", tensor.begin,
                      tensor.begin < at ? ", inside another" : ", after a gap",
                      "; the data so far end at ", at));
    }
    at = tensor.end;
  }
  if (at != data_bytes) {
    events.fail("MetadataIncompleteBuffer",
                str("the tensors cover ", at, " bytes of data, the file has ", data_bytes));
  }
}

}  // namespace

void raise_bad_safetensors(const std::string& path, std::string_view check, const std::string& what,
                           SourceLocation location) {
  raise<DataLoss>({.what = str("safetensors file '", path, "': ", check, ": ", what),
                   .hint = "the file is damaged or forged: fetch or write it again",
                   .location = location});
}

std::string_view safetensors_type_name(DType dtype) {
  for (const StoredType& row : stored_types) {
    if (row.dtype == dtype) return row.name;
  }
  return "";
}

SafetensorsHeader parse_safetensors_header(std::string_view text, uint64_t data_bytes,
                                           const std::string& path, SourceLocation location) {
  HeaderEvents events(path, location);
  if (text.empty() || text[0] != '{')
    events.fail("InvalidHeaderStart", "the header does not start with '{'");
  // Which the parser takes for the text's end, whatever comes after it.
  if (text.find('\0') != std::string_view::npos)
    events.fail("InvalidHeaderDeserialization", "the header has a zero byte");
  Json::sax_parse(text.begin(), text.end(), &events);
  std::vector<PlacedTensor> tensors;
  tensors.reserve(events.entries().size());
  for (HeaderEvents::Entry& entry : events.entries())
    tensors.push_back(placed(events, entry, location));
  std::stable_sort(tensors.begin(), tensors.end(),
                   [](const PlacedTensor& a, const PlacedTensor& b) {
                     return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
                   });
  check_layout(events, tensors, data_bytes);
  SafetensorsHeader header;
  header.metadata = std::move(events.metadata());
  for (PlacedTensor& tensor : tensors) {
    header.offsets.push_back(tensor.begin);
    header.tensors.push_back(std::move(tensor.info));
  }
  return header;
}

}  // namespace io
}  // namespace systolic::inline v0
