#include "systolic/train/model/summary.h"

#include <algorithm>
#include <array>
#include <regex>

#include "systolic/base/error.h"
#include "systolic/base/terminal.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace {

// The characters of one horizontal rule: left end, line, crossing, right end.
struct Rule {
  const char *left, *line, *cross, *right;
};
constexpr Rule top{"┏", "━", "┳", "┓"}, below_head{"┡", "━", "╇", "┩"}, between{"├", "─", "┼", "┤"},
    bottom{"└", "─", "┴", "┘"};

// Cells wrap; below this, a word of one letter would be a line of its own.
constexpr int narrowest = 40;

struct Column {
  std::string title;
  int width;  // of the text, without the blanks at its sides
  bool align_right = false;
};

std::string cell(const std::string& text, const Column& column) {
  const std::string blanks(static_cast<size_t>(column.width - columns_of(text)), ' ');
  return column.align_right ? blanks + text : text + blanks;
}

std::string rule_line(const std::vector<Column>& columns, const Rule& rule) {
  std::string line = rule.left;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) line += rule.cross;
    for (int k = 0; k < columns[i].width + 2; ++k) line += rule.line;
  }
  return line + rule.right + "\n";
}

// As many lines as the cell that needs the most.
std::string text_lines(const std::vector<Column>& columns, const std::vector<std::string>& texts,
                       const char* border) {
  std::vector<std::vector<std::string>> cells;
  size_t count = 0;
  for (size_t i = 0; i < columns.size(); ++i) {
    cells.push_back(wrapped_to_columns(texts[i], columns[i].width));
    count = std::max(count, cells.back().size());
  }
  std::string lines;
  for (size_t k = 0; k < count; ++k) {
    lines += border;
    for (size_t i = 0; i < columns.size(); ++i) {
      const std::string text = k < cells[i].size() ? cells[i][k] : "";
      lines += str(" ", cell(text, columns[i]), " ", border);
    }
    lines += "\n";
  }
  return lines;
}

std::string shapes_text(const SummaryRow& row) {
  if (row.output_shapes.empty()) return "?";
  std::vector<std::string> texts;
  for (const Shape& shape : row.output_shapes) texts.push_back(shape_text(shape));
  return texts.size() == 1 ? texts.front() : str("[", join(texts), "]");
}

// A plain chain needs no column that says what is connected to what.
bool is_chain(const std::vector<SummaryRow>& rows) {
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].connected_to.size() > 1) return false;
    if (i > 0 && !rows[i].connected_to.empty() &&
        rows[i].connected_to.front().rfind(rows[i - 1].name, 0) != 0) {
      return false;
    }
  }
  return true;
}

struct Shown {
  bool connections = false, trainable = false;
};

std::vector<Column> columns_for(int width, const Shown& shown) {
  std::vector<double> shares = shown.connections ? std::vector<double>{0.30, 0.25, 0.16, 0.29}
                                                 : std::vector<double>{0.45, 0.34, 0.21};
  std::vector<Column> columns{{"Layer (type)", 0}, {"Output Shape", 0}, {"Param #", 0, true}};
  if (shown.connections) columns.push_back({"Connected to", 0});
  int inner = width - static_cast<int>(columns.size()) * 3 - 1;
  constexpr int trainable_width = 9;
  if (shown.trainable) inner -= trainable_width + 3;
  int left = inner;
  for (size_t i = 0; i + 1 < columns.size(); ++i) {
    columns[i].width = static_cast<int>(inner * shares[i]);
    left -= columns[i].width;
  }
  columns.back().width = left;
  if (shown.trainable) columns.push_back({"Trainable", trainable_width});
  return columns;
}

struct Total {
  int64_t parameters = 0, bytes = 0;
};

Total total_of(const std::vector<Variable>& variables) {
  Total total;
  for (const Variable& variable : variables) {
    total.parameters += variable.size();
    total.bytes += variable.size() * byte_width(variable.dtype());
  }
  return total;
}

