import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { findBrowser } from '../browser/browser.ts'
import { placeOrder, showsHeadline } from '../browser/shop.ts'
import { startNetwork, type Network } from '../support/network.ts'

const browser = await findBrowser()

const MINUTE_S = 60

const PHONE = { width: 390, height: 844 }
/** By how much the clock of the device is ahead, and by how much the sandbox was advanced, in seconds. */
const CASES = [
  ['slow, on a phone', 24 * 60 * MINUTE_S, -10 * MINUTE_S, PHONE],
  ['fast, on a laptop', 31 * MINUTE_S, 10 * MINUTE_S, { width: 1280, height: 800 }],
] as const

describe.skipIf(browser.isMissing)('the time left to pay', () => {
  let network: Network
  beforeAll(async () => {
    network = await startNetwork({ sandbox: { paceMs: 50 } })
    return () => network.close()
  })

  test.each(CASES)(
    'is that of the payment page where the device is %s, after the sandbox was advanced by %i s',
    async (_name, stepS, aheadS, viewport) => {
      await network.sandbox.control.advance(stepS)
      const { open, context } = await browser.profile({ viewport })
      await context.addInitScript(shiftClock, aheadS * 1_000)
      const page = await open(`${network.app.url}/shop`)
      await placeOrder(page)
      expect(await timeLeft(page)).toMatch(HALF_AN_HOUR)
      const address = page.url()
      await page.close()
      await network.restart()
      const again = await open(address)
      await showsHeadline(again, 'ready')
      expect(await timeLeft(again)).toMatch(HALF_AN_HOUR)
      await again.close()
    },
  )

  test('ends when the payment page ends, not a step of the sandbox later', async () => {
    await network.sandbox.control.advance(31 * MINUTE_S)
    const { open } = await browser.profile()
    const page = await open(`${network.app.url}/shop`)
    await placeOrder(page)
    await network.sandbox.control.advance(30 * MINUTE_S)
    await showsHeadline(page, 'expired')
    expect(network.sandbox.control.state().links.at(-1)).toMatchObject({ status: 'expired' })
  })
})

/** A countdown that began at 30 minutes: a page may take a minute to be there. */
const HALF_AN_HOUR = /^(29:\d\d|30:00)$/

function timeLeft(page: Page): Promise<string | null> {
  return page.getByRole('timer').textContent()
}

/** Runs in the page: its clock is ahead of the true one by so many milliseconds. */
function shiftClock(aheadMs: number): void {
  const { now } = Date
  globalThis.Date = class extends Date {
    constructor(...parts: readonly unknown[]) {
      super(...((parts.length === 0 ? [now() + aheadMs] : parts) as [number]))
    }
    static override now(): number {
      return now() + aheadMs
    }
  } as DateConstructor
}
