#!/usr/bin/env node
import { nodeFault } from '../lib/node-fault.ts'

const fault = nodeFault('payments-subgraph-operator')
if (fault !== null) {
  process.stderr.write(fault)
  process.exit(1)
}
const { run } = await import('./run-command.ts')
const { code, out, err } = await run(process.argv.slice(2), process.env, {
  output: process.stdout,
  terminal: process.stderr,
})
process.stdout.write(out)
process.stderr.write(err)
process.exitCode = code
