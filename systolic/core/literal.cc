#include "systolic/core/literal.h"

#include <cstring>
#include <utility>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace {

alignas(64) constexpr std::byte zero_scalar[16]{};

std::string describe(const Literal& literal) {
  return str(to_string(literal.dtype()), to_string(literal.shape()));
}

size_t checked_bytes(int64_t elements, size_t element_bytes, const Shape& shape) {
  size_t bytes = 0;
  if (elements < 0 ||
      __builtin_mul_overflow(static_cast<size_t>(elements), element_bytes, &bytes)) {
    raise<InvalidArgument>({.what = str("shape ", shape, " cannot be held in memory")});
  }
  return bytes;
}

}  // namespace

Literal::Literal() : data_(zero_scalar) {}

void Literal::swap(Literal& other) noexcept {
  std::swap(dtype_, other.dtype_);
  std::swap(shape_, other.shape_);
  std::swap(size_, other.size_);
  std::swap(memory_, other.memory_);
  std::swap(data_, other.data_);
  std::swap(writable_, other.writable_);
}

Literal::Literal(DType dtype, Shape shape)
    : dtype_(dtype), shape_(std::move(shape)), size_(shape_.elements()) {
  for (int64_t size : shape_) {
    if (size < 0) raise<InvalidArgument>({.what = str("shape ", shape_, " has a negative size")});
  }
  const size_t bytes = checked_bytes(size_, element_bytes(), shape_);
  memory_ = HostMemory(bytes);
  data_ = memory_.data();
  writable_ = true;
  if (dtype == DType::string) {
    auto* views = reinterpret_cast<std::string_view*>(memory_.data());
    std::uninitialized_fill_n(views, size_, std::string_view());
  }
}

Literal Literal::zeros(DType dtype, const Shape& shape) {
  Literal result(dtype, shape);
  if (dtype != DType::string) std::memset(result.mutable_raw(), 0, result.byte_size());
  return result;
}

Literal Literal::filled(DType dtype, const Shape& shape, double value) {
  const Literal one = Literal::scalar<double>(value).convert(dtype);
  Literal result(dtype, shape);
  visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::fill_n(reinterpret_cast<T*>(result.mutable_raw()), result.size(),
                *reinterpret_cast<const T*>(one.raw()));
  });
  return result;
}

Literal Literal::scalar(std::string_view bytes) {
  return strings(std::span<const std::string_view>(&bytes, 1), Shape{});
}

Literal Literal::strings(std::span<const std::string> values) {
  const std::vector<std::string_view> views(values.begin(), values.end());
  return strings(views, Shape{static_cast<int64_t>(values.size())});
}

Literal Literal::strings(std::initializer_list<std::string> values) {
  return strings(std::span<const std::string>(values.begin(), values.size()));
}

Literal Literal::strings(std::span<const std::string_view> values, Shape shape,
                         SourceLocation location) {
  check_count(values.size(), shape, location);
  size_t total = values.size() * sizeof(std::string_view);
  for (std::string_view value : values) total += value.size();
  Literal result;
  result.dtype_ = DType::string;
  result.shape_ = std::move(shape);
  result.size_ = static_cast<int64_t>(values.size());
  result.memory_ = HostMemory(total);
  result.data_ = result.memory_.data();
  auto* views = reinterpret_cast<std::string_view*>(result.memory_.data());
  auto* bytes = reinterpret_cast<char*>(views + values.size());
  for (std::string_view value : values) {
    if (!value.empty()) std::memcpy(bytes, value.data(), value.size());
    new (views++) std::string_view(bytes, value.size());
    bytes += value.size();
  }
  return result;
}

Literal Literal::string_views(std::span<const std::string_view> values, Shape shape,
                              std::shared_ptr<const void> owner, SourceLocation location) {
  check_count(values.size(), shape, location);
  Literal result = string_views(std::move(shape), Literal(), std::move(owner));
  std::copy(values.begin(), values.end(), result.mutable_strings().begin());
  return result;
}

Literal Literal::string_views(Shape shape, const Literal& source,
                              std::shared_ptr<const void> owner) {
  Literal result;
  result.dtype_ = DType::string;
  result.shape_ = std::move(shape);
  result.size_ = result.shape_.elements();
  result.memory_ = HostMemory(checked_bytes(result.size_, result.element_bytes(), result.shape_),
                              std::move(owner), source.memory_);
  result.data_ = result.memory_.data();
  std::uninitialized_fill_n(reinterpret_cast<std::string_view*>(result.memory_.data()),
                            result.size_, std::string_view());
  return result;
}

std::span<std::string_view> Literal::mutable_strings() & {
  if (dtype_ != DType::string) {
    raise<InvalidArgument>(
        {.what = str("mutable_strings of ", describe(*this)), .wanted = "strings"});
  }
  const auto count = static_cast<size_t>(size_);
  if (!memory_.unique()) {
    HostMemory copy(count * sizeof(std::string_view), nullptr, memory_);
    std::uninitialized_copy_n(reinterpret_cast<const std::string_view*>(data_), count,
                              reinterpret_cast<std::string_view*>(copy.data()));
    memory_ = std::move(copy);
    data_ = memory_.data();
  }
  return {reinterpret_cast<std::string_view*>(const_cast<std::byte*>(data_)), count};
}

Literal Literal::wrap(DType dtype, Shape shape, const void* data,
                      std::shared_ptr<const void> owner) {
  if (byte_width(dtype) == 0) raise_not_numeric(dtype);
  Literal result;
  result.dtype_ = dtype;
  result.shape_ = std::move(shape);
  result.size_ = result.shape_.elements();
  result.memory_ = HostMemory(0, std::move(owner));
  result.data_ = static_cast<const std::byte*>(data);
  return result;
}