std::string total_line(std::string_view title, int64_t parameters, int64_t bytes) {
  return str(" ", title, ": ", with_commas(parameters), " (", bytes_text(bytes), ")\n");
}

// One of the rows, or "Y" in the last column.
std::vector<std::string> texts_of(const SummaryRow& row, const Shown& shown, int depth) {
  const std::string indent = depth == 0 ? "" : std::string(static_cast<size_t>(4 * depth - 2), ' ');
  std::vector<std::string> texts{str(indent, depth == 0 ? "" : "└ ", row.name, " (", row.kind, ")"),
                                 shapes_text(row), with_commas(row.parameters)};
  if (shown.connections) texts.push_back(row.connected_to.empty() ? "-" : join(row.connected_to));
  if (shown.trainable) {
    const bool weightless = row.parameters == 0;
    texts.emplace_back(weightless ? "-" : row.trainable ? "Y" : "N");
  }
  return texts;
}

void add_rows(std::string& text, const std::vector<SummaryRow>& rows,
              const std::vector<Column>& columns, const Shown& shown, bool expands, int depth) {
  for (const SummaryRow& row : rows) {
    if (!text.empty()) text += rule_line(columns, between);
    text += text_lines(columns, texts_of(row, shown, depth), "│");
    if (expands) add_rows(text, row.inside, columns, shown, expands, depth + 1);
  }
}

// Those from the first to the last that layer_range names.
std::vector<SummaryRow> rows_in_range(std::vector<SummaryRow> rows, const SummaryOptions& options,
                                      SourceLocation location) {
  if (!options.layer_range) return rows;
  const auto& [from, to] = *options.layer_range;
  const auto matches = [&](const std::string& pattern) {
    try {
      return [expression = std::regex(pattern)](const SummaryRow& row) {
        return std::regex_search(row.name, expression, std::regex_constants::match_continuous);
      };
    } catch (const std::regex_error& error) {
      raise<InvalidArgument>(
          {.what = str("summary: layer_range has '", pattern, "': ", error.what()),
           .wanted = "a layer's name, or a regular expression",
           .location = location});
    }
  };
  const auto first = std::find_if(rows.begin(), rows.end(), matches(from));
  const auto last = std::find_if(rows.rbegin(), rows.rend(), matches(to)).base();
  if (first < last) return {first, last};
  raise<InvalidArgument>({.what = str("summary: no layers from '", from, "' to '", to, "'"),
                          .wanted = "names of layers, in their order",
                          .location = location});
}

}  // namespace

std::string summary_table(const Network& network, const SummaryCounts& counts,
                          const SummaryOptions& options, SourceLocation location) {
  const std::vector<SummaryRow> rows = rows_in_range(network.summary_rows(), options, location);
  const Shown shown{.connections = !is_chain(rows), .trainable = options.show_trainable};
  const std::vector<Column> columns = columns_for(std::max(options.width, narrowest), shown);
  std::vector<std::string> titles;
  for (const Column& column : columns) titles.push_back(column.title);

  std::string text = str("Model: \"", network.name(), "\"\n", rule_line(columns, top));
  text += text_lines(columns, titles, "┃") + rule_line(columns, below_head);
  std::string body;
  add_rows(body, rows, columns, shown, options.expand_nested, 0);
  text += body;
  text += rule_line(columns, bottom);

  const Total trainable = total_of(network.trainable_variables());
  const Total fixed_ones = total_of(network.non_trainable_variables());
  text += total_line("Total params",
                     trainable.parameters + fixed_ones.parameters + counts.optimizer_parameters,
                     trainable.bytes + fixed_ones.bytes + counts.optimizer_bytes);
  text += total_line("Trainable params", trainable.parameters, trainable.bytes);
  text += total_line("Non-trainable params", fixed_ones.parameters, fixed_ones.bytes);
  if (counts.optimizer_parameters > 0) {
    text += total_line("Optimizer params", counts.optimizer_parameters, counts.optimizer_bytes);
  }
  return text;
}

}  // namespace systolic::inline v0
