"""jax.debug.inspect_array_sharding in programs over several devices.

JAX gives XLA's partitioner the address of a function to call. Here the program gets a number in its place, the compiled
program's HLO says how that array lies, and the function is called when the program has been compiled.
"""

import functools
import itertools
import re
import weakref

QUESTION = re.compile(r'custom_call_target="InspectSharding".*?sharding=(\{.*?\}+).*?backend_config="?systolic-(\d+)"?')


class _Numbers:
    """Stands for jaxlib's module where JAX encodes a function."""

    def __init__(self, module):
        self.module = module
        self.functions = weakref.WeakValueDictionary()  # JAX keeps them as long as the program
        self.count = itertools.count()

    def __getattr__(self, name):
        return getattr(self.module, name)

    def encode_inspect_sharding_callback(self, function):
        number = next(self.count)
        self.functions[number] = function
        return f"systolic-{number}".encode()


def _answer(executable, numbers):
    for module in executable.hlo_modules():
        for sharding, number in QUESTION.findall(module.to_string()):
            function = numbers.functions.get(int(number))
            if function is not None:
                function(numbers.module.HloSharding.from_string(sharding))


def answer_after_compiling(platform):
    from jax._src import compiler, debugging
    from jax._src.interpreters import mlir

    numbers = _Numbers(debugging.xc)
    write = mlir._lowerings[debugging.inspect_sharding_p].rule

    def write_question(ctx, *values, **options):
        debugging.xc = numbers
        try:
            return write(ctx, *values, **options)
        finally:
            debugging.xc = numbers.module

    mlir.register_lowering(debugging.inspect_sharding_p, write_question, platform=platform)
    compile_and_load = compiler.backend_compile_and_load

    @functools.wraps(compile_and_load)
    def compile_and_answer(backend, *others, **options):
        executable = compile_and_load(backend, *others, **options)
        if backend.platform == platform and numbers.functions:
            _answer(executable, numbers)
        return executable

    compiler.backend_compile_and_load = compile_and_answer
