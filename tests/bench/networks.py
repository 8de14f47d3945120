"""Whole networks and large matrix products: Tenon next to torch (cuDNN, cuBLASLt) in one process, by CUDA-graph replay.

    python3 networks.py LIBRARY OUT.json [--batches 1,8,32,256] [--matmuls 4096,8192]
"""

import argparse
import ctypes
import json
import os
import sys

import torch
from torch import nn

from side_by_side import Library, Plan, graph_of, time_graphs


class Bottleneck(nn.Module):
    def __init__(self, channels, width, stride):
        super().__init__()
        layer = lambda i, o, k, s: nn.Sequential(nn.Conv2d(i, o, k, s, k // 2, bias=False), nn.BatchNorm2d(o))
        self.reduce, self.spread, self.expand = layer(channels, width, 1, 1), layer(width, width, 3, stride), layer(width, 4 * width, 1, 1)
        self.shortcut = layer(channels, 4 * width, 1, stride) if channels != 4 * width else nn.Identity()

    def forward(self, x):
        y = self.spread(self.reduce(x).relu()).relu()
        return (self.expand(y) + self.shortcut(x)).relu()


def resnet50():
    blocks, channels = [], 64
    for stage, depth in enumerate([3, 4, 6, 3]):
        for i in range(depth):
            blocks.append(Bottleneck(channels, 64 << stage, 2 if i == 0 and stage else 1))
            channels = 256 << stage
    return nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1), *blocks,
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2048, 1000))


def network_row(library, name, batch, options):
    library.c.bench_network.restype = ctypes.c_void_p
    library.c.bench_network.argtypes = [ctypes.c_char_p, ctypes.c_int64]
    handle = library.c.bench_network(name.encode(), batch)
    if not handle:
        return {"name": name, "batch": batch, "problem": library.c.bench_error().decode()[:400]}
    plan = Plan(library, handle, 1)
    form = dict(device="cuda", dtype=torch.half)
    pictures = [torch.randn(batch, 3, 224, 224, **form).to(memory_format=torch.channels_last) for _ in range(2)]
    scores = torch.full((batch, 1000), float("nan"), **form)
    plan.run([pictures[0], scores])
    torch.cuda.synchronize()
    finite = bool(torch.isfinite(scores).all())
    graphs = [graph_of(lambda i: plan.run([pictures[i % 2], scores]), 2)]
    if name == "resnet50":
        model = resnet50().to(**form).to(memory_format=torch.channels_last).eval()
        with torch.no_grad():
            graphs.append(graph_of(lambda i: model(pictures[i % 2]), 2))
    times = time_graphs(graphs, 2, options.rounds, options.milliseconds)
    row = {"name": name, "batch": batch, "dtype": "f16", "finite": finite, "tenon_ms": times[0][0] / 1e3, "tenon_spread_ms": [t / 1e3 for t in times[0][1:]]}
    if len(times) > 1:
        row.update(peer_ms=times[1][0] / 1e3, peer="torch eager, CUDA graph")
    open(f"{options.out}.{name}.{batch}.txt", "w").write(plan.kernel())
    return row


def matmul_row(library, size, transposed, options):
    library.c.bench_matmul.restype = ctypes.c_void_p
    library.c.bench_matmul.argtypes = [ctypes.c_int64] * 3 + [ctypes.c_int] * 3
    form = dict(device="cuda", dtype=torch.half)
    a, b, bias = torch.randn(size, size, **form), torch.randn(size, size, **form) / size**0.5, torch.randn(size, device="cuda")
    y = torch.full((size, size), float("nan"), **form)
    matrix = b.t() if transposed else b
    want = torch.nn.functional.gelu(a.float() @ matrix.float() + bias)
    row = {"name": f"matmul {size}^3 + bias + gelu" + (" (b transposed)" if transposed else ""), "dtype": "f16", "errors": [], "tiles": []}
    graphs = []
    for candidate in range(options.candidates):
        handle = library.c.bench_matmul(size, size, size, 0, int(transposed), candidate)
        if not handle:
            row["problem"] = library.c.bench_error().decode()[:400]
            continue
        plan = Plan(library, handle, 1)
        plan.run([a, b, bias, y])
        torch.cuda.synchronize()
        row["errors"].append(float((y.float() - want).abs().max()))
        row["tiles"].append([line.strip() for line in plan.kernel().splitlines() if "tile" in line][0])
        graphs.append(graph_of(lambda i: plan.run([a, b, bias, y]), 4))
    half_bias = bias.half()
    peers = [graph_of(lambda i: torch._addmm_activation(half_bias, a, matrix, use_gelu=True), 4), graph_of(lambda i: a @ matrix, 4)]
    times = time_graphs(graphs + peers, 4, options.rounds, 60.0)
    row.update(tenon_us=times[0][0] if graphs else None, all_us=[t[0] for t in times[: len(graphs)]], cublaslt_gelu_us=times[-2][0], cublas_plain_us=times[-1][0])
    return row


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("out")
    parser.add_argument("--names", default="resnet50,mobilenet_v2")
    parser.add_argument("--batches", default="1,8,32,256")
    parser.add_argument("--matmuls", default="4096,8192")
    parser.add_argument("--candidates", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--milliseconds", type=float, default=20.0)
    options = parser.parse_args()
    torch.backends.cudnn.benchmark = True
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.randn(1, device="cuda")
    library = Library(os.path.abspath(options.library))
    result = {"networks": [], "matmuls": []}
    for name, batch in [(n, int(b)) for n in options.names.split(",") for b in options.batches.split(",") if b]:
        result["networks"].append(network_row(library, name, batch, options))
        print(result["networks"][-1], flush=True)
        json.dump(result, open(options.out, "w"), indent=1)
    for size in [int(s) for s in options.matmuls.split(",") if s]:
        for transposed in (False, True):
            result["matmuls"].append(matmul_row(library, size, transposed, options))
            print(result["matmuls"][-1], flush=True)
            json.dump(result, open(options.out, "w"), indent=1)


if __name__ == "__main__":
    sys.exit(main())
