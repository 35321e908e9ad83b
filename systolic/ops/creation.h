// keras.ops that make arrays. What stands after `using` is the op of trace/ops with the same name.
//
//   Tensor window = ops::hanning(256);                    // f32 [256]
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "systolic/trace/ops/creation.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {
namespace ops {

using At = SourceLocation;

using v0::convert_to_tensor;
using v0::ones;
using v0::ones_like;
using v0::zeros;
using v0::zeros_like;

// An array of the host as a Tensor.
inline Tensor array(Literal values) { return Tensor(std::move(values)); }
// The values on the host; inside `function` an error.
inline Literal convert_to_numpy(const Tensor& x, At at = At::current()) { return x.literal(at); }
inline bool is_tensor(const Tensor& x) { return x.valid(); }

// start, start + step, ... below stop: i32 of whole numbers, unless a type is given.
Tensor arange(double start, double stop, double step = 1, std::optional<DType> dtype = {},
              At at = At::current());
Tensor arange(int64_t stop, At at = At::current());
Tensor empty(const Shape& shape, DType dtype = DType::f32, At at = At::current());
Tensor empty_like(const Tensor& x, At at = At::current());
Tensor full(const Shape& shape, double value, DType dtype = DType::f32, At at = At::current());
Tensor full_like(const Tensor& x, double value, At at = At::current());
// [rows, columns], 1 on diagonal k; as many columns as rows where none is given.
Tensor eye(int64_t rows, std::optional<int64_t> columns = {}, int64_t k = 0,
           DType dtype = DType::f32, At at = At::current());
Tensor identity(int64_t rows, DType dtype = DType::f32, At at = At::current());
// 1 below diagonal k and on it.
Tensor tri(int64_t rows, std::optional<int64_t> columns = {}, int64_t k = 0,
           DType dtype = DType::f32, At at = At::current());

// `count` numbers from start to stop at equal distances, f32; their powers of `base`; at equal
// ratios. Without `endpoint` the stop is left out.
Tensor linspace(double start, double stop, int64_t count = 50, bool endpoint = true,
                At at = At::current());
Tensor logspace(double start, double stop, int64_t count = 50, bool endpoint = true,
                double base = 10, At at = At::current());
Tensor geomspace(double start, double stop, int64_t count = 50, bool endpoint = true,
                 At at = At::current());

// Windows of this many samples, f32.
Tensor bartlett(int64_t size, At at = At::current());
Tensor blackman(int64_t size, At at = At::current());
Tensor hamming(int64_t size, At at = At::current());
Tensor hanning(int64_t size, At at = At::current());
Tensor kaiser(int64_t size, double beta, At at = At::current());

// The vectors, each along an axis of its own, spread over those of the others; with "xy" the first
// two axes are swapped.
std::vector<Tensor> meshgrid(const std::vector<Tensor>& vectors, bool matrix_indexing = false,
                             At at = At::current());
// The powers of a vector, the highest first: [size, columns].
Tensor vander(const Tensor& x, std::optional<int64_t> columns = {}, bool increasing = false,
              At at = At::current());

}  // namespace ops
}  // namespace systolic::inline v0
