// Prints arrays as NumPy 2 does with its default options: 8 digits, 75 columns, long arrays
// shortened to 3 at each end.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/core/convert.h"
#include "systolic/core/literal.h"

namespace systolic::inline v0 {
namespace {

constexpr int64_t summary_threshold = 1000;
constexpr int64_t edge_items = 3;
constexpr size_t line_width = 75;
constexpr int digits_after_point = 8;

std::string chars_of(double value, std::chars_format format, int precision) {
  std::array<char, 512> buffer{};
  auto result =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format, precision);
  return {buffer.data(), result.ptr};
}

template <class T>
std::string shortest(T value, std::chars_format format) {
  std::array<char, 512> buffer{};
  if constexpr (is_small_float<T>) {
    for (int digits = 0; digits < 12; ++digits) {
      const std::string text = chars_of(value, std::chars_format::scientific, digits);
      double back = 0;
      std::from_chars(text.data(), text.data() + text.size(), back);
      if (T(round_to_odd(back)).bits != value.bits) continue;
      return shortest(back, format);
    }
    return chars_of(value, format, 12);
  } else {
    auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format);
    return {buffer.data(), result.ptr};
  }
}

// Drops zeros at the end of the fraction but keeps (or adds) the point: "1.500" -> "1.5", "2" ->
// "2.".
std::string trim_zeros(std::string text) {
  if (text.find('.') == std::string::npos) return text + '.';
  return text.substr(0, text.find_last_not_of('0') + 1);
}

// "1.5" and "e+06" of "1.5e+06".
struct Scientific {
  std::string number;
  std::string exponent;
};

// The shortest digits that read back as `value`, but at most 8 after the point.
template <class T>
std::string positional(T value) {
  std::string text = trim_zeros(shortest(value, std::chars_format::fixed));
  if (text.size() - text.find('.') - 1 > digits_after_point) {
    text = trim_zeros(chars_of(value, std::chars_format::fixed, digits_after_point));
  }
  return text;
}

template <class T>
Scientific scientific(T value, int most_digits) {
  std::string text = shortest(value, std::chars_format::scientific);
  size_t e = text.find('e');
  if (e > text.find('.') + static_cast<size_t>(most_digits) + 1 && text.find('.') < e) {
    text = chars_of(value, std::chars_format::scientific, most_digits);
    e = text.find('e');
  }
  return {trim_zeros(text.substr(0, e)), text.substr(e)};
}

