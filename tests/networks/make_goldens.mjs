// Runs the five real networks with ONNX Runtime on the CPU and writes what they give for a fixed input. In the folder of
// the project:
//
//     npm install --ignore-scripts onnxruntime-node@1.30.0
//     node tests/networks/make_goldens.mjs <folder of .ci/fetch_models> tests/networks/goldens
//
// One file per network, little-endian: "TNGL", u32 number of outputs; per output u32 length and bytes of the name, u32
// rank, u32 extents, u32 step between samples, u32 number of samples, f32 samples (elements 0, step, 2 step …), f64 mean
// and f64 mean square over all elements.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRequire } from "node:module";

const ort = createRequire(import.meta.url)("onnxruntime-node");

const kNetworks = [
    ["face_detection_front_128x128_barracuda", [1, 128, 128, 3]],
    ["face_detection_back_256x256_barracuda", [1, 256, 256, 3]],
    ["ch_PP-OCRv4_det_infer", [1, 3, 64, 320], picture],  // in noise it finds no text at all
    ["ch_PP-OCRv4_rec_infer", [1, 3, 48, 64]],
    ["ch_ppocr_mobile_v2.0_cls_infer", [1, 3, 48, 96]],
];
const kSamples = 256;

/// Multiples of 2^-23 in [-1, 1), from a hash of the index: the same in any language (networks.cpp).
function input(count) {
    return Float32Array.from({ length: count }, (_, i) => {
        let h = Math.imul(i + 1, 2654435761);
        h = Math.imul(h ^ (h >>> 15), 2246822519);
        h = (h ^ (h >>> 13)) >>> 0;
        return (h >>> 8) / 8388608 - 1;
    });
}

/// A line of text, 320 x 48, on a white page 320 x 64; three equal channels in [-1, 1].
function picture() {
    const file = readFileSync("samples/ocr/fusion_engine_42.pgm"), pixels = file.subarray(file.length - 320 * 48);
    return Float32Array.from({ length: 3 * 64 * 320 }, (_, i) => {
        const at = (i % (64 * 320)) - 8 * 320;
        return (at < 0 || at >= pixels.length ? 255 : pixels[at]) / 127.5 - 1;
    });
}

function bytesOf(outputs) {
    const parts = [Buffer.from("TNGL")];
    const u32 = (n) => { const b = Buffer.alloc(4); b.writeUInt32LE(n); parts.push(b); };
    const f32 = (x) => { const b = Buffer.alloc(4); b.writeFloatLE(x); parts.push(b); };
    const f64 = (x) => { const b = Buffer.alloc(8); b.writeDoubleLE(x); parts.push(b); };
    u32(outputs.length);
    for (const [name, tensor] of outputs) {
        const values = tensor.data, step = Math.ceil(values.length / kSamples);
        u32(Buffer.byteLength(name));
        parts.push(Buffer.from(name));
        u32(tensor.dims.length);
        tensor.dims.forEach(u32);
        u32(step);
        u32(Math.ceil(values.length / step));
        for (let i = 0; i < values.length; i += step) f32(values[i]);
        f64(values.reduce((sum, x) => sum + x, 0) / values.length);
        f64(values.reduce((sum, x) => sum + x * x, 0) / values.length);
    }
    return Buffer.concat(parts);
}

const [models, goldens] = process.argv.slice(2);
for (const [name, dims, make = input] of kNetworks) {
    const options = { executionProviders: ["cpu"], graphOptimizationLevel: "disabled" };
    const session = await ort.InferenceSession.create(readFileSync(join(models, name + ".onnx")), options);
    const x = new ort.Tensor("float32", make(dims.reduce((a, b) => a * b)), dims);
    const results = await session.run({ [session.inputNames[0]]: x });
    const bytes = bytesOf(session.outputNames.map((output) => [output, results[output]]));
    writeFileSync(join(goldens, name + ".bin"), bytes);
    console.log(name, bytes.length, "bytes", session.outputNames.map((o) => results[o].dims.join("x")).join(" "));
}
