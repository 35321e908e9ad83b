"""Step times of Keras's model.fit: those between the ends of successive batches inside one fit, which is what a user sees."""
import time

import keras


class StepTimes(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.ends = []

    def on_train_batch_end(self, batch, logs=None):
        self.ends.append(time.perf_counter())

    def after(self, warm_up):
        """Milliseconds of each step after the warm-up."""
        return [1e3 * (b - a) for a, b in zip(self.ends, self.ends[1:])][warm_up - 1:]
