import { fileURLToPath } from 'node:url'
import { cacheCompiledCode } from './compile-cache.ts'

// Whoever can write this folder can also change the code, which makes it safe to run what is cached there.
cacheCompiledCode(fileURLToPath(new URL('../.cache/compile', import.meta.url)))
// Loaded from here, since a static import is compiled before the cache is in use.
const { runServer } = await import('./run-server.ts')
await runServer()
