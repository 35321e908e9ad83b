#include "backends/cpu/kernels/tile/tile_io.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "backends/cpu/kernels/element_width.h"
#include "backends/cpu/kernels/float_conversion.h"
#include "backends/cpu/kernels/movement/fill_run.h"
#include "backends/cpu/kernels/tile/tile_program.h"
#include "systolic/base/error.h"
#include "systolic/core/convert.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

// Calls run(array offset, stride, elements) for the runs along the innermost axis that cover
// [begin, begin + count).
template <class Run>
void for_each_run(const TileAccess& access, int64_t begin, int64_t count, Run&& run) {
  const int inner = access.axes - 1;
  std::array<int64_t, max_axes> index;
  int64_t rest = begin, offset = access.offset;
  for (int axis = inner; axis >= 0; --axis) {
    index[axis] = rest % access.sizes[axis];
    rest /= access.sizes[axis];
    offset += index[axis] * access.strides[axis];
  }
  while (count > 0) {
    const int64_t length = std::min(count, access.sizes[inner] - index[inner]);
    run(offset, access.strides[inner], length);
    count -= length;
    // To the start of the next run.
    offset -= index[inner] * access.strides[inner];
    index[inner] = 0;
    for (int axis = inner - 1; axis >= 0; --axis) {
      offset += access.strides[axis];
      if (++index[axis] < access.sizes[axis]) break;
      offset -= access.sizes[axis] * access.strides[axis];
      index[axis] = 0;
    }
  }
}

template <class T>
void repeat(T element, int64_t count, T* slot) {
  if constexpr (sizeof(T) == sizeof(uint32_t)) {
    fill_run_32(std::bit_cast<uint32_t>(element), count, reinterpret_cast<uint32_t*>(slot));
  } else {
    std::fill_n(slot, count, element);
  }
}

template <class T>
void gather_strided(const TileAccess& access, const T* array, int64_t begin, int64_t count,
                    T* slot) {
  for_each_run(access, begin, count, [&](int64_t offset, int64_t stride, int64_t length) {
    const T* source = array + offset;
    if (stride == 0) {
      repeat(*source, length, slot);
    } else if (stride == 1) {
      std::copy_n(source, length, slot);
    } else {
      for (int64_t i = 0; i < length; ++i) slot[i] = source[i * stride];
    }
    slot += length;
  });
}

// A short row again and again: written once, then doubled.
template <class T>
void gather_repeated(const TileAccess& access, const T* array, int64_t begin, int64_t count,
                     T* slot) {
  const int64_t period = access.sizes[access.axes - 1];
  const T* row = array + access.offset;
  const int64_t phase = begin % period;
  const int64_t first = std::min(count, period - phase);
  std::copy_n(row + phase, first, slot);
  int64_t done = first;
  if (done < count) {
    const int64_t wrapped = std::min(count - done, phase);
    std::copy_n(row, wrapped, slot + done);
    done += wrapped;
  }
  while (done < count) {
    const int64_t more = std::min(done, count - done);
    std::copy_n(slot, more, slot + done);
    done += more;
  }
}

template <class T>
void gather(const TileAccess& access, const T* array, int64_t begin, int64_t count, T* slot) {
  switch (access.kind) {
    case TileAccess::Kind::contiguous:
      std::copy_n(array + access.offset + begin, count, slot);
      return;
    case TileAccess::Kind::scalar:
      return repeat(array[access.offset], count, slot);
    case TileAccess::Kind::repeated:
      return gather_repeated(access, array, begin, count, slot);
    case TileAccess::Kind::strided:
      return gather_strided(access, array, begin, count, slot);
    case TileAccess::Kind::row_sums:
    case TileAccess::Kind::drawn:
      ensure(false, "what is computed as it is read has its own way");
  }
}

void gather_raw(const TileAccess& access, int bytes, const void* array, int64_t begin,
                int64_t count, void* slot) {
  visit_width(bytes, [&](auto tag) {
    using T = typename decltype(tag)::type;
    gather(access, static_cast<const T*>(array), begin, count, static_cast<T*>(slot));
  });
}

void scatter_raw(const TileAccess& access, int bytes, void* array, int64_t begin, int64_t count,
                 const void* slot) {
  visit_width(bytes, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* source = static_cast<const T*>(slot);
    T* destination = static_cast<T*>(array);
    if (access.kind == TileAccess::Kind::contiguous) {
      std::copy_n(source, count, destination + access.offset + begin);
      return;
    }
    if (access.axes == 0) {
      destination[access.offset] = *source;
      return;
    }
    for_each_run(access, begin, count, [&](int64_t offset, int64_t stride, int64_t length) {
      for (int64_t i = 0; i < length; ++i) destination[offset + i * stride] = source[i];
      source += length;
    });
  });
}

// Whether the stored form differs from the computed one.
bool needs_conversion(DType dtype) {
  return TileProgramBuilder::compute_type(dtype) != dtype && dtype != DType::u4 &&
         dtype != DType::i4;
}

void zero_padding(int bytes, int64_t count, void* slot) {
  const int64_t padded = padded_to_group(count);
  std::memset(static_cast<char*>(slot) + count * bytes, 0,
              static_cast<size_t>((padded - count) * bytes));
}

}  // namespace

