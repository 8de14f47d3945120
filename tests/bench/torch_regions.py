"""Times of torch eager and Inductor for the regions of region_list.cpp, by the same names.

    python3 torch_regions.py [name …] > torch_regions.json

Each time is the median of CUDA-graph replays; the inputs are rotated through more memory than the L2 cache holds, so
that every replay reads from DRAM. Output: {"versions": {…}, "rows": [{"name", "eager_us", "inductor_us"}]}.
"""

import json
import statistics
import sys

import torch
import torch.nn.functional as F

ROTATED_BYTES = 256 << 20
REPLAYS = 30


def normal(shape, dtype, channels_last=False):
    tensor = torch.randn(shape, device="cuda", dtype=dtype)
    return tensor.to(memory_format=torch.channels_last) if channels_last else tensor


def layer_norm(rows, length):
    def make():
        return normal((rows, length), torch.bfloat16), normal((length,), torch.bfloat16), normal((length,), torch.bfloat16)

    return make, lambda x, scale, bias: F.layer_norm(x, (length,), scale, bias)


def add_rms_norm(rows, length):
    def make():
        matrix = (rows, length)
        return normal(matrix, torch.bfloat16), normal(matrix, torch.bfloat16), normal((length,), torch.bfloat16)

    def run(x, residual, scale):
        total = x + residual
        return total, F.rms_norm(total, (length,), scale, 1e-5)

    return make, run


def group_norm_silu(batch, channels, side):
    def make():
        return (normal((batch, channels, side, side), torch.float16, True), normal((channels,), torch.float16),
                normal((channels,), torch.float16))

    return make, lambda x, scale, bias: F.silu(F.group_norm(x, 32, scale, bias))


def batch_norm_training_relu(batch, channels, side):
    def make():
        vectors = [torch.rand(channels, device="cuda") for _ in range(4)]
        return normal((batch, channels, side, side), torch.float16, True), *vectors

    return make, lambda x, scale, bias, mean, variance: F.relu(F.batch_norm(x, mean, variance, scale, bias, True))


def unary(shape, dtype, channels_last, run):
    return lambda: (normal(shape, dtype, channels_last),), run


REGIONS = {
    "layer_norm.8192x4096": layer_norm(8192, 4096),
    "layer_norm.65536x768": layer_norm(65536, 768),
    "layer_norm.1576x768": layer_norm(1576, 768),
    "add_rms_norm.8192x4096": add_rms_norm(8192, 4096),
    "add_rms_norm.65536x768": add_rms_norm(65536, 768),
    "add_rms_norm.32x8192": add_rms_norm(32, 8192),
    "group_norm_silu.32x320x64": group_norm_silu(32, 320, 64),
    "group_norm_silu.2x320x64": group_norm_silu(2, 320, 64),
    "batch_norm_training_relu.256x256x56": batch_norm_training_relu(256, 256, 56),
    "batch_norm_training_relu.256x512x7": batch_norm_training_relu(256, 512, 7),
    "softmax.8192x4096": unary((8192, 4096), torch.bfloat16, False, lambda x: F.softmax(x, -1)),
    "max_pool.32x64x112": unary((32, 64, 112, 112), torch.float16, True, lambda x: F.max_pool2d(x, 3, 2, 1)),
    "global_average.256x2048x7": unary((256, 2048, 7, 7), torch.float16, True, lambda x: x.mean((2, 3), keepdim=True)),
    "column_sum.65536x1024": unary((65536, 1024), torch.float16, False, lambda x: x.sum(0)),
    "bias_gelu.8192x16384": (lambda: (normal((8192, 16384), torch.float16), normal((16384,), torch.float16)),
                             lambda x, bias: F.gelu(x + bias)),
    "layout_change.64x256x56": unary((64, 256, 56, 56), torch.float16, False,
                                     lambda x: x.permute(0, 2, 3, 1).contiguous()),
}


def microseconds(run, make):
    """Median time of one call, from graphs that hold one call per rotated set of inputs."""
    first = make()
    bytes_of_set = sum(tensor.numel() * tensor.element_size() for tensor in first)
    sets = [first] + [make() for _ in range(min(64, ROTATED_BYTES // bytes_of_set))]
    with torch.no_grad():
        for inputs in sets[:2]:
            run(*inputs)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for inputs in sets:
                run(*inputs)
    times = []
    for _ in range(REPLAYS):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        graph.replay()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) * 1000.0 / len(sets))
    return statistics.median(times)


def main(names):
    rows = []
    for name in names or REGIONS:
        make, run = REGIONS[name]
        torch._dynamo.reset()
        row = {"name": name, "eager_us": round(microseconds(run, make), 3)}
        row["inductor_us"] = round(microseconds(torch.compile(run), make), 3)
        rows.append(row)
        print(row, file=sys.stderr)
    versions = {"torch": torch.__version__, "cuda": torch.version.cuda, "cudnn": torch.backends.cudnn.version(),
                "gpu": torch.cuda.get_device_name()}
    json.dump({"versions": versions, "rows": rows}, sys.stdout, indent=1)


if __name__ == "__main__":
    main(sys.argv[1:])
