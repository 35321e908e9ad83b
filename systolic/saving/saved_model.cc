#include "systolic/saving/saved_model.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/base/protobuf/message.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/make_folder.h"
#include "systolic/io/tensor_bundle/bundle_entry.h"
#include "systolic/saving/portable_program.h"
#include "systolic/stablehlo/print.h"
#include "systolic/train/model/model_access.h"
#include "systolic/train/weights/checkpoint_objects.h"

// Field numbers are those of tensorflow/core/protobuf: saved_model.proto, meta_graph.proto,
// saved_object_graph.proto, struct.proto; tensorflow/core/framework: function.proto, op_def.proto,
// node_def.proto, attr_value.proto, tensor_shape.proto.

namespace systolic::inline v0 {
namespace {

using protobuf::Message;

constexpr const char *function_name = "__inference_serve", *weight_list = "weights";
// Of XlaCallModule's attributes: sizes are filled in where the module says that it has free ones.
constexpr int64_t call_module_version = 9;
constexpr int64_t producer_version = 2000;  // of a GraphDef, TensorFlow 2.21's

enum class TensorflowType : int64_t { resource = 20 };

int64_t type_number(DType dtype) {
  const auto number = io::tensorflow_type_of(dtype);
  if (!number) raise<Unimplemented>({.what = str("TensorFlow has no type for ", dtype)});
  return static_cast<int64_t>(*number);
}

Message shape_message(const Shape& shape) {
  Message message;
  for (const int64_t size : shape) message.message(2, Message().integer(1, size));
  return message;
}

Message map_entry(std::string_view key, const Message& value) {
  return Message().bytes(1, key).message(2, value);
}

std::vector<NetworkPort> by_name(std::vector<NetworkPort> ports) {
  std::sort(ports.begin(), ports.end(),
            [](const NetworkPort& a, const NetworkPort& b) { return a.name < b.name; });
  return ports;
}

// What TensorFlow allows as the name of an argument.
std::string argument_name(const std::string& name) {
  std::string result;
  for (const char c : name) result += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  const bool starts_well =
      !result.empty() && std::isalpha(static_cast<unsigned char>(result[0])) != 0;
  return starts_well ? result : "x_" + result;
}

// The parts of a SavedModel for one model.
class SavedModelWriter {
 public:
  explicit SavedModelWriter(const Model& model)
      : inputs_(model.network().input_ports()), outputs_(model.network().output_ports()) {
    saving::PortableProgram portable = saving::any_batch_program(model);
    weights_ = std::move(portable.weights);
    module_ = stablehlo::program_text(portable.program);
  }

  std::string bytes() const {
    const Message info = Message().bytes(4, "serve").bytes(5, "2.21.0");
    const Message graph = Message()
                              .message(4, Message().integer(1, producer_version))
                              .message(2, Message().message(1, function()));
    const Message meta_graph =
        Message().message(1, info).message(2, graph).message(7, object_graph());
    return Message().integer(1, 1).message(2, meta_graph).data();
  }

  void write_variables(const std::string& prefix, SourceLocation location) const {
    saving::CheckpointObjects objects;
    const size_t list = objects.add(objects.root(), weight_list);
    for (size_t i = 0; i < weights_.size(); ++i)
      objects.add_variable(list, str(i), weights_[i].variable);
    objects.write(prefix, location);
  }

 private:
  static std::string weight_argument(size_t i) { return str("weight_", i); }

  static Message node(const std::string& name, std::string_view op,
                      const std::vector<std::string>& inputs,
                      const std::vector<std::pair<std::string, Message>>& attributes) {
    Message message;
    message.bytes(1, name).bytes(2, op);
    for (const std::string& input : inputs) message.bytes(3, input);
    for (const auto& [key, value] : attributes) message.message(5, map_entry(key, value));
    return message;
  }
  static Message type_list(const std::vector<int64_t>& types) {
    return Message().message(1, Message().integers(6, types));
  }

  // The call of the module: its inputs in the model's order, then the weights.
  Message call() const {
    std::vector<std::string> arguments;
    std::vector<int64_t> types, result_types;
    for (const NetworkPort& port : inputs_) {
      arguments.push_back(argument_name(port.name));
      types.push_back(type_number(port.type.dtype));
    }
    for (size_t i = 0; i < weights_.size(); ++i) {
      arguments.push_back(str("read_", i, ":value:0"));
      types.push_back(type_number(weights_[i].variable.dtype()));
    }
    Message shapes;
    for (const NetworkPort& port : outputs_) {
      result_types.push_back(type_number(port.type.dtype));
      shapes.message(7, shape_message(port.type.shape));
    }
    return node("call", "XlaCallModule", arguments,
                {{"version", Message().integer(3, call_module_version)},
                 {"module", Message().bytes(2, module_)},
                 {"Sout", Message().message(1, shapes)},
                 {"Tout", type_list(result_types)},
                 {"Tin", type_list(types)},
                 // For one platform, as those of several have one more argument; any may run it.
                 {"platforms", Message().message(1, Message().bytes(2, "CPU"))},
                 {"disabled_checks", Message().message(1, Message().bytes(2, "platform"))}});
  }

