import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startApp } from '../faults/killable-app.ts'

const CANARY = 'kanarie-of-the-memory-0123456789abcdef'
/** Options and variables that make Node write its memory or its traffic to a file. */
const DUMPS =
  /--(?:heapsnapshot|heap-prof|cpu-prof|report|diagnostic|abort-on|trace-|inspect|prof\b)|NODE_(?:OPTIONS|DEBUG|V8_COVERAGE)/

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'payments-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

// promise(data): No dump is written when memory runs out, and `SIGUSR1` does not open the debugger.
describe('the memory of the process', () => {
  it('is written nowhere when it runs out', async () => {
    const dumps = () => readdirSync('.').filter((file) => /^(?:core|heap|report|isolate)\b|\.heap/i.test(file))
    const before = dumps()
    const app = await startApp({
      path: join(folder, 'payments.db'),
      env: { CRASH_TEXT: CANARY },
      execArgv: ['--max-old-space-size=96', '--import', new URL('./fill-memory.ts', import.meta.url).href],
    })
    const { code, signal } = await app.kill('SIGUSR2')
    expect([code, signal]).not.toEqual([0, null])
    expect(app.output()).toContain('heap out of memory')
    expect(app.output()).not.toContain(CANARY)
    expect(dumps()).toEqual(before)
    const files = readdirSync(folder)
    expect(files.every((file) => file.startsWith('payments.db'))).toBe(true)
    for (const file of files) expect(readFileSync(join(folder, file)).includes(CANARY)).toBe(false)
  })

  it('is not opened to a debugger by a signal', async () => {
    const app = await startApp({ path: join(folder, 'payments.db') })
    process.kill(app.pid, 'SIGUSR1')
    expect((await fetch(`${app.url}/health/live`)).status).toBe(200)
    expect(await app.kill('SIGTERM')).toEqual({ code: 0, signal: null })
    expect(app.output()).not.toMatch(/debugger|inspector/i)
  })

  it.each(['package.json', 'Dockerfile', 'compose.yaml', 'compose.databases.yaml', 'scripts/build.ts', 'src/demo.ts'])(
    'is not asked for by %s',
    (file) => {
      expect(readFileSync(file, 'utf8')).not.toMatch(DUMPS)
    },
  )
})
