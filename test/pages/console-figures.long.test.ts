import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { findBrowser } from '../browser/browser.ts'
import { goTo, isLive, openConsole } from '../browser/console.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'

const browser = await findBrowser()
const VIEWS = ['/overview', '/payments', '/feed'] as const
const EVENTS_PER_SECOND = 50
const SECONDS = 4

/** With nothing beside it: `TEST_FAULTS=full npm run test:all -- test/pages/console-figures.long.test.ts` prints the figures. */
describe.skipIf(browser.isMissing)('the console in Chromium', () => {
  let network: Network
  const links: string[] = []
  beforeAll(async () => {
    network = await startNetwork()
    while (links.length < EVENTS_PER_SECOND * SECONDS) links.push((await createLink(network)).id)
    return () => network.close()
  })

  test.each(VIEWS)('%s is painted within a second, and nothing moves', async (at) => {
    const profile = await browser.profile({ viewport: { width: 1_280, height: 800 } })
    const page = await openConsole(profile, network, { at })
    await page.addInitScript(observe)
    await page.reload()
    await isLive(page)
    await page.locator('.skeleton').first().waitFor({ state: 'detached' })
    const { paintedMs, shift } = await page.evaluate<Seen>('window.seen')
    process.stdout.write(`${at}: largest paint after ${Math.round(paintedMs)} ms, layout shift ${shift.toFixed(4)}\n`)
    expect(paintedMs).toBeLessThan(1_000)
    expect(shift).toBeLessThanOrEqual(0.01)
  })

  test.each(['/feed', '/payments'] as const)('%s keeps its frames while events arrive', async (at) => {
    const profile = await browser.profile({ viewport: { width: 1_280, height: 800 } })
    const page = await openConsole(profile, network)
    await goTo(page, at)
    await isLive(page)
    const status = at === '/feed' ? 'pending' : 'received'
    const [frames] = await Promise.all([framesOf(page), send(status)])
    process.stdout.write(`${at}: ${frames.toFixed(1)} frames a second at ${EVENTS_PER_SECOND} events a second\n`)
    expect(frames).toBeGreaterThan(55)
  })

  async function send(status: 'pending' | 'received'): Promise<void> {
    const begun = performance.now()
    for (const [index, id] of links.entries()) {
      const due = begun + (index * 1_000) / EVENTS_PER_SECOND
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())))
      await network.sandbox.control.setStatus(id, status)
    }
  }
})

type Seen = { readonly paintedMs: number; readonly shift: number }

/** Notes in the page when it had its largest paint, and how much has moved. */
function observe(): void {
  const seen = { paintedMs: 0, shift: 0 }
  Object.assign(window, { seen })
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) seen.paintedMs = startTime
  }).observe({ type: 'largest-contentful-paint', buffered: true })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) seen.shift += (entry as PerformanceEntry & { value: number }).value
  }).observe({ type: 'layout-shift', buffered: true })
}

/** Returns the frames a second of a page while the events arrive. */
async function framesOf(page: Page): Promise<number> {
  const count = await page.evaluate(
    (ms) =>
      new Promise<number>((resolve) => {
        const begun = performance.now()
        let frames = 0
        const next = () => {
          frames += 1
          if (performance.now() - begun < ms) requestAnimationFrame(next)
          else resolve(frames)
        }
        requestAnimationFrame(next)
      }),
    SECONDS * 1_000,
  )
  return count / SECONDS
}