size_t Literal::element_bytes() const {
  return dtype_ == DType::string ? sizeof(std::string_view)
                                 : static_cast<size_t>(byte_width(dtype_));
}

size_t Literal::byte_size() const {
  if (dtype_ != DType::string) return static_cast<size_t>(size_) * element_bytes();
  size_t total = 0;
  for (int64_t i = 0; i < size_; ++i) total += string_at(i).size();
  return total;
}

std::byte* Literal::mutable_raw() {
  if (dtype_ == DType::string) raise_not_numeric(dtype_);
  if (!is_alone()) {
    const size_t bytes = byte_size();
    HostMemory copy(bytes);
    if (bytes > 0) std::memcpy(copy.data(), data_, bytes);
    memory_ = std::move(copy);
    data_ = memory_.data();
    writable_ = true;
  }
  return const_cast<std::byte*>(data_);
}

std::string_view Literal::string_at(int64_t i) const& {
  if (dtype_ != DType::string) {
    raise<InvalidArgument>({.what = str("string_at of ", describe(*this)), .wanted = "strings"});
  }
  check_index(i);
  return reinterpret_cast<const std::string_view*>(data_)[i];
}

double Literal::number_at(int64_t i) const {
  check_index(i);
  return visit_dtype(dtype_, [&](auto tag) -> double {
    using T = typename decltype(tag)::type;
    const T value = reinterpret_cast<const T*>(data_)[i];
    if constexpr (std::is_same_v<T, std::complex<float>> ||
                  std::is_same_v<T, std::complex<double>>) {
      return value.real();
    } else {
      return static_cast<double>(value);
    }
  });
}

int64_t Literal::integer_at(int64_t i) const {
  check_index(i);
  if (dtype_ == DType::i64) return reinterpret_cast<const int64_t*>(data_)[i];
  Literal one = *this;
  one.shape_ = Shape{};
  one.size_ = 1;
  one.data_ = data_ + static_cast<size_t>(i) * element_bytes();
  return one.item<int64_t>();
}

Literal Literal::reshape(Shape shape, SourceLocation location) const {
  if (shape.elements() != size_) {
    raise<InvalidArgument>(
        {.what = str("cannot reshape ", describe(*this), " of ", size_, " elements to ", shape),
         .wanted = str("a shape of ", size_, " elements"),
         .location = location});
  }
  Literal result = *this;
  result.shape_ = std::move(shape);
  return result;
}

Literal Literal::row(int64_t i) const {
  Literal result = rows(i, i + 1);
  result.shape_ = result.shape_.without(0);
  return result;
}

Literal Literal::rows(int64_t begin, int64_t end) const {
  if (rank() == 0 || begin < 0 || end < begin || end > shape_[0]) {
    raise<InvalidArgument>({.what = str("rows [", begin, ", ", end, ") of ", describe(*this)),
                            .wanted = rank() == 0 ? std::string("an array with axes")
                                                  : str("rows within [0, ", shape_[0], ")")});
  }
  Literal result = *this;
  const int64_t row_size = shape_[0] == 0 ? 0 : size_ / shape_[0];
  result.shape_.set(0, end - begin);
  result.size_ = (end - begin) * row_size;
  result.data_ = data_ + static_cast<size_t>(begin * row_size) * element_bytes();
  return result;
}

bool operator==(const Literal& a, const Literal& b) {
  if (a.dtype_ != b.dtype_ || !(a.shape_ == b.shape_)) return false;
  if (a.dtype_ != DType::string) {
    return a.size_ == 0 || std::memcmp(a.data_, b.data_, a.byte_size()) == 0;
  }
  const auto* first = reinterpret_cast<const std::string_view*>(a.data_);
  return std::equal(first, first + a.size_, reinterpret_cast<const std::string_view*>(b.data_));
}

void Literal::check_count(size_t count, const Shape& shape, SourceLocation location) {
  if (static_cast<int64_t>(count) == shape.elements()) return;
  raise<InvalidArgument>({.what = str("shape ", shape, " holds ", shape.elements(), " elements"),
                          .got = str(count, " values"),
                          .location = location});
}

void Literal::check_type(DType asked) const {
  const bool same = asked == dtype_ || (asked == DType::i8 && dtype_ == DType::i4) ||
                    (asked == DType::u8 && dtype_ == DType::u4);
  if (same) return;
  raise<InvalidArgument>(
      {.what = str("the elements of ", describe(*this), " were requested as ", asked),
       .hint = str("use convert(DType::", asked, ") first")});
}

void Literal::check_single() const {
  if (size_ == 1) return;
  raise<InvalidArgument>(
      {.what = str("item() of ", describe(*this)), .wanted = "an array of one element"});
}

void Literal::check_index(int64_t i) const {
  if (i >= 0 && i < size_) return;
  raise<InvalidArgument>({.what = str("element ", i, " of ", describe(*this)),
                          .wanted = str("an index in [0, ", size_, ")")});
}

int64_t Literal::offset_of(std::initializer_list<int64_t> index) const {
  if (static_cast<int>(index.size()) != rank()) {
    raise<InvalidArgument>({.what = str("index (", join(index), ") into ", describe(*this)),
                            .wanted = str(rank(), " numbers")});
  }
  int64_t offset = 0;
  int axis = 0;
  for (int64_t i : index) {
    if (i < 0 || i >= shape_[axis]) {
      raise<InvalidArgument>({.what = str("index (", join(index), ") into ", describe(*this)),
                              .wanted = str("axis ", axis, " in [0, ", shape_[axis], ")")});
    }
    offset = offset * shape_[axis++] + i;
  }
  return offset;
}

}  // namespace systolic::inline v0