std::string special(double value) {
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

std::string padded_left(const std::string& text, size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}
std::string padded_right(std::string text, size_t width, char fill) {
  if (text.size() < width) text.append(width - text.size(), fill);
  return text;
}

// From where on NumPy writes an exponent: a power of ten that the type's own precision bounds.
template <class T>
constexpr double largest_positional(bool scalar) {
  if (std::is_same_v<T, double>) return scalar ? 1e16 : 1e8;
  return std::is_same_v<T, float16> ? 1e3 : 1e6;
}

// How all floats of one array are written: common widths left and right of the point.
template <class T>
class FloatColumn {
 public:
  explicit FloatColumn(const std::vector<T>& values) {
    choose_notation(values);
    bool any_special = false;
    size_t special_width = 0;
    for (T value : values) {
      if (!std::isfinite(static_cast<double>(value))) {
        any_special = true;
        special_width = std::max(special_width, special(value).size());
        continue;
      }
      measure(value);
    }
    if (any_special) left_ = std::max(left_, special_width - std::min(special_width, right() + 1));
  }

  std::string text(T value) const {
    if (!std::isfinite(static_cast<double>(value))) {
      return padded_left(special(value), left_ + right() + 1);
    }
    if (!exponent_) {
      const std::string digits = positional(value);
      const size_t point = digits.find('.');
      return padded_left(digits.substr(0, point), left_) +
             padded_right(digits.substr(point), fraction_ + 1, ' ');
    }
    const Scientific parts = scientific(value, digits_after_point);
    const size_t point = parts.number.find('.');
    return padded_left(parts.number.substr(0, point), left_) +
           padded_right(parts.number.substr(point), fraction_ + 1, '0') + wide_exponent(parts);
  }

 private:
  void choose_notation(const std::vector<T>& values) {
    double most = 0, least = INFINITY;
    for (T value : values) {
      const double size = std::fabs(static_cast<double>(value));
      if (size == 0 || !std::isfinite(size)) continue;
      most = std::max(most, size);
      least = std::min(least, size);
    }
    exponent_ =
        most > 0 && (most >= largest_positional<T>(false) || least < 1e-4 || most / least > 1000);
  }

  void measure(T value) {
    std::string number;
    if (exponent_) {
      Scientific parts = scientific(value, digits_after_point);
      exponent_width_ = std::max(exponent_width_, parts.exponent.size());
      number = std::move(parts.number);
    } else {
      number = positional(value);
    }
    left_ = std::max(left_, number.find('.'));
    fraction_ = std::max(fraction_, number.size() - number.find('.') - 1);
  }

  std::string wide_exponent(const Scientific& parts) const {
    const size_t missing = exponent_width_ - std::min(exponent_width_, parts.exponent.size());
    return parts.exponent.substr(0, 2) + std::string(missing, '0') + parts.exponent.substr(2);
  }
  size_t right() const { return fraction_ + exponent_width_; }

  bool exponent_ = false;
  size_t left_ = 0, fraction_ = 0, exponent_width_ = 0;
};

// A number on its own: "22.0", "1e-05".
template <class T>
std::string scalar_text(T value) {
  const double number = static_cast<double>(value);
  if (!std::isfinite(number)) return special(number);
  const double size = std::fabs(number);
  if (size != 0 && (size >= largest_positional<T>(true) || size < 1e-4)) {
    Scientific parts = scientific(value, 17);
    if (parts.number.back() == '.') parts.number.pop_back();
    return parts.number + parts.exponent;
  }
  std::string text = trim_zeros(shortest(value, std::chars_format::fixed));
  return text.back() == '.' ? text + '0' : text;
}

std::string quoted(std::string_view bytes) {
  const bool has_single = bytes.find('\'') != std::string_view::npos;
  const bool has_double = bytes.find('"') != std::string_view::npos;
  const char quote = has_single && !has_double ? '"' : '\'';
  std::string result{'b', quote};
  for (const char c : bytes) {
    constexpr std::string_view hex = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    if (c == quote || c == '\\') {
      (result += '\\') += c;
    } else if (c == '\n' || c == '\r' || c == '\t') {
      (result += '\\') += c == '\n' ? 'n' : c == '\r' ? 'r' : 't';
    } else if (byte < 0x20 || byte >= 0x7f) {
      ((result += "\\x") += hex[byte >> 4]) += hex[byte & 15];
    } else {
      result += c;
    }
  }
  return result + quote;
}

// Imaginary parts carry their sign and a "j" after the digits: "1.+2.j".
template <class T>
std::vector<std::string> complex_column(const std::vector<std::complex<T>>& values) {
  std::vector<T> real, imaginary;
  for (const auto& value : values) {
    real.push_back(value.real());
    imaginary.push_back(std::fabs(value.imag()));
  }
  const FloatColumn<T> real_column(real), imaginary_column(imaginary);
  std::vector<std::string> words;
  for (const auto& value : values) {
    std::string imaginary_text = imaginary_column.text(std::fabs(value.imag()));
    const size_t digits = imaginary_text.find_first_not_of(' ');
    const size_t end = imaginary_text.find_last_not_of(' ') + 1;
    const char sign = std::signbit(value.imag()) ? '-' : '+';
    words.push_back(real_column.text(value.real()) + std::string(digits, ' ') + sign +
                    imaginary_text.substr(digits, end - digits) + "j" +
                    std::string(imaginary_text.size() - end, ' '));
  }
  return words;
}

template <class T>
std::vector<std::string> number_words(const std::vector<T>& values) {
  std::vector<std::string> words;
  if constexpr (is_complex_type<T>) {
    return complex_column(values);
  } else if constexpr (std::is_floating_point_v<T> || is_small_float<T>) {
    const FloatColumn<T> column(values);
    for (T value : values) words.push_back(column.text(value));
  } else {
    size_t width = 0;
    for (T value : values) {
      words.push_back(std::is_same_v<T, bool> ? (value ? "True" : "False")
                                              : str(convert_element<int64_t>(value)));
      if constexpr (std::is_same_v<T, uint64_t>) words.back() = str(value);
      width = std::max(width, words.back().size());
    }
    for (std::string& word : words) word = padded_left(word, width);
  }
  return words;
}

template <class T>
std::string one_word(T value) {
  if constexpr (is_complex_type<T>) {
    const std::string imaginary = scalar_text(std::fabs(value.imag()));
    auto bare = [](std::string text) {
      return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
    };
    return str("(", bare(scalar_text(value.real())), std::signbit(value.imag()) ? '-' : '+',
               bare(imaginary), "j)");
  } else if constexpr (std::is_floating_point_v<T> || is_small_float<T>) {
    return scalar_text(value);
  } else {
    return number_words<T>({value}).front();
  }
}

// Lays the words of the shown elements out in brackets and lines.
class Layout {
 public:
  Layout(const Literal& literal, bool shortened) : literal_(literal), shortened_(shortened) {
    std::vector<int64_t> offsets;
    collect(0, 0, offsets);
    words_ = words_at(offsets);
  }

  std::string text() {
    next_ = 0;
    return block(0, " ", line_width);
  }

 private:
  bool cut(int axis) const { return shortened_ && literal_.shape()[axis] > 2 * edge_items; }

  // Row-major offsets of the elements that are shown.
  void collect(int axis, int64_t offset, std::vector<int64_t>& offsets) const {
    if (axis == literal_.rank()) {
      offsets.push_back(offset);
      return;
    }
    const int64_t size = literal_.shape()[axis];
    for (int64_t i = 0; i < size; ++i) {
      if (cut(axis) && i == edge_items) i = size - edge_items;
      collect(axis + 1, offset * size + i, offsets);
    }
  }

  std::vector<std::string> words_at(const std::vector<int64_t>& offsets) const {
    if (literal_.dtype() == DType::string) {
      std::vector<std::string> words;
      for (int64_t i : offsets) words.push_back(quoted(literal_.string_at(i)));
      return words;
    }
    return visit_dtype(literal_.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const auto data = literal_.data<T>();
      std::vector<T> shown;
      for (int64_t i : offsets) shown.push_back(data[static_cast<size_t>(i)]);
      return number_words(shown);
    });
  }

  std::string block(int axis, const std::string& indent, size_t width) {
    const int64_t size = literal_.shape()[axis];
    const std::string body = axis + 1 == literal_.rank() ? lines(size, cut(axis), indent, width)
                                                         : blocks(axis, size, indent, width);
    return "[" + body.substr(indent.size()) + "]";
  }

  std::string blocks(int axis, int64_t size, const std::string& indent, size_t width) {
    const std::string separator(static_cast<size_t>(literal_.rank() - axis - 1), '\n');
    std::string result;
    for (int64_t i = 0; i < size; ++i) {
      if (cut(axis) && i == edge_items) {
        result += indent + "..." + separator;
        i = size - edge_items;
      }
      result += indent + block(axis + 1, indent + ' ', width - 1);
      if (i + 1 < size) result += separator;
    }
    return result;
  }

  std::string lines(int64_t size, bool is_cut, const std::string& indent, size_t width) {
    std::string result, line = indent;
    auto extend = [&](const std::string& word) {
      if (line.size() + word.size() > width - 1 && line.size() > indent.size()) {
        result += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
        line = indent;
      }
      line += word;
    };
    for (int64_t i = 0; i < size; ++i) {
      if (is_cut && i == edge_items) {
        extend("...");
        line += ' ';
        i = size - edge_items;
      }
      extend(words_[next_++]);
      if (i + 1 < size) line += ' ';
    }
    return result + line;
  }

  const Literal& literal_;
  bool shortened_;
  std::vector<std::string> words_;
  size_t next_ = 0;
};

}  // namespace

std::string to_string(const Literal& literal) {
  if (literal.size() == 0) return "[]";
  if (literal.rank() > 0) return Layout(literal, literal.size() > summary_threshold).text();
  if (literal.dtype() == DType::string) return quoted(literal.bytes());
  return visit_dtype(literal.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    return one_word(literal.data<T>()[0]);
  });
}

}  // namespace systolic::inline v0
