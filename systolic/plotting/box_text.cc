#include "systolic/plotting/box_text.h"

namespace systolic::inline v0 {
namespace plotting {
namespace {

// "(None, 4)", or "[(None, 4), (None, 3)]" of several; "?" of none.
template <class Items, class Text>
std::string list_text(const Items& items, Text&& text_of_one) {
  if (items.empty()) return "?";
  if (items.size() == 1) return text_of_one(items[0]);
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "[" : ", ") + text_of_one(item);
  return text + "]";
}

}  // namespace

BoxText text_of(const DiagramBox& box, const ModelToDotOptions& options) {
  BoxText text{.name = options.show_layer_names ? box.name : "", .kind = box.kind, .lines = {}};
  const auto shape = [](const Shape& one) { return shape_text(one); };
  if (options.show_layer_activations && !box.activation.empty())
    text.lines.push_back({"Activation", box.activation});
  if (options.show_shapes && box.kind != "InputLayer")
    text.lines.push_back({"Input shape", list_text(box.inputs, shape)});
  if (options.show_shapes) text.lines.push_back({"Output shape", list_text(box.outputs, shape)});
  if (options.show_dtype) {
    const auto name = [](DType type) { return std::string(info(type).numpy_name); };
    text.lines.push_back({"Output dtype", list_text(box.output_types, name)});
  }
  if (options.show_trainable && box.has_weights) {
    text.lines.push_back(box.trainable ? BoxLine{"", "Trainable", "forestgreen"}
                                       : BoxLine{"", "Non-trainable", "firebrick"});
  }
  return text;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

}  // namespace plotting
}  // namespace systolic::inline v0
