// The convnets of keras.applications, with their weights (https://keras.io/api/applications).
//
//   Model model = applications::ResNet50();                        // ImageNet's weights
//   Tensor x = applications::preprocess_input("ResNet50", images); // [batch, 224, 224, 3], 0 to
//   255 auto best = applications::decode_predictions(model.predict(x), {.top = 3});
//
//   Model features = applications::Xception({.include_top = false, .input_shape = {192, 192, 3},
//                                            .pooling = "avg"});
//   features.set_trainable(false);
//
// Layers, their names, weights and outputs are those of Keras 3.15: a file of weights that Keras
// wrote can be loaded, and Keras loads what is saved here. A picture smaller than the
// architecture's least size, another number of classes than the file of weights has, and an
// option of another architecture are an InvalidArgument.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "systolic/applications/application_options.h"
#include "systolic/train/model/model.h"

namespace systolic::inline v0 {
namespace applications {

// Chollet 2017: "Xception: Deep learning with depthwise separable convolutions". 299, at least 71.
Model Xception(const ApplicationOptions& options = {});

// Simonyan, Zisserman 2015: "Very deep convolutional networks". 224, at least 32.
Model VGG16(const ApplicationOptions& options = {});
Model VGG19(const ApplicationOptions& options = {});

// He et al. 2016: "Deep residual learning", "Identity mappings". 224, at least 32.
Model ResNet50(const ApplicationOptions& options = {});
Model ResNet101(const ApplicationOptions& options = {});
Model ResNet152(const ApplicationOptions& options = {});
Model ResNet50V2(const ApplicationOptions& options = {});
Model ResNet101V2(const ApplicationOptions& options = {});
Model ResNet152V2(const ApplicationOptions& options = {});

// Szegedy et al. 2016, 2017. 299, at least 75.
Model InceptionV3(const ApplicationOptions& options = {});
Model InceptionResNetV2(const ApplicationOptions& options = {});

// Howard et al. 2017, 2019, Sandler et al. 2018. 224, at least 32.
Model MobileNet(const ApplicationOptions& options = {});
Model MobileNetV2(const ApplicationOptions& options = {});
Model MobileNetV3Small(const ApplicationOptions& options = {});
Model MobileNetV3Large(const ApplicationOptions& options = {});

// Huang et al. 2017: "Densely connected convolutional networks". 224, at least 32.
Model DenseNet121(const ApplicationOptions& options = {});
Model DenseNet169(const ApplicationOptions& options = {});
Model DenseNet201(const ApplicationOptions& options = {});

// Zoph et al. 2018: "Learning transferable architectures". 224 and 331, at least 32.
Model NASNetMobile(const ApplicationOptions& options = {});
Model NASNetLarge(const ApplicationOptions& options = {});

// Tan, Le 2019: "EfficientNet". 224, 240, 260, 300, 380, 456, 528, 600, at least 32. They take
// bytes' values, 0 to 255.
Model EfficientNetB0(const ApplicationOptions& options = {});
Model EfficientNetB1(const ApplicationOptions& options = {});
Model EfficientNetB2(const ApplicationOptions& options = {});
Model EfficientNetB3(const ApplicationOptions& options = {});
Model EfficientNetB4(const ApplicationOptions& options = {});
Model EfficientNetB5(const ApplicationOptions& options = {});
Model EfficientNetB6(const ApplicationOptions& options = {});
Model EfficientNetB7(const ApplicationOptions& options = {});

// Tan, Le 2021: "EfficientNetV2". 224, 240, 260, 300, 384, 480, 480, at least 32.
Model EfficientNetV2B0(const ApplicationOptions& options = {});
Model EfficientNetV2B1(const ApplicationOptions& options = {});
Model EfficientNetV2B2(const ApplicationOptions& options = {});
Model EfficientNetV2B3(const ApplicationOptions& options = {});
Model EfficientNetV2S(const ApplicationOptions& options = {});
Model EfficientNetV2M(const ApplicationOptions& options = {});
Model EfficientNetV2L(const ApplicationOptions& options = {});

// Liu et al. 2022: "A ConvNet for the 2020s". 224, at least 32.
Model ConvNeXtTiny(const ApplicationOptions& options = {});
Model ConvNeXtSmall(const ApplicationOptions& options = {});
Model ConvNeXtBase(const ApplicationOptions& options = {});
Model ConvNeXtLarge(const ApplicationOptions& options = {});
Model ConvNeXtXLarge(const ApplicationOptions& options = {});

// One of them by its name: application("ResNet50", {.weights = ""}). An unknown name is a NotFound
// that lists those there are.
Model application(std::string_view name, const ApplicationOptions& options = {});

// The names of all of them, in the order above.
std::vector<std::string> application_names();

}  // namespace applications
}  // namespace systolic::inline v0
