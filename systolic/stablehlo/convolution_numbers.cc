#include "systolic/stablehlo/convolution_numbers.h"

#include "systolic/base/text.h"
#include "systolic/stablehlo/text_reader.h"

namespace systolic::inline v0 {
namespace stablehlo {

namespace {

// "[b, 0, 1, f]"
ConvolutionLayout read_layout(TextReader& reader, std::string_view first, std::string_view second) {
  std::vector<std::string_view> parts;
  reader.expect("[");
  if (!reader.accept("]")) {
    do parts.push_back(reader.word());
    while (reader.accept(","));
    reader.expect("]");
  }
  ConvolutionLayout layout;
  layout.spatial.assign(parts.size() < 2 ? 0 : parts.size() - 2, -1);
  for (size_t axis = 0; axis < parts.size(); ++axis) {
    int64_t number = 0;
    if (parts[axis] == first) {
      layout.first = static_cast<int64_t>(axis);
    } else if (parts[axis] == second) {
      layout.second = static_cast<int64_t>(axis);
    } else if (parse_number(parts[axis], number) && number >= 0 &&
               number < static_cast<int64_t>(layout.spatial.size())) {
      layout.spatial[static_cast<size_t>(number)] = static_cast<int64_t>(axis);
    } else {
      reader.fail(str(first, ", ", second, " or one of ", layout.spatial.size(), " axes"));
    }
  }
  return layout;
}

// "raw input_batch_dimension = 0, input_spatial_dimensions = [1, 2], ..."
void read_raw(TextReader& reader, ConvolutionNumbers& numbers) {
  struct Field {
    std::string_view name;
    int64_t* axis;
    std::vector<int64_t>* axes;
  };
  const Field fields[] = {
      {"input_batch_dimension", &numbers.input.first, nullptr},
      {"input_feature_dimension", &numbers.input.second, nullptr},
      {"input_spatial_dimensions", nullptr, &numbers.input.spatial},
      {"kernel_input_feature_dimension", &numbers.kernel.first, nullptr},
      {"kernel_output_feature_dimension", &numbers.kernel.second, nullptr},
      {"kernel_spatial_dimensions", nullptr, &numbers.kernel.spatial},
      {"output_batch_dimension", &numbers.output.first, nullptr},
      {"output_feature_dimension", &numbers.output.second, nullptr},
      {"output_spatial_dimensions", nullptr, &numbers.output.spatial},
  };
  while (!reader.accept(">")) {
    const std::string_view name = reader.word();
    const Field* found = nullptr;
    for (const Field& field : fields) {
      if (field.name == name) found = &field;
    }
    if (found == nullptr) reader.fail("input_batch_dimension or another such axis");
    reader.expect("=");
    if (found->axis != nullptr) {
      *found->axis = reader.integer();
    } else {
      *found->axes = reader.integers();
    }
    if (!reader.accept(",") && !reader.next_is(">")) reader.fail("',' or '>'");
  }
}

}  // namespace

ConvolutionNumbers read_convolution_numbers(const Program& program, const Attribute& attribute) {
  TextReader reader(program, attribute.text, attribute.offset, "dimension_numbers");
  ConvolutionNumbers numbers;
  reader.expect("#stablehlo.conv<");
  if (reader.accept("raw")) {
    read_raw(reader, numbers);
    return numbers;
  }
  numbers.input = read_layout(reader, "b", "f");
  reader.expect("x");
  numbers.kernel = read_layout(reader, "i", "o");
  reader.expect("->");
  numbers.output = read_layout(reader, "b", "f");
  reader.expect(">");
  return numbers;
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
