"""The numbers that systolic/image/augment/draws.h draws, written a second time."""
import math

MASK = 2**64 - 1
STEP = 0x9e3779b97f4a7c15


def mix_bits(x):
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9 & MASK
    x = (x ^ x >> 27) * 0x94d049bb133111eb & MASK
    return x ^ x >> 31


def splitmix64(state):
    return mix_bits(state + STEP & MASK)


def function_seed(seed, function):
    """By FNV-1a of the function's name."""
    code = 0xcbf29ce484222325
    for byte in function.encode():
        code = (code ^ byte) * 0x100000001b3 & MASK
    return mix_bits(splitmix64(seed) + code & MASK)


class Draws:
    def __init__(self, seed):
        self.state = mix_bits(seed)

    def bits(self):
        self.state = self.state + STEP & MASK
        return mix_bits(self.state)

    def uniform(self, low=0.0, high=1.0):
        return low + (high - low) * ((self.bits() >> 11) * 2.0**-53)

    def below(self, size):
        return self.bits() * size >> 64

    def coin(self):
        return self.bits() >> 63 != 0

    def normal(self):
        radius = math.sqrt(-2 * math.log(1 - self.uniform()))
        return radius * math.cos(2 * math.pi * self.uniform())

    def gamma(self, shape):
        if shape < 1:
            larger = self.gamma(shape + 1)
            return larger * (1 - self.uniform()) ** (1 / shape)
        d = shape - 1.0 / 3
        c = 1 / math.sqrt(9 * d)
        while True:
            x = self.normal()
            v = (1 + c * x) ** 3
            if v > 0 and math.log(1 - self.uniform()) < 0.5 * x * x + d - d * v + d * math.log(v):
                return d * v

    def beta(self, a, b):
        x = self.gamma(a)
        y = self.gamma(b)
        return x / (x + y)
