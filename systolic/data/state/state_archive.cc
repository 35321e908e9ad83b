#include "systolic/data/state/state_archive.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <unordered_set>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/io/encoding/crc32c.h"

namespace systolic::inline v0 {
namespace data {
namespace {

constexpr std::string_view magic = "SYSDATA";
constexpr size_t checksum_bytes = 4;
constexpr uint64_t least_array_bytes = 3 * sizeof(uint64_t);  // its name, type and rank

// Every kind of error, so that a caller who catches one catches it after a restore as well.
using Thrower = std::exception_ptr (*)(ErrorReport);
template <class Kind>
std::exception_ptr error_of_kind(ErrorReport report) {
  return std::make_exception_ptr(Kind(std::move(report)));
}
struct KindOfError {
  std::string_view name;
  Thrower make;
};
template <class Kind>
constexpr KindOfError kind_of_error{Kind::kind_name, &error_of_kind<Kind>};
constexpr std::array<KindOfError, 13> error_kinds{
    kind_of_error<InvalidArgument>,   kind_of_error<FailedPrecondition>,
    kind_of_error<NotFound>,          kind_of_error<PermissionDenied>,
    kind_of_error<DataLoss>,          kind_of_error<Unavailable>,
    kind_of_error<ResourceExhausted>, kind_of_error<Unimplemented>,
    kind_of_error<OutOfRange>,        kind_of_error<DeadlineExceeded>,
    kind_of_error<Cancelled>,         kind_of_error<FunctionFailed>,
    kind_of_error<Internal>};

struct SavedError {
  std::string kind, what, got = {}, wanted = {}, hint = {};
};

SavedError describe(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const Error& known) {
    const ErrorReport& report = known.report();
    std::string what = report.what;
    if (report.location.known())
      what += str(" (at ", report.location.file, ":", report.location.line, ")");
    return {known.kind(), what, report.got, report.wanted, report.hint};
  } catch (const std::exception& other) {
    return {std::string(FunctionFailed::kind_name), other.what()};
  } catch (...) {
    return {std::string(FunctionFailed::kind_name), "something that is no std::exception"};
  }
}

}  // namespace

StateArchive::StateArchive(char version) : saving_(true), output_(magic) { output_ += version; }

StateArchive::StateArchive(std::string_view bytes, char version) : saving_(false), input_(bytes) {
  if (bytes.size() < magic.size() + sizeof version + checksum_bytes || !bytes.starts_with(magic)) {
    raise<DataLoss>({.what = str(bytes.size(), " bytes are not a saved iterator"),
                     .hint = "give restore() what save() returned"});
  }
  if (bytes[magic.size()] != version) {
    raise<Unimplemented>(
        {.what = str("an iterator saved in version ", static_cast<int>(bytes[magic.size()])),
         .wanted = str("version ", static_cast<int>(version))});
  }
  input_ = bytes.substr(0, bytes.size() - checksum_bytes);
  uint32_t checksum = 0;
  std::memcpy(&checksum, bytes.data() + input_.size(), checksum_bytes);
  if (checksum != io::crc32c(input_)) damaged("its checksum");
  at_ = magic.size() + sizeof version;
}

std::string StateArchive::finish() {
  const uint32_t checksum = io::crc32c(output_);
  put(&checksum, checksum_bytes);
  return std::move(output_);
}

void StateArchive::put_before(size_t begin, size_t middle) {
  const auto at = [&](size_t index) { return output_.begin() + static_cast<ptrdiff_t>(index); };
  std::rotate(at(begin), at(middle), output_.end());
}

void StateArchive::expect_end() const {
  if (left() > 0) damaged(str(left(), " bytes after its end"));
}

void StateArchive::damaged(std::string_view what) const {
  raise<DataLoss>({.what = str("a saved iterator is damaged: ", what, " near byte ", at_)});
}

void StateArchive::put(const void* data, size_t size) {
  output_.append(static_cast<const char*>(data), size);
}

std::string_view StateArchive::take(uint64_t size) {
  if (size > left()) damaged(str(size, " bytes are wanted, ", left(), " are left"));
  const std::string_view taken = input_.substr(at_, size);
  at_ += taken.size();
  return taken;
}

void StateArchive::number(uint64_t& value) {
  if (saving_) {
    put(&value, sizeof value);
  } else {
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
  }
}

void StateArchive::integer(int64_t& value, int64_t least, int64_t most) {
  auto bits = static_cast<uint64_t>(value);
  number(bits);
  if (saving_) return;
  const auto read = static_cast<int64_t>(bits);
  if (read < least || read > most) {
    damaged(str("the number ", read, " outside of ", least, " to ", most));
  }
  value = read;
}

void StateArchive::flag(bool& value) {
  int64_t number = value ? 1 : 0;
  integer(number, 0, 1);
  value = number == 1;
}

void StateArchive::text(std::string& value) {
  uint64_t size = value.size();
  number(size);
  if (saving_) {
    put(value.data(), value.size());
  } else {
    value = std::string(take(size));
  }
}

void StateArchive::expect(std::string_view name) {
  std::string saved(name);
  text(saved);
  if (saved == name) return;
  raise<FailedPrecondition>(
      {.what = str("the saved iterator has '", saved, "' where this dataset has '", name, "'"),
       .hint = "restore into a dataset built by the same transformations"});
}

void StateArchive::expect(std::string_view what, int64_t value) {
  auto saved = static_cast<uint64_t>(value);
  number(saved);
  if (static_cast<int64_t>(saved) == value) return;
  raise<FailedPrecondition>({.what = str("the iterator was saved with ", what, " ",
                                         static_cast<int64_t>(saved), ", this dataset has ", value),
                             .hint = "restore into a dataset built by the same transformations"});
}

void StateArchive::failure(std::exception_ptr& error) {
  bool failed = error != nullptr;
  flag(failed);
  if (!failed) {
    error = nullptr;
    return;
  }
  SavedError saved = saving_ ? describe(error) : SavedError{};
  for (std::string* part : {&saved.kind, &saved.what, &saved.got, &saved.wanted, &saved.hint})
    text(*part);
  if (saving_) return;
  const auto kind = std::find_if(error_kinds.begin(), error_kinds.end(),
                                 [&](const KindOfError& each) { return each.name == saved.kind; });
  if (kind == error_kinds.end()) damaged("the kind of an error");
  error = kind->make(
      {.what = saved.what, .got = saved.got, .wanted = saved.wanted, .hint = saved.hint});
}

void StateArchive::element(Example& value) {
  uint64_t count = value.size();
  number(count);
  if (saving_) {
    for (const auto& [name, array] : value) {
      std::string copy = name;
      text(copy);
      write_array(array);
    }
    return;
  }
  if (count > left() / least_array_bytes) damaged("the number of arrays of an element");
  Example::Components components;
  std::unordered_set<std::string> names;
  for (uint64_t i = 0; i < count; ++i) {
    std::string name;
    text(name);
    if (!names.insert(name).second) damaged("a name that comes twice");
    Literal array = read_array();
    components.push_back({std::move(name), std::move(array)});
  }
  value = Example(std::move(components));
}

void StateArchive::write_array(const Literal& value) {
  std::string dtype = to_string(value.dtype());
  text(dtype);
  uint64_t rank = static_cast<uint64_t>(value.rank());
  number(rank);
  for (int axis = 0; axis < value.rank(); ++axis) {
    auto size = static_cast<uint64_t>(value.shape()[axis]);
    number(size);
  }
  if (value.dtype() != DType::string) return put(value.raw(), value.byte_size());
  for (int64_t i = 0; i < value.size(); ++i) {
    const std::string_view bytes = value.string_at(i);
    uint64_t size = bytes.size();
    number(size);
    put(bytes.data(), bytes.size());
  }
}

Shape StateArchive::read_shape(int64_t& count) {
  uint64_t rank = 0;
  number(rank);
  if (rank > left() / sizeof(uint64_t)) damaged("the rank of an array");
  std::vector<int64_t> sizes;
  int64_t product = 1;  // of the axes that are not empty: must not overflow either
  bool empty = false;
  for (uint64_t axis = 0; axis < rank; ++axis) {
    int64_t size = 0;
    integer(size, 0, INT64_MAX);
    sizes.push_back(size);
    empty = empty || size == 0;
    if (size > 0 && __builtin_mul_overflow(product, size, &product)) damaged("a shape");
  }
  if (product > INT64_MAX / 16) damaged("a shape");
  count = empty ? 0 : product;
  return Shape(sizes);
}

Literal StateArchive::read_strings(const Shape& shape, int64_t count) {
  if (static_cast<uint64_t>(count) > left() / sizeof(uint64_t)) damaged("the number of strings");
  std::vector<std::string_view> views(static_cast<size_t>(count));
  for (std::string_view& view : views) {
    uint64_t size = 0;
    number(size);
    view = take(size);
  }
  return Literal::strings(views, shape);
}

Literal StateArchive::read_array() {
  std::string name;
  text(name);
  const std::optional<DType> dtype = find_dtype(name);
  if (!dtype || *dtype == DType::token) damaged("the type of an array");
  int64_t count = 0;
  const Shape shape = read_shape(count);
  if (*dtype == DType::string) return read_strings(shape, count);
  const std::string_view bytes =
      take(static_cast<uint64_t>(count) * static_cast<uint64_t>(byte_width(*dtype)));
  if (*dtype == DType::pred &&
      std::any_of(bytes.begin(), bytes.end(), [](char c) { return c != 0 && c != 1; })) {
    damaged("a pred that is neither 0 nor 1");
  }
  Literal result(*dtype, shape);
  if (!bytes.empty()) std::memcpy(result.mutable_raw(), bytes.data(), bytes.size());
  return result;
}

std::string encode_element(const Example& element) {
  StateArchive archive(StateArchive::element_version);
  Example copy = element;
  archive.element(copy);
  return archive.finish();
}

Example decode_element(std::string_view bytes) {
  StateArchive archive(bytes, StateArchive::element_version);
  Example element;
  archive.element(element);
  archive.expect_end();
  return element;
}

}  // namespace data
}  // namespace systolic::inline v0
