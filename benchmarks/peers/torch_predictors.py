"""One prediction by PyTorch, ONNX Runtime or OpenVINO, which get the network from PyTorch."""
import os
import tempfile

import torch


def by_openvino(model, inputs):
    import openvino
    options = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"}
    network = openvino.convert_model(model, example_input=inputs)
    request = openvino.compile_model(network, "CPU", options).create_infer_request()
    arrays = [each.numpy() for each in inputs]
    return lambda: request.infer(arrays)


def by_onnxruntime(model, inputs):
    import onnxruntime
    names = [f"x{i}" for i in range(len(inputs))]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "network.onnx")
        torch.onnx.export(model, inputs, path, input_names=names)
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    arrays = {name: each.numpy() for name, each in zip(names, inputs)}
    return lambda: session.run(None, arrays)


def by_torch(model, inputs):
    traced = torch.jit.freeze(torch.jit.trace(model, inputs))

    def predict():
        with torch.inference_mode():
            return traced(*inputs)
    return predict


PREDICTORS = {"predict": by_torch, "onnxruntime": by_onnxruntime, "openvino": by_openvino}
