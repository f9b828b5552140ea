import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { cacheCompiledCode } from './compile-cache.ts'

// The heap may grow to three times its live objects between two full collections. By default V8 runs one after a growth of a few
// megabytes when little is allocated, and on one core each of them delays the requests in progress by about 0.1 s.
setFlagsFromString('--heap-growing-percent=200')
// Anyone who can write to this folder can also change the code, so running cached code from it is safe.
cacheCompiledCode(fileURLToPath(new URL('../.cache/compile', import.meta.url)))
// Imported dynamically, since a static import is compiled before the cache is active.
const { runServer } = await import('./run-server.ts')
await runServer()
