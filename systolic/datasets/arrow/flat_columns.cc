#include "systolic/datasets/arrow/flat_columns.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "systolic/base/error.h"
#include "systolic/datasets/tables/exact_integer.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

using io::ArrowArray;
using io::ArrowField;
using io::ArrowKind;

using Validity = std::vector<uint8_t>;  // empty: all are

Validity joined(const Validity& outer, const ArrowArray& array) {
  if (array.valid.empty()) return outer;
  Validity valid(array.valid.begin(), array.valid.end());
  for (size_t i = 0; i < outer.size(); ++i) valid[i] = valid[i] && outer[i];
  return valid;
}

bool is_null(const Validity& valid, int64_t i) {
  return !valid.empty() && valid[static_cast<size_t>(i)] == 0;
}

std::string_view text_at(const ArrowArray& array, int64_t i) {
  const auto begin = static_cast<size_t>(array.offsets[static_cast<size_t>(i)]);
  const auto end = static_cast<size_t>(array.offsets[static_cast<size_t>(i) + 1]);
  return {reinterpret_cast<const char*>(array.values.data()) + begin, end - begin};
}

template <class T>
void set_nan(Literal& numbers, const Validity& valid) {
  const std::span<T> values = numbers.mutable_data<T>();
  for (size_t i = 0; i < values.size(); ++i) {
    if (valid[i] == 0) values[i] = T(std::numeric_limits<float>::quiet_NaN());
  }
}

// What a list holds, on the way from the rows to the values.
struct Place {
  std::string name;
  std::vector<int64_t> starts = {};  // of the rows; empty: each value is one
  std::vector<FlatColumn> splits = {};
  std::vector<int64_t> sizes = {};  // of the lists of fixed size that follow, and their number
  int64_t fixed_lists = 0;
  int lists = 0;
  Validity valid = {};
};

class Flattener {
 public:
  Flattener(const io::ArrowBatch& batch, std::vector<FlatColumn>& columns)
      : memory_(batch.memory), columns_(columns) {}

  void add(const ArrowField& field, const ArrowArray& array, Place place) {
    place.valid = joined(place.valid, array);
    switch (field.kind) {
      case ArrowKind::structure:
        return add_members(field, array, place);
      case ArrowKind::list:
        return add_list(field, array, array.offsets, std::move(place));
      case ArrowKind::fixed_list:
        return add_fixed_list(field, array, std::move(place));
      default:
        return add_values(field, array, std::move(place));
    }
  }

 private:
  void add_members(const ArrowField& field, const ArrowArray& array, const Place& place) {
    for (size_t i = 0; i < field.inner.size(); ++i) {
      Place member = place;
      // Row splits stand before the first member of what is in the list.
      if (i > 0) member.splits.clear();
      member.name = str(place.name, ".", field.inner[i].name);
      add(field.inner[i], array.inner[i], std::move(member));
    }
  }

  void add_list(const ArrowField& field, const ArrowArray& array, std::span<const int64_t> offsets,
                Place place) {
    for (int64_t i = 0; i < array.length; ++i) {
      if (!is_null(place.valid, i) ||
          offsets[static_cast<size_t>(i)] == offsets[static_cast<size_t>(i) + 1])
        continue;
      raise<Unimplemented>({.what = str("column '", place.name, "' has a null list with values"),
                            .hint = "write the file again by pyarrow"});
    }
    place.valid.clear();
    if (++place.lists == 1) {
      place.starts.assign(offsets.begin(), offsets.end());
    } else {
      place.splits.push_back(splits_of(place, offsets));
      for (int64_t& start : place.starts) start = offsets[static_cast<size_t>(start)];
    }
    add(field.inner[0], array.inner[0], std::move(place));
  }

  // Where the rows of the inner lists begin, for each row, from 0 on.
  FlatColumn splits_of(const Place& place, std::span<const int64_t> offsets) const {
    std::vector<int64_t> all, starts = {0};
    for (size_t row = 0; row + 1 < place.starts.size(); ++row) {
      const auto first = static_cast<size_t>(place.starts[row]);
      for (size_t i = first; i <= static_cast<size_t>(place.starts[row + 1]); ++i)
        all.push_back(offsets[i] - offsets[first]);
      starts.push_back(static_cast<int64_t>(all.size()));
    }
    return {.name = place.name,
            .values = Literal::from(all, {static_cast<int64_t>(all.size())}),
            .starts = std::move(starts)};
  }

  // An axis of the values; but one of lists without a fixed size is a list of them.
  void add_fixed_list(const ArrowField& field, const ArrowArray& array, Place place) {
    if (holds_list(field.inner[0])) {
      std::vector<int64_t> offsets;
      for (int64_t i = 0; i <= array.length; ++i) offsets.push_back(i * field.width);
      place.valid.clear();
      return add_list(field, array, offsets, std::move(place));
    }
    if (place.sizes.empty()) place.fixed_lists = array.length;
    place.sizes.push_back(field.width);
    Validity spread;
    for (const uint8_t valid : place.valid)
      spread.insert(spread.end(), static_cast<size_t>(field.width), valid);
    place.valid = std::move(spread);
    add(field.inner[0], array.inner[0], std::move(place));
  }

  static bool holds_list(const ArrowField& field) {
    return field.kind == ArrowKind::list ||
           std::any_of(field.inner.begin(), field.inner.end(), holds_list);
  }

