#include "systolic/applications/hub.h"

#include <algorithm>
#include <map>

#include "systolic/applications/applications.h"
#include "systolic/base/error.h"
#include "systolic/io/tensor_bundle/tensor_bundle.h"

namespace systolic::inline v0 {
namespace hub {
namespace {

// How many numbers an architecture has without its classifier, except counters.
struct Size {
  const char* application;
  int64_t numbers;
};

constexpr Size sizes[] = {
    {"Xception", 20861480},
    {"VGG16", 14714688},
    {"VGG19", 20024384},
    {"ResNet50", 23587712},
    {"ResNet101", 42658176},
    {"ResNet152", 58370944},
    {"ResNet50V2", 23564800},
    {"ResNet101V2", 42626560},
    {"ResNet152V2", 58331648},
    {"InceptionV3", 21802784},
    {"InceptionResNetV2", 54336736},
    {"MobileNet", 3228864},
    {"MobileNetV2", 2257984},
    {"MobileNetV3Small", 939120},
    {"MobileNetV3Large", 2996352},
    {"DenseNet121", 7037504},
    {"DenseNet169", 12642880},
    {"DenseNet201", 18321984},
    {"NASNetMobile", 4269716},
    {"NASNetLarge", 84916818},
    {"EfficientNetB0", 4049570},
    {"EfficientNetB1", 6575238},
    {"EfficientNetB2", 7768568},
    {"EfficientNetB3", 10783534},
    {"EfficientNetB4", 17673822},
    {"EfficientNetB5", 28513526},
    {"EfficientNetB6", 40960142},
    {"EfficientNetB7", 64097686},
    {"EfficientNetV2B0", 5919312},
    {"EfficientNetV2B1", 6931124},
    {"EfficientNetV2B2", 8769374},
    {"EfficientNetV2B3", 12930622},
    {"EfficientNetV2S", 20331360},
    {"EfficientNetV2M", 53150388},
    {"EfficientNetV2L", 117746848},
    {"ConvNeXtTiny", 27820128},
    {"ConvNeXtSmall", 49454688},
    {"ConvNeXtBase", 87566464},
    {"ConvNeXtLarge", 196230336},
    {"ConvNeXtXLarge", 348147968},
};

// What a folder's variables are: those of models, without an optimizer's.
struct FoundVariables {
  int64_t arrays = 0, numbers = 0;
  std::string first;
  Shape first_shape;
};

FoundVariables variables_in(const std::string& folder, SourceLocation location) {
  const auto bundle = io::open_tensor_bundle(folder + "/variables/variables", location);
  FoundVariables found;
  for (const io::TensorInfo& tensor : bundle->tensors()) {
    // Keras 3's export has each variable once more under "_all_variables/".
    const bool is_other = tensor.name.find("/.OPTIMIZER_SLOT/") != std::string::npos ||
                          tensor.name.starts_with("optimizer/") ||
                          tensor.name.starts_with("_all_variables/");
    if (is_other || !is_float(tensor.dtype)) continue;
    if (found.arrays++ == 0) {
      found.first = tensor.name;
      found.first_shape = tensor.shape;
    }
    found.numbers += tensor.shape.elements();
  }
  return found;
}

std::string application_of(const FoundVariables& found) {
  for (const Size& size : sizes)
    if (size.numbers == found.numbers) return size.application;
  return {};
}

}  // namespace

std::string architecture_in(const std::string& folder, SourceLocation location) {
  return application_of(variables_in(folder, location));
}

Layer KerasLayer(const std::string& folder, const KerasLayerOptions& options,
                 SourceLocation location) {
  const ErrorScope scope("hub::KerasLayer", location);
  const FoundVariables found = variables_in(folder, location);
  const std::string application = application_of(found);
  if (application.empty()) {
    raise<Unimplemented>(
        {.what = str("'", folder, "' holds ", found.arrays, " variables of ", found.numbers,
                     " numbers, the first of shape ", found.first_shape, " ('", found.first, "')"),
         .wanted = str("a feature vector of one of: ", join(applications::application_names())),
         .hint = "graphs of SavedModels are not run: make the layers here, and "
                 "model.load_weights(folder) fills them by their names",
         .location = location});
  }
  const Model model = applications::application(application, {.include_top = false,
                                                              .weights = folder,
                                                              .input_shape = options.input_shape,
                                                              .pooling = options.pooling,
                                                              .location = location});
  model.network().set_trainable(options.trainable);
  return model.network();
}

}  // namespace hub
}  // namespace systolic::inline v0
