// A host array: element type, shape, and row-major data in reference-counted memory.
//
// A Literal is a value: copies are cheap and share memory until one of them is written (copy on write). Data pipelines
// yield Literals, files are read into them, and devices copy from and to them.
//
//   Literal a = Literal::of<float>({{1, 2, 3}, {4, 5, 6}});      // shape (2, 3)
//   a.at<float>({1, 2})                                          // 6
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/base/source_location.h"
#include "systolic/core/dtype.h"
#include "systolic/core/shape.h"

namespace systolic::inline v0 {

class Literal {
 public:
  // A float scalar 0.
  Literal();
  // Memory of the wanted size, not initialized, aligned to 64 bytes. For string arrays: empty strings.
  Literal(DType dtype, Shape shape);

  static Literal zeros(DType dtype, const Shape& shape);
  // Every element is `value`, converted.
  static Literal filled(DType dtype, const Shape& shape, double value);

  template <Element T>
  static Literal scalar(T value) {
    Literal result(dtype_of<T>, Shape{});
    result.mutable_data<T>()[0] = value;
    return result;
  }
  static Literal scalar(std::string_view bytes);
  static Literal strings(std::span<const std::string> values);
  static Literal strings(std::initializer_list<std::string> values);

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

  // Memory of another owner, kept alive by `owner` (a mapped file, a device's arena). Row-major; a write copies.
  static Literal wrap(DType dtype, Shape shape, const void* data, std::shared_ptr<const void> owner);

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  int64_t size() const { return size_; }                       // number of elements
  size_t byte_size() const;                                    // of the data; for strings the sum of the lengths

  // The elements, row-major. T must be the element type (int8_t for i4, uint8_t for u4): else InvalidArgument.
  template <Element T>
  std::span<const T> data() const {
    check_type(dtype_of<T>);
    return {reinterpret_cast<const T*>(raw()), static_cast<size_t>(size_)};
  }
  template <Element T>
  std::span<T> mutable_data() {
    check_type(dtype_of<T>);
    return {reinterpret_cast<T*>(mutable_raw()), static_cast<size_t>(size_)};
  }
  const std::byte* raw() const { return data_; }
  std::byte* mutable_raw();  // copies first when the memory is shared

  // The i-th string in row-major order; the view lives as long as this Literal's memory.
  std::string_view string_at(int64_t i) const;
  // The string of a string scalar.
  std::string_view bytes() const { return string_at(0); }

  template <Element T>
  T at(std::initializer_list<int64_t> index) const {
    return data<T>()[static_cast<size_t>(offset_of(index))];
  }
  // The one element, converted to T (numbers only). More than one element is an InvalidArgument.
  template <Element T>
  T item() const {
    return static_cast<T>(item_as_double());
  }
  // The i-th element in row-major order, converted.
  double number_at(int64_t i) const;
  int64_t integer_at(int64_t i) const;

  // The same data under another shape of as many elements; no copy.
  Literal reshape(Shape shape, SourceLocation location = SourceLocation::current()) const;
  // Elements converted as StableHLO's convert does: floats to integers truncate; anything to pred is != 0.
  Literal convert(DType dtype) const;
  // Row `i` of the first axis; no copy of numbers.
  Literal row(int64_t i) const;

  // Same type, shape and bits.
  friend bool operator==(const Literal& a, const Literal& b);

 private:
  static void check_count(size_t count, const Shape& shape, SourceLocation location);
  void check_type(DType asked) const;
  int64_t offset_of(std::initializer_list<int64_t> index) const;
  double item_as_double() const;

  DType dtype_ = DType::f32;
  Shape shape_;
  int64_t size_ = 1;
  // Numbers: the elements. Strings: size_ + 1 offsets (uint64_t), then the bytes.
  std::shared_ptr<const void> memory_;
  const std::byte* data_ = nullptr;
  bool writable_ = false;  // the memory was allocated here, and not wrapped
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