  void add_values(const ArrowField& field, const ArrowArray& array, Place place) {
    FlatColumn column{.name = place.name};
    column.values = values_of(field, array, place.valid, column.valid);
    std::vector<int64_t> sizes = {place.sizes.empty() ? array.length : place.fixed_lists};
    sizes.insert(sizes.end(), place.sizes.begin(), place.sizes.end());
    column.values = column.values.reshape(Shape(sizes));
    column.starts = std::move(place.starts);
    const size_t splits = place.splits.size();
    for (size_t i = 0; i < splits; ++i) {
      place.splits[i].name += splits == 1 ? std::string("_row_splits") : str("_row_splits_", i);
      columns_.push_back(std::move(place.splits[i]));
    }
    columns_.push_back(std::move(column));
  }

  Literal values_of(const ArrowField& field, const ArrowArray& array, const Validity& valid,
                    Validity& nulls) const {
    switch (field.kind) {
      case ArrowKind::null:
        return Literal::filled(DType::f64, {array.length}, std::nan(""));
      case ArrowKind::string:
        return texts_of(array, valid);
      case ArrowKind::dictionary:
        return looked_up(field, array, valid, nulls);
      default:
        return numbers_of(field.dtype, array, valid, nulls);
    }
  }

  Literal texts_of(const ArrowArray& array, const Validity& valid) const {
    Literal texts = Literal::string_views(Shape{array.length}, Literal(), memory_);
    const std::span<std::string_view> views = texts.mutable_strings();
    for (int64_t i = 0; i < array.length; ++i) {
      if (!is_null(valid, i)) views[static_cast<size_t>(i)] = text_at(array, i);
    }
    return texts;
  }

  Literal numbers_of(DType dtype, const ArrowArray& array, const Validity& valid,
                     Validity& nulls) const {
    Literal numbers = Literal::wrap(dtype, {array.length}, array.values.data(), memory_);
    return std::find(valid.begin(), valid.end(), 0) == valid.end()
               ? numbers
               : with_nulls(std::move(numbers), valid, nulls);
  }

  static Literal with_nulls(Literal numbers, const Validity& valid, Validity& nulls) {
    if (numbers.dtype() == DType::f64) return set_nan<double>(numbers, valid), numbers;
    if (numbers.dtype() == DType::f32) return set_nan<float>(numbers, valid), numbers;
    if (numbers.dtype() == DType::f16) return set_nan<float16>(numbers, valid), numbers;
    nulls = valid;
    return numbers;
  }

  // What each place of the dictionary stands for.
  Literal looked_up(const ArrowField& field, const ArrowArray& array, const Validity& valid,
                    Validity& nulls) const {
    const ArrowField& inner = field.inner[0];
    const ArrowArray& dictionary = array.inner[0];
    if (inner.kind != ArrowKind::string && inner.kind != ArrowKind::number)
      raise<Unimplemented>(
          {.what = str("a dictionary of ", inner.type), .wanted = "texts or numbers"});
    const auto* places = reinterpret_cast<const int64_t*>(array.values.data());
    Validity found(static_cast<size_t>(array.length));
    for (int64_t i = 0; i < array.length; ++i) {
      const bool is = !is_null(valid, i) && dictionary.is_valid(places[i]);
      found[static_cast<size_t>(i)] = is ? 1 : 0;
    }
    if (inner.kind == ArrowKind::string) {
      Literal texts = Literal::string_views(Shape{array.length}, Literal(), memory_);
      const std::span<std::string_view> views = texts.mutable_strings();
      for (int64_t i = 0; i < array.length; ++i) {
        if (!is_null(found, i)) views[static_cast<size_t>(i)] = text_at(dictionary, places[i]);
      }
      return texts;
    }
    Literal numbers = Literal::zeros(inner.dtype, {array.length});
    const auto width = static_cast<size_t>(byte_width(inner.dtype));
    for (int64_t i = 0; i < array.length; ++i) {
      if (is_null(found, i)) continue;
      std::memcpy(numbers.mutable_raw() + static_cast<size_t>(i) * width,
                  dictionary.values.data() + static_cast<size_t>(places[i]) * width, width);
    }
    const bool has_null = std::find(found.begin(), found.end(), 0) != found.end();
    return has_null ? with_nulls(std::move(numbers), found, nulls) : numbers;
  }

  std::shared_ptr<const void> memory_;
  std::vector<FlatColumn>& columns_;
};

}  // namespace

Literal FlatColumn::row(int64_t i) const {
  if (starts.empty()) return values.row(i);
  return values.rows(starts[static_cast<size_t>(i)], starts[static_cast<size_t>(i) + 1]);
}

std::vector<FlatColumn> flat_columns(const std::vector<io::ArrowField>& fields,
                                     const io::ArrowBatch& batch) {
  std::vector<FlatColumn> columns;
  Flattener flattener(batch, columns);
  for (size_t i = 0; i < fields.size(); ++i)
    flattener.add(fields[i], batch.columns[i], {.name = fields[i].name});
  return columns;
}

Literal in_double(const FlatColumn& column) {
  Literal numbers = column.values.convert(DType::f64);
  const std::span<double> values = numbers.mutable_data<double>();
  for (size_t i = 0; i < values.size(); ++i) {
    if (!column.valid.empty() && column.valid[i] == 0) {
      values[i] = std::nan("");
    } else if (!is_exact_in_double(column.values.integer_at(static_cast<int64_t>(i)))) {
      raise<DataLoss>({.what = str("column '", column.name, "' holds null and ",
                                   column.values.integer_at(static_cast<int64_t>(i))),
                       .wanted = "integers that double precision holds, where some are null"});
    }
  }
  return numbers;
}

}  // namespace datasets
}  // namespace systolic::inline v0