  // FunctionDef.
  Message function() const {
    const auto argument = [](const std::string& name, int64_t type) {
      return Message().bytes(1, name).integer(3, type);
    };
    Message signature;
    signature.bytes(1, function_name);
    for (const NetworkPort& port : by_name(inputs_))
      signature.message(2, argument(argument_name(port.name), type_number(port.type.dtype)));
    for (size_t i = 0; i < weights_.size(); ++i)
      signature.message(
          2, argument(weight_argument(i), static_cast<int64_t>(TensorflowType::resource)));
    for (const NetworkPort& port : by_name(outputs_))
      signature.message(3, argument(argument_name(port.name), type_number(port.type.dtype)));
    signature.integer(17, 1);
    Message result;
    result.message(1, signature);
    for (size_t i = 0; i < weights_.size(); ++i) {
      const int64_t type = type_number(weights_[i].variable.dtype());
      result.message(3, node(str("read_", i), "ReadVariableOp", {weight_argument(i)},
                             {{"dtype", Message().integer(6, type)}}));
    }
    result.message(3, call());
    for (size_t i = 0; i < outputs_.size(); ++i) {
      result.message(
          4, Message().bytes(1, argument_name(outputs_[i].name)).bytes(2, str("call:output:", i)));
    }
    return result;
  }

  // StructuredValue of a dictionary of TensorSpecs.
  static Message specs(const std::vector<NetworkPort>& ports) {
    Message fields;
    for (const NetworkPort& port : ports) {
      const Message spec = Message()
                               .bytes(1, argument_name(port.name))
                               .message(2, shape_message(port.type.shape))
                               .integer(3, type_number(port.type.dtype));
      fields.message(1, map_entry(argument_name(port.name), Message().message(33, spec)));
    }
    return Message().message(53, fields);
  }

  static Message child(std::string_view name, size_t object) {
    return Message().integer(1, static_cast<int64_t>(object)).bytes(2, name);
  }
  static Message user_object(std::string_view identifier) {
    const Message version = Message().integer(1, 1).integer(2, 1);
    return Message().bytes(1, identifier).message(2, version);
  }

  // SavedObjectGraph: the root, the list of weights, the function, the signatures, the weights.
  Message object_graph() const {
    constexpr size_t list = 1, serve = 2, signatures = 3, first_weight = 4;
    Message graph, weights, bound, keywords;
    graph.message(1, Message()
                         .message(1, child(weight_list, list))
                         .message(1, child("serve", serve))
                         .message(1, child("signatures", signatures))
                         .message(4, user_object("_generic_user_object")));
    std::vector<int64_t> bound_inputs;
    for (size_t i = 0; i < weights_.size(); ++i) {
      weights.message(1, child(str(i), first_weight + i));
      bound_inputs.push_back(static_cast<int64_t>(first_weight + i));
    }
    graph.message(1, weights.message(4, user_object("trackable_list_wrapper")));
    keywords.bytes(1, function_name);
    for (const NetworkPort& port : by_name(inputs_)) keywords.bytes(2, argument_name(port.name));
    keywords.integer(3, static_cast<int64_t>(inputs_.size()));
    graph.message(1, Message().message(8, keywords));
    graph.message(1, Message()
                         .message(1, child("serving_default", serve))
                         .message(4, user_object("signature_map")));
    for (const NamedVariable& weight : weights_) {
      graph.message(1, Message().message(7, Message()
                                                .integer(1, type_number(weight.variable.dtype()))
                                                .message(2, shape_message(weight.variable.shape()))
                                                .integer(3, weight.variable.trainable() ? 1 : 0)
                                                .bytes(6, weight.path)));
    }
    const Message no_arguments = Message().message(52, Message());
    const Message signature =
        Message().message(52, Message().message(1, no_arguments).message(1, specs(inputs_)));
    graph.message(
        2,
        map_entry(
            function_name,
            Message().integers(2, bound_inputs).message(3, signature).message(4, specs(outputs_))));
    return graph;
  }

  std::vector<NetworkPort> inputs_, outputs_;
  std::vector<NamedVariable> weights_;
  std::string module_;
};

}  // namespace

void export_saved_model(const Model& model, const std::string& folder, SourceLocation location) {
  const ErrorScope scope("export_saved_model", location);
  if (!model.network().built()) {
    raise<FailedPrecondition>({.what = "a model whose shapes are not known yet",
                               .hint = "begin it with an Input layer, or call it once"});
  }
  const ModelView held = view_of(model);
  const SavedModelWriter writer(model);
  const std::string bytes = writer.bytes();
  io::make_folder(folder + "/variables", location);
  writer.write_variables(folder + "/variables/variables", location);
  io::write_file(folder + "/saved_model.pb", bytes, location);
}

}  // namespace systolic::inline v0
