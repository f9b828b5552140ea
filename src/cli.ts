#!/usr/bin/env node
/** The command line of the package. */
import { nodeFault } from './lib/node-fault.ts'

const fault = nodeFault('payments-subgraph')
if (fault !== null) {
  process.stderr.write(fault)
  process.exit(1)
}
// Imported dynamically, since an older Node.js has not the modules that it imports.
const { run } = await import('./cli/command-line.ts')
const { code, out, err } = await run(process.argv.slice(2), process.env, {
  output: process.stdout,
  terminal: process.stderr,
})
process.stdout.write(out)
process.stderr.write(err)
if (code !== 0) process.exitCode = code
