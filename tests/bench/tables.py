"""Prints the tables of the README from tests/results/h200.json."""

import json
import math
import os
import statistics

RESULTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "results", "h200.json")


def ratio(row):
    return row["cudnn_fused_us"] / row["tenon_us"]


def conv_table(rows):
    print("| list | type | N | rows | geometric mean | worst row | best row |\n|---|---|---|---|---|---|---|")
    for key in dict.fromkeys((r["list"], r["dtype"], r["batch"]) for r in rows):
        some = sorted((r for r in rows if (r["list"], r["dtype"], r["batch"]) == key), key=ratio)
        mean = math.exp(statistics.mean(math.log(ratio(r)) for r in some))
        worst, best = some[0], some[-1]
        print(f"| {key[0]} | {key[1]} | {key[2]} | {len(some)} | {mean:.2f} | {ratio(worst):.2f} {worst['name']} | {ratio(best):.2f} {best['name']} |")


def network_table(rows):
    print("\n| network | N | Tenon ms | peer ms | peer |\n|---|---|---|---|---|")
    for r in rows:
        print(f"| {r['name']} | {r['batch']} | {r['tenon_ms']:.3f} | {r.get('peer_ms', 0):.3f} | {r.get('peer', 'not measured')} |".replace("0.000", "–"))


def matmul_table(rows):
    print("\n| product, f16 | Tenon µs | cuBLASLt with GELU µs |\n|---|---|---|")
    for r in rows:
        print(f"| {r['name']} | {r['tenon_us']:.0f} | {r['cublaslt_gelu_us']:.0f} |")


results = json.load(open(RESULTS))
conv_table(results["convs"])
network_table(results["networks"])
matmul_table(results["matmuls"])
