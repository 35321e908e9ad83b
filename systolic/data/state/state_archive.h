// The state of a running pipeline as bytes, and back: positions, random keys, and the elements that
// wait in buffers.
//
// One function of a stage serves both directions: `archive.integer(next_, 0, size_)` writes the
// member while saving and sets it while restoring. What is read is checked: damage is a DataLoss,
// the state of another pipeline a FailedPrecondition that names the difference; nothing in it can
// crash the program or make it allocate more than a few times the bytes that are there.
//
// The bytes: "SYSDATA" and the version (2; of an element alone 1), the values in the order in which
// the stages give them (numbers as 8 bytes, little-endian; texts with their length), and the
// CRC-32C of all before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

#include "systolic/core/example.h"

namespace systolic::inline v0 {
namespace data {

class StateArchive {
 public:
  static constexpr char iterator_version = 2, element_version = 1;

  // To save to.
  explicit StateArchive(char version = iterator_version);
  // To restore from; `bytes` must outlive it.
  explicit StateArchive(std::string_view bytes, char version = iterator_version);
  bool saving() const { return saving_; }
  // The bytes that were saved.
  std::string finish();
  // While saving: how many bytes there are; moves those from `middle` on before those from `begin`
  // on.
  size_t size() const { return output_.size(); }
  void put_before(size_t begin, size_t middle);
  // After what was restored nothing more may follow.
  void expect_end() const;

  void number(uint64_t& value);
  // The largest count that is believed, so that counting on from it cannot overflow.
  static constexpr int64_t largest_count = int64_t{1} << 62;
  // Outside of [least, most] is damage.
  void integer(int64_t& value, int64_t least, int64_t most);
  void flag(bool& value);
  void text(std::string& value);
  void element(Example& value);
  template <class Container>
  void elements(Container& values);
  // An error that waits to be thrown; nullptr for none. Its kind and text survive.
  void failure(std::exception_ptr& error);
  // Restoring, the state must have been saved with the same name or value.
  void expect(std::string_view name);
  void expect(std::string_view what, int64_t value);

  // Throws DataLoss.
  [[noreturn]] void damaged(std::string_view what) const;

 private:
  void put(const void* data, size_t size);
  std::string_view take(uint64_t size);
  size_t left() const { return input_.size() - at_; }
  void write_array(const Literal& value);
  Literal read_array();
  Literal read_strings(const Shape& shape, int64_t count);
  Shape read_shape(int64_t& count);

  const bool saving_;
  std::string output_;
  std::string_view input_;
  size_t at_ = 0;
};

template <class Container>
void StateArchive::elements(Container& values) {
  uint64_t count = values.size();
  number(count);
  if (saving_) {
    for (Example& value : values) element(value);
    return;
  }
  values.clear();
  for (uint64_t i = 0; i < count; ++i) {
    Example value;
    element(value);  // takes bytes or throws: a count without elements ends here
    values.push_back(std::move(value));
  }
}

// One element as bytes and back, as files of elements hold it.
std::string encode_element(const Example& element);
Example decode_element(std::string_view bytes);

}  // namespace data
}  // namespace systolic::inline v0
