// The sizes of an array's axes. A Shape without axes is a scalar's. Cheap to copy: up to six axes
// are stored in place.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace systolic::inline v0 {

class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<int64_t> dims) : Shape(std::span(dims.begin(), dims.size())) {}
  explicit Shape(std::span<const int64_t> dims);
  explicit Shape(const std::vector<int64_t>& dims) : Shape(std::span<const int64_t>(dims)) {}
  Shape(const Shape& other) : Shape(other.dims()) {}
  Shape(Shape&& other) noexcept;
  Shape& operator=(const Shape& other);
  Shape& operator=(Shape&& other) noexcept;
  ~Shape() { release(); }

  int rank() const { return rank_; }
  std::span<const int64_t> dims() const { return {data(), static_cast<size_t>(rank_)}; }
  const int64_t* begin() const { return data(); }
  const int64_t* end() const { return data() + rank_; }

  // Axis may be negative: -1 is the last. Out of range is an InvalidArgument.
  int64_t operator[](int axis) const { return data()[checked(axis)]; }
  void set(int axis, int64_t size) { data()[checked(axis)] = size; }

  // Number of elements; 1 for a scalar. A product beyond 2^63 - 1 is an InvalidArgument.
  int64_t elements() const;

  // Copies with one axis more, one less, or the axes in [begin, end).
  Shape with_inserted(int axis, int64_t size) const;
  Shape without(int axis) const;
  Shape slice(int begin, int end) const;

  // Elements between neighbours along each axis, row-major: strides of (2, 3, 4) are (12, 4,
  // 1).
  std::vector<int64_t> strides() const;

  std::vector<int64_t> to_vector() const { return {begin(), end()}; }

  friend bool operator==(const Shape& a, const Shape& b);

 private:
  static constexpr int inline_axes = 6;

  bool on_heap() const { return rank_ > inline_axes; }
  const int64_t* data() const { return on_heap() ? heap_ : inline_; }
  int64_t* data() { return on_heap() ? heap_ : inline_; }
  int checked(int axis) const {
    const int positive = axis < 0 ? axis + rank_ : axis;
    if (positive < 0 || positive >= rank_) raise_axis(axis);
    return positive;
  }
  [[noreturn]] void raise_axis(int axis) const;
  void release();

  int rank_ = 0;
  union {
    int64_t inline_[inline_axes];
    int64_t* heap_;
  };
};

// "(2, 3)", "(5,)" and "()" as NumPy prints shapes.
std::string to_string(const Shape& shape);

// The index after `index` in row-major order within `shape`; false after the last one.
bool next_index(const Shape& shape, std::vector<int64_t>& index);

}  // namespace systolic::inline v0
