import { fileURLToPath } from 'node:url'
import { cacheCompiledCode } from './compile-cache.ts'
import { nodeFault } from './lib/node-fault.ts'

const fault = nodeFault('payments-subgraph')
if (fault !== null) {
  process.stderr.write(fault)
  process.exit(1)
}

// By default this signal opens the debugger, which lets whoever reaches its port read every secret and run code. `--inspect` opens it on purpose.
process.on('SIGUSR1', () => {})

// Anyone who can write to this folder can also change the code, so running cached code from it is safe.
cacheCompiledCode(fileURLToPath(new URL('../.cache/compile', import.meta.url)))
// Imported dynamically, since a static import is compiled before the cache is active.
export const { runServer } = await import('./run-server.ts')
if (import.meta.main) await runServer()
