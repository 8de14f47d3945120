"""Convolution layers of conv2d.json: Tenon next to cuDNN (through torch) in one process, in turns, on the same memory.

    python3 side_by_side.py LIBRARY OUT.json [--list resnet50] [--batches 1,8,32,256] [--type f16] [--candidates 1]

Every time is the median over rounds of replays of a CUDA graph whose launches rotate through inputs larger than the L2
cache. Results are checked against torch in f32 before anything is timed.
"""

import argparse
import concurrent.futures
import ctypes
import json
import os
import statistics
import sys

import torch

TYPES = {"f16": (0, torch.half), "bf16": (1, torch.bfloat16), "f32": (2, torch.float), "tf32": (2, torch.float)}
L2_BYTES = 50 << 20


class Library:
    def __init__(self, path):
        self.c = ctypes.CDLL(path)
        self.c.bench_error.restype = ctypes.c_char_p
        self.c.bench_conv.restype = ctypes.c_void_p
        self.c.bench_explain.restype = ctypes.c_char_p
        self.c.bench_explain.argtypes = [ctypes.c_void_p]
        self.c.bench_workspace_bytes.restype = ctypes.c_int64
        self.c.bench_workspace_bytes.argtypes = [ctypes.c_void_p]
        self.c.bench_constant_bytes.restype = ctypes.c_int64
        self.c.bench_constant_bytes.argtypes = [ctypes.c_void_p]
        self.c.bench_add_copy.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        self.c.bench_run.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
        self.c.bench_release.argtypes = [ctypes.c_void_p]

    def conv(self, layer, batch, kind, layout, candidate, weights):
        torch.cuda.set_device(0)
        torch.cuda.current_stream()
        values = [batch] + [int(layer[k]) for k in "C H W K R S stride pad dilation groups residual".split()] + [int(layout == "nchw")]
        spec = (ctypes.c_int64 * 13)(*values)
        plan = self.c.bench_conv(spec, TYPES[kind][0], int(kind == "tf32"), candidate, weights)
        if not plan:
            raise RuntimeError(self.c.bench_error().decode())
        return plan


class Plan:
    """A plan with the memory it is bound to: a call enqueues it on torch's current stream."""

    def __init__(self, library, handle, copies):
        self.library, self.handle = library, handle
        size = (library.c.bench_constant_bytes(handle) + 1023) // 1024 * 1024
        self.constants = torch.empty(max(size, 1) * copies, dtype=torch.uint8, device="cuda")
        for i in range(copies):
            if library.c.bench_add_copy(handle, self.constants.data_ptr() + i * size):
                raise RuntimeError(library.c.bench_error().decode())
        torch.cuda.synchronize()
        self.workspace = torch.empty(max(library.c.bench_workspace_bytes(handle), 256), dtype=torch.uint8, device="cuda")

    def run(self, tensors, copy=0):
        memory = (ctypes.c_void_p * len(tensors))(*[t.data_ptr() for t in tensors])
        stream = torch.cuda.current_stream().cuda_stream
        if self.library.c.bench_run(self.handle, copy, memory, self.workspace.data_ptr(), stream):
            raise RuntimeError(self.library.c.bench_error().decode())

    def kernel(self):
        return self.library.c.bench_explain(self.handle).decode()


def graph_of(call, count):
    call(0)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(count):
            call(i)
    graph.replay()
    torch.cuda.synchronize()
    return graph


def time_graphs(graphs, count, rounds, milliseconds):
    """Microseconds per launch of every graph: (median, least, most). The graphs take turns."""
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    times = [[] for _ in graphs]
    repeats = []
    for graph in graphs:
        start.record()
        graph.replay()
        end.record()
        torch.cuda.synchronize()
        repeats.append(max(2, int(milliseconds / max(start.elapsed_time(end), 1e-3))))
    for _ in range(rounds):
        for i, graph in enumerate(graphs):
            graph.replay()
            start.record()
            for _ in range(repeats[i]):
                graph.replay()
            end.record()
            torch.cuda.synchronize()
            times[i].append(start.elapsed_time(end) * 1e3 / repeats[i] / count)
    return [(statistics.median(t), min(t), max(t)) for t in times]


