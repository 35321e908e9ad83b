// A host array: element type, shape, and row-major data in reference-counted memory.
//
// A Literal is a value: copies are cheap and share memory until one of them is written (copy on
// write). Data pipelines yield Literals, files are read into them, and devices copy from and to
// them.
//
//   Literal a = Literal::of<float>({{1, 2, 3}, {4, 5, 6}});      // shape (2, 3)
//   a.at<float>({1, 2})                                          // 6
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/base/source_location.h"
#include "systolic/core/dtype.h"
#include "systolic/core/memory/host_memory.h"
#include "systolic/core/shape.h"

namespace systolic::inline v0 {

class Literal {
 public:
  // A float scalar 0. A Literal that was moved from is one, too.
  Literal();
  Literal(const Literal&) = default;
  Literal& operator=(const Literal&) = default;
  Literal(Literal&& other) noexcept : Literal() { swap(other); }
  Literal& operator=(Literal&& other) noexcept {
    Literal taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~Literal() = default;
  void swap(Literal& other) noexcept;
  // Memory of the wanted size, not initialized, aligned to 64 bytes. For string arrays: empty
  // strings.
  Literal(DType dtype, Shape shape);

  static Literal zeros(DType dtype, const Shape& shape);
  // Every element is `value`, converted.
  static Literal filled(DType dtype, const Shape& shape, double value);

  template <Element T>
  static Literal scalar(T value) {
    Literal result(dtype_of<T>, Shape{});
    *reinterpret_cast<T*>(result.mutable_raw()) = value;
    return result;
  }
  static Literal scalar(std::string_view bytes);
  static Literal scalar(const char* text) { return scalar(std::string_view(text)); }
  static Literal strings(std::span<const std::string> values);
  static Literal strings(std::initializer_list<std::string> values);
  // Copies the bytes, as many as `shape` needs.
  static Literal strings(std::span<const std::string_view> values, Shape shape,
                         SourceLocation location = SourceLocation::current());
  // The same without a copy: the bytes lie in memory that `owner` keeps alive (a block of a file).
  static Literal string_views(std::span<const std::string_view> values, Shape shape,
                              std::shared_ptr<const void> owner,
                              SourceLocation location = SourceLocation::current());

  // Copies `values` in row-major order; their number must be that of the shape.
  template <Element T>
  static Literal from(std::span<const T> values, Shape shape,
                      SourceLocation location = SourceLocation::current()) {
    check_count(values.size(), shape, location);
    Literal result(dtype_of<T>, std::move(shape));
    std::copy(values.begin(), values.end(), result.mutable_data<T>().begin());
    return result;
  }
  template <Element T>
  static Literal from(const std::vector<T>& values, Shape shape,
                      SourceLocation location = SourceLocation::current()) {
    return from(std::span<const T>(values), std::move(shape), location);
  }
  template <Element T>
  static Literal of(std::initializer_list<T> values) {
    return from(std::span<const T>(values.begin(), values.size()),
                Shape{static_cast<int64_t>(values.size())});
  }
  template <Element T>
  static Literal of(std::initializer_list<std::initializer_list<T>> rows,
                    SourceLocation location = SourceLocation::current());

  // Empty strings, to be set by mutable_strings() to views into the strings of `source` or into
  // what `owner` keeps alive; the result keeps both alive.
  static Literal string_views(Shape shape, const Literal& source,
                              std::shared_ptr<const void> owner);

  // Memory of another owner, kept alive by `owner` (a mapped file, a device's arena). Row-major;
  // writing copies it.
  static Literal wrap(DType dtype, Shape shape, const void* data,
                      std::shared_ptr<const void> owner);

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  int64_t size() const { return size_; }  // number of elements
  size_t byte_size() const;               // of the data; for strings the sum of the lengths

  // The elements, row-major. T must be the element type (int8_t for i4, uint8_t for u4): else
  // InvalidArgument.
  template <Element T>
  std::span<const T> data() const& {
    check_type(dtype_of<T>);
    return {reinterpret_cast<const T*>(raw()), static_cast<size_t>(size_)};
  }
  template <Element T>
  std::span<const T> data() const&& = delete;  // a view of a temporary: give the Literal a name
  // To be written right away: after the Literal was copied or given to a device, do not write
  // through the span any more; ask for it again.
  template <Element T>
  std::span<T> mutable_data() & {
    check_type(dtype_of<T>);
    return {reinterpret_cast<T*>(mutable_raw()), static_cast<size_t>(size_)};
  }
  template <Element T>
  std::span<T> mutable_data() && = delete;  // a view of a temporary: give the Literal a name
  const std::byte* raw() const { return data_; }
  // Whether nobody but Literals can change the elements: false for memory of another owner (wrap).
  bool owns_memory() const { return writable_; }
  // Whether no other Literal has a part in the elements either: mutable_raw() would not copy.
  bool is_alone() const { return writable_ && memory_.unique(); }
  std::byte* mutable_raw();  // copies first when the memory is shared; not for strings

  // The strings, which may be pointed at other bytes that this array keeps alive. Copies the views
  // first when they are shared.
  std::span<std::string_view> mutable_strings() &;

  // The i-th string in row-major order; the view lives as long as this Literal's memory.
  std::string_view string_at(int64_t i) const&;
  std::string_view string_at(int64_t i) const&& = delete;  // give the Literal a name
  // The string of a string scalar.
  std::string_view bytes() const& { return string_at(0); }
  std::string_view bytes() const&& = delete;  // give the Literal a name

  template <Element T>
  T at(std::initializer_list<int64_t> index) const {
    return data<T>()[static_cast<size_t>(offset_of(index))];
  }
  // The one element, converted to T as convert() does. More than one element is an InvalidArgument.
  template <Element T>
  T item() const {
    check_single();
    return dtype_ == dtype_of<T> ? *reinterpret_cast<const T*>(raw())
                                 : *reinterpret_cast<const T*>(convert(dtype_of<T>).raw());
  }
  // The i-th element in row-major order, converted; for complex numbers the real part. Strings are
  // an InvalidArgument.
  double number_at(int64_t i) const;
  int64_t integer_at(int64_t i) const;

  // The same data with another shape of as many elements; no copy.
  Literal reshape(Shape shape, SourceLocation location = SourceLocation::current()) const;
  // Elements converted as XLA's convert does: floats to integers truncate and saturate, NaN becomes
  // 0; integers to narrower integers wrap; anything to pred is != 0; complex to real takes the real
  // part. No copy for the same type.
  Literal convert(DType dtype) const;
  // Row `i` of the first axis: shape (3, 4) gives (4,). No copy.
  Literal row(int64_t i) const;
  // Rows [begin, end) of the first axis. No copy.
  Literal rows(int64_t begin, int64_t end) const;

  // Same type, shape and bits.
  friend bool operator==(const Literal& a, const Literal& b);

 private:
  static void check_count(size_t count, const Shape& shape, SourceLocation location);
  void check_type(DType asked) const;
  void check_single() const;
  void check_index(int64_t i) const;
  int64_t offset_of(std::initializer_list<int64_t> index) const;
  size_t element_bytes() const;

  DType dtype_ = DType::f32;
  Shape shape_;
  int64_t size_ = 1;
  // Numbers: the elements. Strings: one std::string_view each; their bytes lie after the views or
  // with the owner.
  HostMemory memory_;
  const std::byte* data_ = nullptr;
  bool writable_ = false;  // the elements lie in memory_, and not in memory of another owner
};

// As NumPy prints arrays: "[[1. 2.]\n [3. 4.]]"; long axes are shortened with "...".
std::string to_string(const Literal& literal);

template <Element T>
Literal Literal::of(std::initializer_list<std::initializer_list<T>> rows, SourceLocation location) {
  const size_t columns = rows.size() == 0 ? 0 : rows.begin()->size();
  std::vector<T> values;
  values.reserve(rows.size() * columns);
  for (const auto& row : rows) {
    check_count(row.size(), Shape{static_cast<int64_t>(columns)}, location);
    values.insert(values.end(), row.begin(), row.end());
  }
  return from(std::span<const T>(values),
              Shape{static_cast<int64_t>(rows.size()), static_cast<int64_t>(columns)}, location);
}

}  // namespace systolic::inline v0
