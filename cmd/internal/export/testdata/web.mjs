// Classifies with exported classifiers in onnxruntime-web, for check.py: node web.mjs NODE_MODULES FOLDER...
// Each FOLDER has model.onnx and inputs.npy. It gets web.f32, the probabilities of the inputs, and web.empty, the shape of those of none.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [modules, ...folders] = process.argv.slice(2);
const ort = await import(pathToFileURL(createRequire(modules + "/").resolve("onnxruntime-web")));
ort.env.wasm.numThreads = 1;

function numpy(path) { // a float32 array as NumPy writes it in version 1 of its format
  const raw = readFileSync(path);
  const begin = 10 + raw.readUInt16LE(8);
  const shape = raw.toString("latin1", 10, begin).match(/'shape': \(([^)]*)\)/)[1].split(",").map(Number);
  return new ort.Tensor("float32", new Float32Array(raw.buffer.slice(raw.byteOffset + begin, raw.byteOffset + raw.length)), shape);
}

let before, session; // folders of the same model are side by side
for (const folder of folders) {
  const model = readFileSync(folder + "/model.onnx");
  if (!before || !model.equals(before)) {
    session = await ort.InferenceSession.create(model, { executionProviders: ["wasm"] });
    before = model;
  }
  const inputs = numpy(folder + "/inputs.npy");
  const ask = async (tensor) => (await session.run({ [session.inputNames[0]]: tensor })).probabilities;
  writeFileSync(folder + "/web.f32", Buffer.from((await ask(inputs)).data.buffer));
  const none = new ort.Tensor("float32", new Float32Array(0), [0, ...inputs.dims.slice(1)]);
  writeFileSync(folder + "/web.empty", JSON.stringify((await ask(none)).dims));
}