TileAccess make_tile_access(std::span<const int64_t> dims, std::span<const int64_t> strides,
                            int64_t offset) {
  TileAccess access;
  access.offset = offset;
  for (size_t k = 0; k < dims.size(); ++k) {
    if (dims[k] == 1) continue;
    const int last = access.axes - 1;
    if (last >= 0 && access.strides[last] == strides[k] * dims[k]) {
      access.sizes[last] *= dims[k];
      access.strides[last] = strides[k];
    } else {
      access.sizes[access.axes] = dims[k];
      access.strides[access.axes] = strides[k];
      ++access.axes;
    }
  }
  const bool one_axis = access.axes == 1;
  if (access.axes == 0 || (one_axis && access.strides[0] == 0)) {
    access.kind = TileAccess::Kind::scalar;
  } else if (one_axis && access.strides[0] == 1) {
    access.kind = TileAccess::Kind::contiguous;
  } else if (access.axes == 2 && access.strides[0] == 0 && access.strides[1] == 1 &&
             access.sizes[1] <= max_tile_elements) {
    access.kind = TileAccess::Kind::repeated;
  } else {
    access.kind = TileAccess::Kind::strided;
  }
  return access;
}

void widen(DType dtype, const void* stored, void* computed, int64_t count) {
  float* result = static_cast<float*>(computed);
  switch (dtype) {
    case DType::bf16:
    case DType::f16:
      return widen_floats(dtype, stored, result, count);
    case DType::f8e4m3fn:
      for (int64_t i = 0; i < count; ++i) {
        result[i] = static_cast<const float8_e4m3fn*>(stored)[i];
      }
      return;
    case DType::f8e5m2:
      for (int64_t i = 0; i < count; ++i) result[i] = static_cast<const float8_e5m2*>(stored)[i];
      return;
    default:
      std::memcpy(computed, stored, static_cast<size_t>(count * byte_width(dtype)));
  }
}

void narrow(DType dtype, const void* computed, void* stored, int64_t count) {
  const float* values = static_cast<const float*>(computed);
  switch (dtype) {
    case DType::bf16:
    case DType::f16:
      return narrow_floats(dtype, values, stored, count);
    case DType::f8e4m3fn:
      for (int64_t i = 0; i < count; ++i) {
        static_cast<float8_e4m3fn*>(stored)[i] = float8_e4m3fn(values[i]);
      }
      return;
    case DType::f8e5m2:
      for (int64_t i = 0; i < count; ++i) {
        static_cast<float8_e5m2*>(stored)[i] = float8_e5m2(values[i]);
      }
      return;
    case DType::i4:  // the low four bits, sign extended
      for (int64_t i = 0; i < count; ++i) {
        const int8_t value = static_cast<const int8_t*>(computed)[i];
        static_cast<int8_t*>(stored)[i] =
            static_cast<int8_t>(static_cast<int8_t>(static_cast<uint8_t>(value) << 4) >> 4);
      }
      return;
    case DType::u4:
      for (int64_t i = 0; i < count; ++i) {
        static_cast<uint8_t*>(stored)[i] = static_cast<const uint8_t*>(computed)[i] & 15;
      }
      return;
    default:
      std::memcpy(stored, computed, static_cast<size_t>(count * byte_width(dtype)));
  }
}

void load_tile(const TileAccess& access, DType dtype, const void* array, int64_t begin,
               int64_t count, void* slot) {
  const int bytes = byte_width(dtype);
  if (!needs_conversion(dtype)) {
    gather_raw(access, bytes, array, begin, count, slot);
    return zero_padding(bytes, count, slot);
  }
  if (access.kind == TileAccess::Kind::contiguous) {
    const char* first = static_cast<const char*>(array) + (access.offset + begin) * bytes;
    widen(dtype, first, slot, count);
  } else {
    alignas(64) std::array<std::byte, max_tile_elements * 2> raw;
    gather_raw(access, bytes, array, begin, count, raw.data());
    widen(dtype, raw.data(), slot, count);
  }
  zero_padding(static_cast<int>(sizeof(float)), count, slot);
}

void store_tile(const TileAccess& access, DType dtype, void* array, int64_t begin, int64_t count,
                const void* slot) {
  const int bytes = byte_width(dtype);
  const bool as_is = TileProgramBuilder::compute_type(dtype) == dtype;
  if (as_is) return scatter_raw(access, bytes, array, begin, count, slot);
  if (access.kind == TileAccess::Kind::contiguous) {
    return narrow(dtype, slot, static_cast<char*>(array) + (access.offset + begin) * bytes, count);
  }
  alignas(64) std::array<std::byte, max_tile_elements * 2> raw;
  narrow(dtype, slot, raw.data(), count);
  scatter_raw(access, bytes, array, begin, count, raw.data());
}

void iota_tile(DType dtype, int64_t inner, int64_t size, int64_t begin, int64_t count, void* slot) {
  visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* result = static_cast<T*>(slot);
    int64_t value = begin / inner % size, left = inner - begin % inner;
    int64_t done = 0;
    if (inner == 1) {  // one period, which is then doubled
      for (; done < std::min(count, size); ++done) {
        result[done] = convert_element<T>(value);
        if (++value == size) value = 0;
      }
      for (int64_t more = 0; done < count; done += more) {
        more = std::min(done, count - done);
        std::copy_n(result, more, result + done);
      }
    }
    while (done < count) {
      const int64_t length = std::min(left, count - done);
      std::fill_n(result + done, length, convert_element<T>(value));
      done += length;
      left = inner;
      if (++value == size) value = 0;
    }
    zero_padding(static_cast<int>(sizeof(T)), count, slot);
  });
}

}  // namespace kernels
}  // namespace systolic::inline v0
