import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { startSandbox } from 'payments-subgraph-sandbox'
import { expect, onTestFinished, test } from 'vitest'
import { readEnvironment } from '../../../packages/sandbox/src/sandbox-command-line.ts'

const MAIN = ['--conditions=payments-subgraph-source', 'packages/sandbox/src/main.ts']
const SITES = [{ id: 'a', appId: 'app-a', secretKey: 'hidden-key', currencies: ['AUD'] }]

test('the environment gives the options', () => {
  expect(readEnvironment({})).toEqual({ options: { port: 4010 } })
  expect(readEnvironment({ SANDBOX_DATABASE_URL: 'file:./data/sandbox.db' })).toEqual({
    options: { port: 4010, statePath: './data/sandbox.db' },
  })
  expect(readEnvironment({ SANDBOX_DATABASE_URL: 'none' })).toEqual({ options: { port: 4010 } })
  expect(readEnvironment({ SANDBOX_DATABASE_URL: 'postgres://host/db' })).toHaveProperty('faults')
  expect(
    readEnvironment({
      HOST: '::1',
      SANDBOX_PORT: '0',
      WEBHOOK_SECRETS: 'first,second',
      UPSTREAM_SITES: JSON.stringify(SITES),
    }),
  ).toEqual({ options: { host: '::1', port: 0, webhookSecret: 'first', sites: SITES } })
})

test('all faults of the environment are told at once, without the values', () => {
  const read = readEnvironment({ SANDBOX_PORT: '99999', UPSTREAM_SITES: '[{"secretKey":"hidden-key"}]' })
  expect(read).toEqual({ faults: [expect.stringContaining('SANDBOX_PORT'), expect.stringContaining('UPSTREAM_SITES')] })
  expect(JSON.stringify(read)).not.toContain('hidden-key')
})

test.each<NodeJS.Signals>(['SIGINT', 'SIGTERM'])(
  'the process says where it listens, and ends on %s',
  async (signal) => {
    const child = spawn(process.execPath, MAIN, {
      env: { SANDBOX_PORT: '0', UPSTREAM_SITES: JSON.stringify(SITES) },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => {
      child.kill('SIGKILL')
    })
    let printed = ''
    child.stdout.setEncoding('utf8')
    for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
      printed += String(chunk)
      if (printed.includes('DELETE /sandbox/faults')) break
    }
    expect(printed).toMatch(/listens at http:\/\/127\.0\.0\.1:\d+\/api/)
    expect(printed).not.toContain('hidden-key')
    const ended = once(child, 'exit')
    child.kill(signal)
    expect(await ended).toEqual([0, null])
  },
)

test('the command resets the sandbox that runs at the address, and says where there is none', async () => {
  const sandbox = await startSandbox()
  sandbox.control.addFault({ answer: 'hang' })
  const { port } = new URL(sandbox.origin)
  expect(await run(['--port', port, '--reset'])).toEqual({
    code: 0,
    text: `The sandbox at ${sandbox.origin} is empty.\n`,
  })
  expect(sandbox.control.faults()).toEqual([])
  await sandbox.close()
  expect(await run(['--port', port, '--reset'])).toMatchObject({ code: 1, text: expect.stringContaining('No sandbox') })
})

async function run(args: readonly string[]): Promise<{ code: number | null; text: string }> {
  const child = spawn(process.execPath, [...MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, error, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code: code as number | null, text: out + error }
}
