import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { names, sendWebhooks } from './kill-senders.ts'
import { judge, lost } from './kill-verdict.ts'
import { type KillableApp, startApp } from './killable-app.ts'
import { lacks } from './means.ts'
import { createPowerDisk, type PowerDisk } from './power-disk.ts'

const SLOW_FOR_MS = 20_000
/** Longest wait of a webhook, in milliseconds. */
const LONGEST_MS = 2_500
const SLACK_MS = 3_000
const MEMORY_MB = 400
/** Limit of the heap, beyond which the process would die. Without it V8 collects garbage later. */
const HEAP_MB = 192

// promise(kept): On a slow disk webhooks get 503 in time and in bounded memory.
describe.skipIf(lacks('gcc'))('a disk that takes two seconds for each sync', () => {
  let disk: PowerDisk
  let app: KillableApp & { readonly url: string }

  beforeEach(async () => {
    disk = createPowerDisk()
    app = await startApp({ path: disk.path, env: disk.env, execArgv: [`--max-old-space-size=${HEAP_MB}`] })
  })

  afterEach(async () => {
    await app.kill()
    disk.remove()
  })

  it('answers in time what it can store, refuses what is too much with 503, and loses nothing', async () => {
    disk.slow(true)
    const some = await sendFor(SLOW_FOR_MS, 'some', 32)
    expect(some.longest).toBeLessThan(LONGEST_MS + SLACK_MS)
    const many = await sendFor(SLOW_FOR_MS, 'many', 600)
    for (const { unanswered } of [some, many]) expect(unanswered.size).toBe(0)
    for (const { acknowledged } of [some, many]) expect(acknowledged.size).toBeGreaterThan(0)
    expect(new Set(many.refused.values())).toEqual(new Set([503]))
    expect(residentMegabytes(app.pid)).toBeLessThan(MEMORY_MB)

    disk.slow(false)
    // Webhooks are rejected until the last slow sync has ended.
    while ((await sendOne()).acknowledged.size === 0) await delay(50)
    const after = await sendWebhooks({ url: app.url, senders: 16, next: names('after', 100) })
    expect(after.acknowledged.size).toBe(100)
    await app.kill()
    const verdict = judge(disk.shadowPath)
    expect(verdict.faults).toEqual([])
    expect(lost([...some.acknowledged, ...many.acknowledged, ...after.acknowledged], verdict)).toEqual([])
  }, 180_000)

  /** Sends the same webhook each time. */
  const sendOne = () => sendWebhooks({ url: app.url, senders: 1, next: names('again', 1) })

  async function sendFor(milliseconds: number, prefix: string, senders: number) {
    const until = performance.now() + milliseconds
    const next = names(prefix)
    let longest = 0
    const answers = await sendWebhooks({
      url: app.url,
      senders,
      next: () => (performance.now() < until ? next() : null),
      onAnswer: (_, took) => void (longest = Math.max(longest, took)),
    })
    return { ...answers, longest }
  }
})

function residentMegabytes(pid: number): number {
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) / 1024
}
