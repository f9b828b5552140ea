import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { readEnvironment } from '../../../src/sandbox/environment.ts'

const SITES = [{ id: 'a', appId: 'app-a', secretKey: 'hidden-key', currencies: ['AUD'] }]

test('the environment gives the options', () => {
  expect(readEnvironment({})).toEqual({ options: { port: 4010 } })
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
  expect(read).toEqual({
    faults: [expect.stringContaining('SANDBOX_PORT'), expect.stringContaining('UPSTREAM_SITES')],
  })
  expect(JSON.stringify(read)).not.toContain('hidden-key')
})

test.each<NodeJS.Signals>(['SIGINT', 'SIGTERM'])(
  'the process says where it listens, and ends on %s',
  async (signal) => {
    const child = spawn(process.execPath, ['src/sandbox/main.ts'], {
      env: { SANDBOX_PORT: '0', UPSTREAM_SITES: JSON.stringify(SITES) },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => {
      child.kill('SIGKILL')
    })
    let text = ''
    child.stdout.setEncoding('utf8')
    for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
      text += String(chunk)
      if (text.includes('DELETE /sandbox/faults')) break
    }
    expect(text).toMatch(/listens at http:\/\/127\.0\.0\.1:\d+\/api/)
    expect(text).not.toContain('hidden-key')
    const ended = once(child, 'exit')
    child.kill(signal)
    expect(await ended).toEqual([0, null])
  },
)
