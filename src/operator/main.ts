#!/usr/bin/env node
import { run } from './run-command.ts'

const { code, out, err } = await run(process.argv.slice(2), process.env, {
  output: process.stdout,
  terminal: process.stderr,
})
process.stdout.write(out)
process.stderr.write(err)
process.exitCode = code
