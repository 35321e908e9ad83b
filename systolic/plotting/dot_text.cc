#include "systolic/plotting/dot_text.h"

#include "systolic/base/text.h"
#include "systolic/plotting/box_text.h"

namespace systolic::inline v0 {
namespace plotting {
namespace {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

std::string cell(const std::string& ground, const std::string& content) {
  return str("<tr><td bgcolor=\"", ground, "\">", content, "</td></tr>");
}

// A table: the layer in white on black, below it a line for each thing that is shown.
std::string label_of(const BoxText& text) {
  std::string title = "<b>" + escaped(text.name.empty() ? text.kind : text.name) + "</b>";
  if (!text.name.empty()) title += " (" + escaped(text.kind) + ")";
  std::string rows = cell("black", "<font point-size=\"16\" color=\"white\">" + title + "</font>");
  for (const BoxLine& line : text.lines) {
    std::string content = line.label.empty() ? "" : escaped(line.label) + ": ";
    content += "<b>" + escaped(line.value) + "</b>";
    if (!line.color.empty()) content = "<font color=\"white\">" + content + "</font>";
    rows += cell(line.color.empty() ? "white" : line.color, content);
  }
  return "<<table border=\"0\" cellborder=\"1\" cellspacing=\"0\" cellpadding=\"8\">" + rows +
         "</table>>";
}

class DotWriter {
 public:
  DotWriter(const Diagram& diagram, const ModelToDotOptions& options)
      : diagram_(diagram), options_(options) {}

  // The boxes of a frame and the frames in it.
  void add_frame(int frame, const std::string& indent) {
    for (size_t i = 0; i < diagram_.boxes.size(); ++i) {
      if (diagram_.boxes[i].frame != frame) continue;
      text_ += str(indent, "layer", i, " [label=", label_of(text_of(diagram_.boxes[i], options_)),
                   "];\n");
    }
    for (size_t i = 0; i < diagram_.frames.size(); ++i) {
      if (diagram_.frames[i].frame != frame) continue;
      text_ += str(indent, "subgraph cluster", i, " {\n", indent,
                   "  style=dashed; labeljust=l; label=", quoted(diagram_.frames[i].name), ";\n");
      add_frame(static_cast<int>(i), indent + "  ");
      text_ += indent + "}\n";
    }
  }
  void add_lines() {
    for (const auto& [from, to] : diagram_.lines)
      text_ += str("  layer", from, " -> layer", to, " [penwidth=2];\n");
  }
  const std::string& text() const { return text_; }

 private:
  const Diagram& diagram_;
  const ModelToDotOptions& options_;
  std::string text_;
};

}  // namespace

std::string dot_of(const Diagram& diagram, const std::string& name,
                   const ModelToDotOptions& options) {
  DotWriter writer(diagram, options);
  writer.add_frame(-1, "  ");
  writer.add_lines();
  return str("digraph ", quoted(name), " {\n  rankdir=", options.rankdir.name(),
             "; concentrate=true; splines=ortho;\n"
             "  node [shape=plaintext, fontname=Helvetica, margin=0];\n",
             writer.text(), "}\n");
}

}  // namespace plotting
}  // namespace systolic::inline v0
