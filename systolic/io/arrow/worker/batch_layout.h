// A batch as the library gets it (wire.h): its head, and where its buffers lie.
#pragma once

#include <arrow/array.h>
#include <arrow/record_batch.h>

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "systolic/io/arrow/wire.h"

namespace worker {

class BatchLayout {
 public:
  // The batch must outlive it.
  explicit BatchLayout(const arrow::RecordBatch& batch);

  uint64_t bytes() const;
  // bytes() of them.
  void write(char* to) const;

 private:
  void add(const arrow::Array& array);
  void add_validity(const arrow::Array& array);
  void add_inner(const arrow::Array& array);
  template <class Array>
  void add_strings(const arrow::Array& array);
  void add_viewed_strings(const arrow::Array& array);
  void add_fixed_strings(const arrow::Array& array);
  template <class Array>
  void add_list(const arrow::Array& array);
  void add_numbers(const arrow::Array& array);
  void add_dictionary(const arrow::Array& array);
  // The offsets of an array's elements, from 0 on.
  template <class Offset>
  void add_offsets(const Offset* offsets, int64_t length);
  void add_buffer(const void* data, uint64_t bytes);
  void add_own(std::vector<char> bytes);
  void add_nothing() { add_buffer(nullptr, 0); }

  systolic::io::arrow_wire::Writer head_;
  std::vector<std::span<const char>> buffers_;
  std::deque<std::vector<char>> own_;
  uint64_t buffer_bytes_ = 0;
};

}  // namespace worker
