#include "systolic/train/model/summary.h"

#include <algorithm>
#include <array>

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

std::vector<Column> columns_for(int width, bool with_connections) {
  std::vector<double> shares = with_connections ? std::vector<double>{0.30, 0.25, 0.16, 0.29}
                                                : std::vector<double>{0.45, 0.34, 0.21};
  std::vector<Column> columns{{"Layer (type)", 0}, {"Output Shape", 0}, {"Param #", 0, true}};
  if (with_connections) columns.push_back({"Connected to", 0});
  const int inner = width - static_cast<int>(columns.size()) * 3 - 1;
  int left = inner;
  for (size_t i = 0; i + 1 < columns.size(); ++i) {
    columns[i].width = static_cast<int>(inner * shares[i]);
    left -= columns[i].width;
  }
  columns.back().width = left;
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

}  // namespace

std::string summary_table(const Network& network, const SummaryCounts& counts, int width) {
  const std::vector<SummaryRow> rows = network.summary_rows();
  const bool chain = is_chain(rows);
  const std::vector<Column> columns = columns_for(std::max(width, narrowest), !chain);
  std::vector<std::string> titles;
  for (const Column& column : columns) titles.push_back(column.title);

  std::string text = str("Model: \"", network.name(), "\"\n", rule_line(columns, top));
  text += text_lines(columns, titles, "┃") + rule_line(columns, below_head);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i > 0) text += rule_line(columns, between);
    std::vector<std::string> texts{str(rows[i].name, " (", rows[i].kind, ")"), shapes_text(rows[i]),
                                   with_commas(rows[i].parameters)};
    if (!chain) texts.push_back(rows[i].connected_to.empty() ? "-" : join(rows[i].connected_to));
    text += text_lines(columns, texts, "│");
  }
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
