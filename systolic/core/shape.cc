#include "systolic/core/shape.h"

#include <algorithm>

#include "systolic/base/error.h"

namespace systolic::inline v0 {

Shape::Shape(std::span<const int64_t> dims) : rank_(static_cast<int>(dims.size())) {
  if (on_heap()) heap_ = new int64_t[dims.size()];
  std::copy(dims.begin(), dims.end(), data());
}

Shape::Shape(Shape&& other) noexcept : rank_(other.rank_) {
  if (on_heap()) {
    heap_ = other.heap_;
  } else {
    std::copy(other.inline_, other.inline_ + rank_, inline_);
  }
  other.rank_ = 0;
}

Shape& Shape::operator=(const Shape& other) {
  if (this != &other) *this = Shape(other);
  return *this;
}

Shape& Shape::operator=(Shape&& other) noexcept {
  if (this == &other) return *this;
  release();
  rank_ = other.rank_;
  if (on_heap()) {
    heap_ = other.heap_;
  } else {
    std::copy(other.inline_, other.inline_ + rank_, inline_);
  }
  other.rank_ = 0;
  return *this;
}

void Shape::release() {
  if (on_heap()) delete[] heap_;
}

void Shape::raise_axis(int axis) const {
  raise<InvalidArgument>({.what = str("axis ", axis, " of shape ", to_string(*this)),
                          .wanted = str("an axis in [", -rank_, ", ", rank_, ")")});
}

int64_t Shape::elements() const {
  int64_t product = 1;
  for (int64_t size : dims()) {
    if (__builtin_mul_overflow(product, size, &product)) {
      raise<InvalidArgument>(
          {.what = str("shape ", to_string(*this), " has more than 2^63 elements")});
    }
  }
  return product;
}

Shape Shape::with_inserted(int axis, int64_t size) const {
  std::vector<int64_t> dims = to_vector();
  dims.insert(dims.begin() + axis, size);
  return Shape(dims);
}

Shape Shape::without(int axis) const {
  std::vector<int64_t> dims = to_vector();
  dims.erase(dims.begin() + checked(axis));
  return Shape(dims);
}

Shape Shape::slice(int begin, int end) const {
  return Shape(dims().subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin)));
}

std::vector<int64_t> Shape::strides() const {
  std::vector<int64_t> result(static_cast<size_t>(rank_), 1);
  for (int axis = rank_ - 2; axis >= 0; --axis) {
    const auto i = static_cast<size_t>(axis);
    result[i] = result[i + 1] * data()[axis + 1];
  }
  return result;
}

bool operator==(const Shape& a, const Shape& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

std::string to_string(const Shape& shape) {
  return str("(", join(shape.dims()), shape.rank() == 1 ? ",)" : ")");
}

bool next_index(const Shape& shape, std::vector<int64_t>& index) {
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    const auto i = static_cast<size_t>(axis);
    if (++index[i] < shape[axis]) return true;
    index[i] = 0;
  }
  return false;
}

}  // namespace systolic::inline v0
