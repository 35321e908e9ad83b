#include "systolic/data/resumable_reader.h"

#include <utility>

namespace systolic::inline v0 {
namespace data {

void ResumableReader::Place::transfer(StateArchive& archive) {
  archive.text(iterator);
  archive.elements(elements);
}

ResumableReader::ResumableReader(const Dataset& dataset, Place place, bool keeps_elements)
    : iterator_(place.iterator.empty() ? dataset.iterator()  // whose line, the reader says
                                       : dataset.iterator(place.iterator, SourceLocation{})),
      saved_(std::move(place.elements)),
      keeps_elements_(keeps_elements) {}

std::optional<Example> ResumableReader::next() {
  std::optional<Example> element = ended_ ? std::nullopt : read();
  ended_ = !element;
  if (element && keeps_elements_) {
    const std::lock_guard lock(mutex_);
    ahead_.push_back(*element);
  }
  return element;
}

std::optional<Example> ResumableReader::read() {
  if (saved_.empty()) return iterator_.next();
  Example element = std::move(saved_.front());
  saved_.pop_front();
  return element;
}

void ResumableReader::done(int64_t elements) {
  if (!keeps_elements_) return;
  const std::lock_guard lock(mutex_);
  ahead_.erase(ahead_.begin(), ahead_.begin() + static_cast<std::ptrdiff_t>(elements));
}

ResumableReader::Place ResumableReader::place() {
  const std::lock_guard lock(mutex_);
  Place place{.iterator = iterator_.save(), .elements = ahead_};
  place.elements.insert(place.elements.end(), saved_.begin(), saved_.end());
  return place;
}

}  // namespace data
}  // namespace systolic::inline v0
