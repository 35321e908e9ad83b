#include "systolic/datasets/tables/column.h"

#include <algorithm>
#include <cstring>

#include "systolic/base/error.h"
#include "systolic/core/put_together.h"
#include "systolic/datasets/tables/joined_rows.h"
#include "systolic/io/encoding/crc32c.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

uint32_t checksum_of(const Literal& array, uint32_t previous) {
  const std::string form = str(array.dtype(), array.shape());
  uint32_t sum = io::crc32c(form.data(), form.size(), previous);
  if (array.dtype() != DType::string) return io::crc32c(array.raw(), array.byte_size(), sum);
  for (int64_t i = 0; i < array.size(); ++i) {
    const std::string_view text = array.string_at(i);
    const uint64_t size = text.size();
    sum = io::crc32c(text.data(), text.size(), io::crc32c(&size, sizeof size, sum));
  }
  return sum;
}

// Rows of one shape, stacked; `rows` holds at least one.
Literal stacked_rows(const std::vector<Literal>& rows) {
  const Literal& first = rows.front();
  const Shape shape = first.shape().with_inserted(0, static_cast<int64_t>(rows.size()));
  if (first.dtype() != DType::string) return stacked(rows);
  std::vector<std::string_view> views;
  for (const Literal& row : rows) {
    for (int64_t i = 0; i < row.size(); ++i) views.push_back(row.string_at(i));
  }
  return Literal::strings(views, shape);
}

Literal rows_of(const Literal& array, const std::vector<int64_t>& indices) {
  std::vector<int64_t> sizes = array.shape().to_vector();
  const int64_t width = sizes[0] == 0 ? 0 : array.size() / sizes[0];
  sizes[0] = static_cast<int64_t>(indices.size());
  if (array.dtype() == DType::string) {
    std::vector<std::string_view> views;
    for (const int64_t row : indices) {
      for (int64_t i = 0; i < width; ++i) views.push_back(array.string_at(row * width + i));
    }
    return Literal::string_views(views, Shape(sizes), std::make_shared<Literal>(array));
  }
  Literal result(array.dtype(), Shape(sizes));
  if (result.size() == 0) return result;
  const size_t bytes = result.byte_size() / indices.size();
  std::byte* to = result.mutable_raw();
  for (const int64_t row : indices) {
    std::memcpy(to, array.raw() + static_cast<size_t>(row) * bytes, bytes);
    to += bytes;
  }
  return result;
}

}  // namespace

Column::Column(std::vector<Literal> rows) : rows_(static_cast<int64_t>(rows.size())) {
  const bool equal = std::all_of(rows.begin(), rows.end(), [&](const Literal& row) {
    return row.dtype() == rows[0].dtype() && row.shape() == rows[0].shape();
  });
  if (rows.empty()) {
    array_ = Literal(DType::f32, Shape{0});
  } else if (equal) {
    array_ = stacked_rows(rows);
  } else {
    ragged_ = std::make_shared<const std::vector<Literal>>(std::move(rows));
  }
}

Literal Column::operator[](PositionAt which) const {
  const int64_t i = which.position;
  if (i < 0 || i >= rows_) {
    raise<OutOfRange>({.what = str("row ", i, " of a column"),
                       .wanted = str("0 to ", rows_ - 1),
                       .location = which.location});
  }
  if (ragged_) return (*ragged_)[static_cast<size_t>(i)];
  const Literal row = array_.row(i);
  return made_ ? made_(row) : row;
}

const Literal& Column::array(SourceLocation location) const {
  if (!ragged_ && !made_) return array_;
  raise<InvalidArgument>(
      {.what = made_ ? "a column of pictures is not one array" : "the rows differ in shape",
       .hint = "take one row: column[i]; or make batches: table.dataset().padded_batch(...); for "
               "texts of words, tokenizer.encode_words(words) for each row",
       .location = location});
}

std::vector<std::string> Column::strings(SourceLocation location) const {
  const Literal& all = array(location);
  if (all.dtype() != DType::string) {
    raise<InvalidArgument>(
        {.what = str("the column is ", all.dtype()), .wanted = "strings", .location = location});
  }
  std::vector<std::string> texts;
  for (int64_t i = 0; i < all.size(); ++i) texts.emplace_back(all.string_at(i));
  return texts;
}

const std::vector<std::string>& Column::class_names() const {
  static const std::vector<std::string> none;
  return class_names_ ? *class_names_ : none;
}

Column Column::with_class_names(std::vector<std::string> names) const {
  Column named = *this;
  named.class_names_ = std::make_shared<const std::vector<std::string>>(std::move(names));
  return named;
}

Column Column::rows(const std::vector<int64_t>& indices) const {
  if (!ragged_) {
    Column result(rows_of(array_, indices));
    result.made_ = made_;
    result.class_names_ = class_names_;
    return result;
  }
  std::vector<Literal> rows;
  for (const int64_t i : indices) rows.push_back((*ragged_)[static_cast<size_t>(i)]);
  return Column(std::move(rows));
}

Column Column::followed_by(const Column& other) const {
  const auto tail = [](const Literal& array) {
    std::vector<int64_t> sizes = array.shape().to_vector();
    sizes.erase(sizes.begin());
    return sizes;
  };
  const bool stacks = !ragged_ && !other.ragged_ && array_.dtype() == other.array_.dtype() &&
                      tail(array_) == tail(other.array_);
  if (stacks) {
    Column result(joined_rows({array_, other.array_}));
    result.made_ = made_;
    result.class_names_ = class_names_;
    return result;
  }
  std::vector<Literal> rows;
  for (const Column* column : {this, &other}) {
    for (int64_t i = 0; i < column->rows_; ++i) rows.push_back((*column)[i]);
  }
  return Column(std::move(rows));
}

uint32_t Column::checksum(uint32_t previous) const {
  if (!ragged_) return checksum_of(array_, previous);
  for (const Literal& row : *ragged_) previous = checksum_of(row, previous);
  return previous;
}

}  // namespace datasets
}  // namespace systolic::inline v0
