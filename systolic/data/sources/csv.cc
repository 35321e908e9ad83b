// csv: tf.data.experimental.CsvDataset. Fields as RFC 4180 has them: quoted ones may hold
// delimiters, line ends, and quotes doubled.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/sources/byte_stream.h"
#include "systolic/data/sources/file_source.h"

namespace systolic::inline v0 {
namespace data {
namespace {

bool known_type(DType dtype) {
  return dtype == DType::i32 || dtype == DType::i64 || dtype == DType::f32 || dtype == DType::f64 ||
         dtype == DType::string;
}

// Without the space around it and a leading "+".
std::string_view number_text(std::string_view text) {
  const auto space = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && space(text.front())) text.remove_prefix(1);
  while (!text.empty() && space(text.back())) text.remove_suffix(1);
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  return text;
}

template <class T>
std::optional<Literal> parse_as(std::string_view field) {
  const std::string_view text = number_text(field);
  T value{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return Literal::scalar<T>(value);
}

std::optional<Literal> parse_field(std::string_view field, DType dtype) {
  switch (dtype) {
    case DType::i32:
      return parse_as<int32_t>(field);
    case DType::i64:
      return parse_as<int64_t>(field);
    case DType::f32:
      return parse_as<float>(field);
    case DType::f64:
      return parse_as<double>(field);
    default:
      return Literal::scalar(field);
  }
}

class CsvReader : public RecordReader {
 public:
  CsvReader(const std::string& path, const std::vector<CsvColumn>& columns,
            const CsvOptions& options)
      : stream_(path, options.compression), columns_(columns), options_(options) {
    if (options.header && read_record()) {
      header_ = fields_;
      check_header();
    }
  }

  bool next(Example& element) override {
    if (!read_record()) return false;
    Example::Components parts;
    for (size_t c = 0; c < columns_.size(); ++c) {
      const int64_t at = position(c);
      if (at >= static_cast<int64_t>(fields_.size())) {
        damaged(str(fields_.size(), " fields"), str("column ", at, ", '", columns_[c].name, "'"),
                "select_cols counts the columns from 0");
      }
      parts.push_back({columns_[c].name, value(c, fields_[static_cast<size_t>(at)])});
    }
    if (options_.select_cols.empty() && fields_.size() != columns_.size())
      damaged(str(fields_.size(), " fields"), str(columns_.size()),
              "name every column of the file, or choose some with select_cols");
    element = Example(std::move(parts));
    return true;
  }
  size_t held_bytes() const override { return stream_.held_bytes(); }
  void set_read_ahead_room(io::ReadAheadRoom room) override {
    stream_.set_read_ahead_room(std::move(room));
  }

 private:
  [[noreturn]] void damaged(std::string what, std::string wanted, std::string hint = "") const {
    raise<InvalidArgument>({.what = str("'", stream_.path(), "', line ", record_line_, ": ", what),
                            .wanted = std::move(wanted),
                            .hint = std::move(hint)});
  }

  // Which field of a line the c-th column is.
  int64_t position(size_t c) const {
    return options_.select_cols.empty() ? static_cast<int64_t>(c) : options_.select_cols[c];
  }
  // What the header calls it; "" where there is none.
  std::string heading(size_t c) const {
    const auto at = static_cast<size_t>(position(c));
    return at < header_.size() ? header_[at] : "";
  }

  // Columns are taken by their place, under any names: but not under one that the header has
  // elsewhere, which would mix them up in silence.
  void check_header() const {
    for (size_t c = 0; c < columns_.size(); ++c) {
      const std::string& name = columns_[c].name;
      const auto named = std::find(header_.begin(), header_.end(), name);
      if (named == header_.end() || heading(c) == name) continue;
      damaged(str("column ", position(c), " is headed '", heading(c), "'"), str("'", name, "'"),
              str("columns are taken in order, and '", name, "' is column ",
                  named - header_.begin(), ": name them as the file does, or give select_cols"));
    }
  }

  Literal value(size_t c, const std::string& field) const {
    const CsvColumn& column = columns_[c];
    if (field.empty() || field == options_.na_value) {
      if (column.default_value) return *column.default_value;
      damaged(str("'", column.name, "' is missing"), "a value",
              "give the column a default_value for such fields");
    }
    if (auto parsed = parse_field(field, column.dtype)) return std::move(*parsed);
    std::string hint;
    if (record_line_ == 1 && !options_.header) {
      hint = "pass {.header = true} where the first line names the columns";
    } else if (!header_.empty() && heading(c) != column.name) {
      hint = str("columns are taken in order: the header calls this one '", heading(c), "'");
    }
    damaged(str("'", column.name, "' is '", field.substr(0, 100), "'"), to_string(column.dtype),
            hint);
  }

  // The fields of the next line that is not empty; false at the end.
  bool read_record() {
    while (stream_.peek() == '\n' || stream_.peek() == '\r') take();
    if (stream_.peek() == ByteStream::end) return false;
    record_line_ = line_;
    fields_.assign(1, "");
    size_t bytes = 0;
    for (;;) {
      const int byte = take();
      stream_.check_length(++bytes);
      if (byte == ByteStream::end || byte == '\n') break;
      if (byte == '"' && options_.use_quote_delim && fields_.back().empty()) {
        bytes += read_quoted();
      } else if (byte == options_.field_delim) {
        fields_.emplace_back();
      } else if (byte != '\r' || stream_.peek() != '\n') {
        fields_.back() += static_cast<char>(byte);
      }
    }
    return true;
  }

  size_t read_quoted() {
    std::string& field = fields_.back();
    for (;;) {
      const int byte = take();
      if (byte == ByteStream::end) damaged("a quoted field that does not end", "a '\"'");
      if (byte == '"' && stream_.peek() != '"') return field.size();
      if (byte == '"') take();
      field += static_cast<char>(byte);
      stream_.check_length(field.size());
    }
  }

  int take() {
    const int byte = stream_.get();
    if (byte == '\n') ++line_;
    return byte;
  }

  ByteStream stream_;
  const std::vector<CsvColumn>& columns_;
  const CsvOptions& options_;
  std::vector<std::string> fields_;
  std::vector<std::string> header_;  // the fields of the first line, where that is one
  int64_t line_ = 1, record_line_ = 1;
};

void check_columns(std::vector<CsvColumn>& columns, const CsvOptions& options,
                   SourceLocation location) {
  const bool fit = !columns.empty() &&
                   (options.select_cols.empty() || options.select_cols.size() == columns.size());
  const bool rising = std::all_of(options.select_cols.begin(), options.select_cols.end(),
                                  [](int64_t c) { return c >= 0; });
  if (!fit || !rising) {
    raise<InvalidArgument>({.what = str("csv with ", columns.size(), " columns and ",
                                        options.select_cols.size(), " select_cols"),
                            .wanted = "at least one column, and a number from 0 on for each",
                            .location = location});
  }
  for (CsvColumn& column : columns) {
    const bool good = known_type(column.dtype) &&
                      (!column.default_value || (column.default_value->rank() == 0 &&
                                                 (column.default_value->dtype() == DType::string) ==
                                                     (column.dtype == DType::string)));
    if (!good) {
      raise<InvalidArgument>(
          {.what = str("csv: column '", column.name, "' of ", column.dtype),
           .wanted = "i32, i64, f32, f64 or string, and a scalar default_value of this kind",
           .location = location});
    }
    if (column.default_value && column.dtype != DType::string)
      column.default_value = column.default_value->convert(column.dtype);
  }
}

}  // namespace

Dataset csv(Paths files, std::vector<CsvColumn> columns, CsvOptions options,
            SourceLocation location) {
  check_columns(columns, options, location);
  ElementSpec spec;
  for (const CsvColumn& column : columns) spec.push_back({column.name, Shape{}, column.dtype});
  // Shared, so that readers may point to them.
  const auto shared = std::make_shared<const std::pair<std::vector<CsvColumn>, CsvOptions>>(
      std::move(columns), std::move(options));
  return Dataset(make_file_source({.files = files.release(),
                                   .open =
                                       [shared](const std::string& path) {
                                         return std::make_unique<CsvReader>(path, shared->first,
                                                                            shared->second);
                                       },
                                   .spec = std::move(spec),
                                   .reading = "reading of CSV files"},
                                  "csv", location));
}

}  // namespace data
}  // namespace systolic::inline v0
