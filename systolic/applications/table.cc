#include "systolic/applications/table.h"

#include "systolic/applications/applications.h"
#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace applications {
namespace {

struct Row {
  const char* name;
  Model (*make)(const ApplicationOptions& options);
  Preprocessing preprocessing;
};

constexpr Row rows[] = {
    {"Xception", Xception, Preprocessing::tf},
    {"VGG16", VGG16, Preprocessing::caffe},
    {"VGG19", VGG19, Preprocessing::caffe},
    {"ResNet50", ResNet50, Preprocessing::caffe},
    {"ResNet101", ResNet101, Preprocessing::caffe},
    {"ResNet152", ResNet152, Preprocessing::caffe},
    {"ResNet50V2", ResNet50V2, Preprocessing::tf},
    {"ResNet101V2", ResNet101V2, Preprocessing::tf},
    {"ResNet152V2", ResNet152V2, Preprocessing::tf},
    {"InceptionV3", InceptionV3, Preprocessing::tf},
    {"InceptionResNetV2", InceptionResNetV2, Preprocessing::tf},
    {"MobileNet", MobileNet, Preprocessing::tf},
    {"MobileNetV2", MobileNetV2, Preprocessing::tf},
    {"MobileNetV3Small", MobileNetV3Small, Preprocessing::none},
    {"MobileNetV3Large", MobileNetV3Large, Preprocessing::none},
    {"DenseNet121", DenseNet121, Preprocessing::torch},
    {"DenseNet169", DenseNet169, Preprocessing::torch},
    {"DenseNet201", DenseNet201, Preprocessing::torch},
    {"NASNetMobile", NASNetMobile, Preprocessing::tf},
    {"NASNetLarge", NASNetLarge, Preprocessing::tf},
    {"EfficientNetB0", EfficientNetB0, Preprocessing::none},
    {"EfficientNetB1", EfficientNetB1, Preprocessing::none},
    {"EfficientNetB2", EfficientNetB2, Preprocessing::none},
    {"EfficientNetB3", EfficientNetB3, Preprocessing::none},
    {"EfficientNetB4", EfficientNetB4, Preprocessing::none},
    {"EfficientNetB5", EfficientNetB5, Preprocessing::none},
    {"EfficientNetB6", EfficientNetB6, Preprocessing::none},
    {"EfficientNetB7", EfficientNetB7, Preprocessing::none},
    {"EfficientNetV2B0", EfficientNetV2B0, Preprocessing::none},
    {"EfficientNetV2B1", EfficientNetV2B1, Preprocessing::none},
    {"EfficientNetV2B2", EfficientNetV2B2, Preprocessing::none},
    {"EfficientNetV2B3", EfficientNetV2B3, Preprocessing::none},
    {"EfficientNetV2S", EfficientNetV2S, Preprocessing::none},
    {"EfficientNetV2M", EfficientNetV2M, Preprocessing::none},
    {"EfficientNetV2L", EfficientNetV2L, Preprocessing::none},
    {"ConvNeXtTiny", ConvNeXtTiny, Preprocessing::none},
    {"ConvNeXtSmall", ConvNeXtSmall, Preprocessing::none},
    {"ConvNeXtBase", ConvNeXtBase, Preprocessing::none},
    {"ConvNeXtLarge", ConvNeXtLarge, Preprocessing::none},
    {"ConvNeXtXLarge", ConvNeXtXLarge, Preprocessing::none},
};

const Row& row_of(std::string_view name, SourceLocation location) {
  for (const Row& row : rows) {
    if (name == row.name) return row;
  }
  raise<NotFound>({.what = str("no application '", name, "'"),
                   .wanted = join(application_names()),
                   .location = location});
}

}  // namespace

Model application(std::string_view name, const ApplicationOptions& options) {
  return row_of(name, options.location).make(options);
}

std::vector<std::string> application_names() {
  std::vector<std::string> names;
  for (const Row& row : rows) names.emplace_back(row.name);
  return names;
}

Preprocessing preprocessing_of(std::string_view application, SourceLocation location) {
  return row_of(application, location).preprocessing;
}

}  // namespace applications
}  // namespace systolic::inline v0
