import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { cacheCompiledCode } from './compile-cache.ts'
import { nodeFault } from './lib/node-fault.ts'

const fault = nodeFault('payments-subgraph')
if (fault !== null) {
  process.stderr.write(fault)
  process.exit(1)
}

// Between two full collections V8 lets the heap grow by up to 300 % under load, but only by a few megabytes while little is allocated.
// On one core each of those collections delays the requests in progress by about 0.1 s, so it grows by 300 % always.
setFlagsFromString('--heap-growing-percent=300')
// Nearly everything that a start allocates stays: a larger young generation would only add its size to the memory of an idle process.
setFlagsFromString('--semi-space-growth-factor=1')
// Compiling the HTTP parser of undici once more, for speed, takes 12 MB and makes a request no faster that can be measured.
setFlagsFromString('--no-wasm-tier-up')
setFlagsFromString('--no-wasm-dynamic-tiering')
// Anyone who can write to this folder can also change the code, so running cached code from it is safe.
cacheCompiledCode(fileURLToPath(new URL('../.cache/compile', import.meta.url)))
// Imported dynamically, since a static import is compiled before the cache is active.
const { runServer } = await import('./run-server.ts')
await runServer()
setFlagsFromString('--semi-space-growth-factor=2')
