"""Pools of window_list.h: Tenon next to torch eager in one process, in turns, by CUDA-graph replay over inputs larger than L2.

    python3 pools.py LIBRARY OUT.json [--candidates 1]

Depthwise and grouped convolutions are rows of side_by_side.py (--list other).
"""

import argparse
import ctypes
import json
import os
import sys

import torch
from torch.nn import functional

from side_by_side import L2_BYTES, Library, Plan, graph_of, time_graphs

ROWS = {
    "max_pool.3s2.32x64x112": ((32, 64, 112, 112), lambda x: functional.max_pool2d(x, 3, 2, 1)),
    "max_pool.3s2.1x64x112": ((1, 64, 112, 112), lambda x: functional.max_pool2d(x, 3, 2, 1)),
    "max_pool.2s2.32x128x56": ((32, 128, 56, 56), lambda x: functional.max_pool2d(x, 2, 2)),
    "average_pool.3s1.32x192x28": ((32, 192, 28, 28), lambda x: functional.avg_pool2d(x, 3, 1, 1, count_include_pad=False)),
    "global_average.256x2048x7": ((256, 2048, 7, 7), lambda x: functional.adaptive_avg_pool2d(x, 1)),
}


def pool_row(library, name, options):
    shape, peer = ROWS[name]
    form = dict(device="cuda", dtype=torch.half)
    like = torch.randn(shape, **form).to(memory_format=torch.channels_last)
    count = max(2, 3 * L2_BYTES // (like.numel() * 2))
    images = [torch.randn(shape, **form).to(memory_format=torch.channels_last) for _ in range(count)]
    want = peer(images[0].float())
    results = [torch.full(want.shape, float("nan"), **form).to(memory_format=torch.channels_last) for _ in range(count)]
    row = {"name": name, "dtype": "f16", "errors": [], "tiles": []}
    graphs, bytes_moved = [], ctypes.c_double()
    for candidate in range(options.candidates):
        handle = library.c.bench_window(name.encode(), candidate, ctypes.byref(bytes_moved))
        if not handle:
            row["problem"] = library.c.bench_error().decode()[:400]
            return row
        plan = Plan(library, handle, 1)
        plan.run([images[0], results[0]])
        torch.cuda.synchronize()
        row["errors"].append(float((results[0].float() - want).abs().max()))
        row["tiles"] += [line.strip() for line in plan.kernel().splitlines() if "tile" in line][:1]
        graphs.append(graph_of(lambda i, plan=plan: plan.run([images[i % count], results[i % count]]), count))
    graphs.append(graph_of(lambda i: peer(images[i % count]), count))
    times = time_graphs(graphs, count, options.rounds, options.milliseconds)
    row["tenon_us"] = times[0][0]
    row["tbs"] = bytes_moved.value / times[0][0] * 1e-6
    row["all_us"] = [t[0] for t in times[:-1]]
    row["peers"] = {"torch eager": times[-1][0]}
    return row


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("out")
    parser.add_argument("--candidates", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--milliseconds", type=float, default=20.0)
    options = parser.parse_args()
    torch.randn(1, device="cuda")
    library = Library(os.path.abspath(options.library))
    library.c.bench_window.restype = ctypes.c_void_p
    library.c.bench_window.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p]
    rows = []
    for name in ROWS:
        rows.append(pool_row(library, name, options))
        print(rows[-1], flush=True)
        json.dump({"regions": rows}, open(options.out, "w"), indent=1)


if __name__ == "__main__":
    sys.exit(main())
