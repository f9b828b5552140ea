import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { parseConfig } from '../../src/config.ts'
import { mostEndMs } from '../../src/run-server.ts'
import { temporaryFolder } from '../support/process.ts'
import { hasTool } from '../support/tools.ts'
import { PRODUCTION } from '../unit/config-environments.ts'

const UNIT = 'payments-subgraph.service'
const unit = readFileSync(join('ops', UNIT), 'utf8')
const [, node = '', program = ''] = /^ExecStart=(\S+) (\S+)$/m.exec(unit) ?? []

it.skipIf(!hasTool('systemd-analyze', 'systemd'))('the unit is valid, for a Node that is here', async () => {
  const path = join(temporaryFolder(), UNIT)
  writeFileSync(path, unit.replace(node, process.execPath))
  const { stdout, stderr } = await promisify(execFile)('systemd-analyze', ['verify', path])
  expect(stdout + stderr).toBe('')
})

it('the unit runs a file that the package has, and gives it the time to end', () => {
  const [, file = ''] = program.split('/node_modules/payments-subgraph/')
  expect(existsSync(file)).toBe(true)
  const parsed = parseConfig(PRODUCTION)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults))
  const seconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])
  expect(seconds * 1_000).toBeGreaterThan(mostEndMs(parsed.config))
})