def tensors_of(layer, batch, kind, layout):
    dtype = TYPES[kind][1]
    form = torch.channels_last if layout == "nhwc" else torch.contiguous_format
    depth = layer["C"] // layer["groups"] * layer["R"] * layer["S"]
    make = lambda *dims: torch.randn(*dims, device="cuda", dtype=dtype).to(memory_format=form)
    out = lambda extent, window: (extent + 2 * layer["pad"] - layer["dilation"] * (window - 1) - 1) // layer["stride"] + 1
    shape = (batch, layer["K"], out(layer["H"], layer["R"]), out(layer["W"], layer["S"]))
    tensors = {"x": make(batch, layer["C"], layer["H"], layer["W"]), "w": make(layer["K"], layer["C"] // layer["groups"], layer["R"], layer["S"]) / depth**0.5,
               "bias": torch.randn(layer["K"], device="cuda")}
    tensors["bias_in_type"] = tensors["bias"].to(dtype)
    if layer["residual"]:
        tensors["residual"] = make(*shape)
    tensors["y"] = torch.empty(shape, device="cuda", dtype=dtype).to(memory_format=form)
    return tensors


def ours(tensors):
    return [tensors[name] for name in ("x", "bias", "residual", "y") if name in tensors]


def cudnn_fused(layer, t):
    args = ((layer["stride"],) * 2, (layer["pad"],) * 2, (layer["dilation"],) * 2, layer["groups"])
    if layer["residual"]:
        return torch.cudnn_convolution_add_relu(t["x"], t["w"], t["residual"], 1.0, t["bias_in_type"], *args)
    return torch.cudnn_convolution_relu(t["x"], t["w"], t["bias_in_type"], *args)


def convolution(layer, t):
    return torch.nn.functional.conv2d(t["x"], t["w"], None, layer["stride"], layer["pad"], layer["dilation"], layer["groups"])


def error_of(layer, t):
    """Largest error against f32, in units of the result's deviation."""
    torch.backends.cudnn.allow_tf32 = False
    count = min(t["x"].shape[0], 8)
    want = torch.nn.functional.conv2d(t["x"][:count].float(), t["w"].float(), t["bias"], layer["stride"], layer["pad"], layer["dilation"], layer["groups"])
    if layer["residual"]:
        want += t["residual"][:count].float()
    want = want.relu()
    found = t["y"][:count].float()
    tail = t["y"][-1:].float()
    torch.backends.cudnn.allow_tf32 = True
    if not bool(torch.isfinite(t["y"]).all()):
        return float("inf")
    del tail
    return float((found - want).abs().max() / want.std().clamp_min(1e-3))


def measure(library, pool, layer, batch, kind, layout, options):
    sets = []
    first = tensors_of(layer, batch, kind, layout)
    total = sum(v.numel() * v.element_size() for v in first.values())
    count = max(2, min(20, 2 * L2_BYTES // total + 1))
    sets = [first] + [tensors_of(layer, batch, kind, layout) for _ in range(count - 1)]
    launches = count * max(1, -(-20 // count))
    row = {"list": options.list, "name": layer["name"], "batch": batch, "dtype": kind, "layout": layout}
    memory_order = first["w"].permute(0, 2, 3, 1) if layout == "nhwc" else first["w"]
    weights = memory_order.contiguous().view(torch.int16 if first["w"].element_size() == 2 else torch.int32).cpu().numpy().tobytes()
    handles = list(pool.map(lambda c: try_conv(library, layer, batch, kind, layout, c, weights), range(options.candidates)))
    plans = [Plan(library, h, count) for h in handles if isinstance(h, int)]
    row["refused"] = [h for h in handles if not isinstance(h, int)][:1]
    graphs, texts = [], []
    for plan in plans:
        first["y"].fill_(float("nan"))
        try:
            plan.run(ours(first))
            torch.cuda.synchronize()
        except RuntimeError as refusal:
            row["refused"].append(str(refusal)[:200])
            continue
        error = error_of(layer, first)
        row.setdefault("errors", []).append(error)
        limit = 0.05 if kind == "bf16" else 0.02
        if not error < limit:
            row["refused"].append(f"error {error} of {plan.kernel()[:400]}")
            continue
        graphs.append(graph_of(lambda i: plan.run(ours(sets[i % count]), i % count), launches))
        texts.append(plan.kernel())
    peers = [graph_of(lambda i: cudnn_fused(layer, sets[i % count]), launches), graph_of(lambda i: convolution(layer, sets[i % count]), launches)]
    times = time_graphs(graphs + peers, launches, options.rounds, options.milliseconds)
    best = min(range(len(graphs)), key=lambda i: times[i][0]) if graphs else None
    if graphs:
        row.update(tenon_us=times[0][0], tenon_spread=times[0][1:], best_us=times[best][0], best=best, tile=tile_of(texts[0]), best_tile=tile_of(texts[best]))
        row["all_us"] = [round(t[0], 2) for t in times[: len(graphs)]]
        row["tiles"] = [tile_of(t) for t in texts]
        row["predicted_us"] = [predicted_of(t) for t in texts]
    row.update(cudnn_fused_us=times[-2][0], cudnn_spread=times[-2][1:], cudnn_conv_us=times[-1][0])
    for h in handles:
        if isinstance(h, int):
            library.c.bench_release(h)
    return row


def try_conv(library, *arguments):
    try:
        return library.conv(*arguments)
    except RuntimeError as refusal:
        return str(refusal)[:300]


def tile_of(text):
    lines = [line.strip() for line in text.splitlines() if "tile" in line]
    return lines[0] if lines else ""


def predicted_of(text):
    lines = [line.strip() for line in text.splitlines() if "predicted" in line]
    return lines[0] if lines else ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("out")
    parser.add_argument("--list", default="resnet50")
    parser.add_argument("--batches", default="1,8,32,256")
    parser.add_argument("--names", default="")
    parser.add_argument("--type", default="f16")
    parser.add_argument("--layout", default="nhwc")
    parser.add_argument("--candidates", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--milliseconds", type=float, default=8.0)
    options = parser.parse_args()
    torch.backends.cudnn.benchmark = True
    if options.type != "tf32":
        torch.backends.cudnn.allow_tf32 = False
    torch.randn(1, device="cuda")
    library = Library(os.path.abspath(options.library))
    layers = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "conv2d.json")))[options.list]
    rows = []
    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        for batch in [int(b) for b in options.batches.split(",")]:
            for layer in layers:
                if options.names and not any(n in layer["name"] for n in options.names.split(",")):
                    continue
                try:
                    row = measure(library, pool, layer, batch, options.type, options.layout, options)
                except Exception as problem:  # one bad row must not lose the others
                    row = {"list": options.list, "name": layer["name"], "batch": batch, "problem": str(problem)[:300]}
                rows.append(row)
                ratio = min(row.get("cudnn_fused_us", 0), row.get("cudnn_conv_us", 1e9)) / row["tenon_us"] if "tenon_us" in row else 0
                print(f"{row['name']:24} N={batch:<4} tenon {row.get('tenon_us', 0):8.2f} best {row.get('best_us', 0):8.2f} cudnn {row.get('cudnn_fused_us', 0):8.2f} "
                      f"conv {row.get('cudnn_conv_us', 0):8.2f} x{row.get('cudnn_fused_us', 0) / row['tenon_us'] if 'tenon_us' in row else 0:5.2f} {row.get('tile', '')} | {row.get('best_tile', '')} {str(row.get('refused', row.get('problem', '')))[:160]}", flush=True)
                json.dump(rows, open(options.out, "w"), indent=1)
                torch.cuda.empty_cache()


if __name__ == "__main__":
    sys.exit(main())
