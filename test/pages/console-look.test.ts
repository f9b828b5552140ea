import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { findBrowser } from '../browser/browser.ts'
import { isLive, openConsole } from '../browser/console.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { historyOf } from '../support/payments.ts'

const browser = await findBrowser()
const FOLDER = join(import.meta.dirname, 'pictures')
const VIEWPORT = { width: 1_280, height: 800 }
/** Width of the pictures: small enough that how a machine draws the edges of letters no longer shows. */
const WIDTH = 480
/** Of 255: what a picture loses by its compression, and letters by another rasteriser. */
const TOLERANCE = 40
/** Part of the pixels that may differ by more. */
const MOST_PART = 0.005

const HOUR_MS = 3_600_000
/** Until the middle of the next hour: nothing that is counted by hours falls into two. */
const AHEAD_MS = HOUR_MS - ((Date.now() + HOUR_MS / 2) % HOUR_MS)

/**
 * Compares pages with the pictures beside this file. `SCREENSHOTS=1 npm run test:all -- test/pages/console-look.test.ts` takes them again:
 * look at them before they are committed. Numbers and times are drawn as a zero, ids are hidden.
 */
describe.skipIf(browser.isMissing)('how the console looks', () => {
  let network: Network
  let paymentId: string
  beforeAll(async () => {
    network = await startNetwork({ clock: () => new Date(Date.now() + AHEAD_MS), sandbox: { paceMs: 100 * HOUR_MS } })
    await network.sandbox.control.advance(AHEAD_MS / 1_000)
    for (const [reference, status] of PAYMENTS) {
      const { id } = await createLink(network, { reference })
      await network.sandbox.control.setStatus(id, status)
      paymentId = (await historyOf(network, id)).payment?.id ?? ''
    }
    return () => network.close()
  })

  test.each(['light', 'dark'] as const)('the page of its parts, %s', async (colorScheme) => {
    const { open } = await browser.profile({ viewport: VIEWPORT, colorScheme })
    const page = await open(`${network.app.url}/console/design`)
    expect(await differenceOf(page, `design-${colorScheme}`)).toBeLessThanOrEqual(MOST_PART)
  })

  test.each(['overview', 'payments', 'payment'] as const)('the view %s', async (name) => {
    const profile = await browser.profile({ viewport: VIEWPORT })
    await profile.context.clock.install({ time: Date.now() + AHEAD_MS })
    const at = name === 'payment' ? `/payments/${paymentId}` : `/${name}`
    const page = await openConsole(profile, network, { at })
    await isLive(page)
    await page.getByText('order-disputed').first().waitFor()
    await expect.poll(() => page.locator('[aria-busy=true], .skeleton').count()).toBe(0)
    expect(await differenceOf(page, name)).toBeLessThanOrEqual(MOST_PART)
  })
})

const PAYMENTS = [
  ['order-1', 'received'],
  ['order-failed', 'failed'],
  ['order-2', 'received'],
  ['order-disputed', 'in_dispute'],
] as const

/** Returns the part of the pixels that differ from the picture; a new picture that differs is left in the folder of temporary files. */
async function differenceOf(page: Page, name: string): Promise<number> {
  await page.evaluate(settle)
  const screenshot = await page.screenshot({ animations: 'disabled', fullPage: true })
  const path = join(FOLDER, `${name}.webp`)
  const known = existsSync(path) ? readFileSync(path).toString('base64') : null
  const found = await page.evaluate(compare, {
    now: `data:image/png;base64,${screenshot.toString('base64')}`,
    known: known === null ? null : `data:image/webp;base64,${known}`,
    width: WIDTH,
    tolerance: TOLERANCE,
  })
  const isTaken = process.env['SCREENSHOTS'] !== undefined
  const to = isTaken ? path : join(tmpdir(), `${name}.webp`)
  if (isTaken || found.part > MOST_PART) {
    mkdirSync(FOLDER, { recursive: true })
    writeFileSync(to, Buffer.from(found.picture.split(',')[1] ?? '', 'base64'))
  }
  return isTaken ? 0 : found.part
}

/** Waits for the font, and replaces what is another at each run. */
async function settle(): Promise<void> {
  await document.fonts.ready
  for (const one of document.querySelectorAll('.moment')) one.textContent = '0'
  for (const one of document.querySelectorAll<HTMLElement>('.id, code, .mono, .day')) one.style.visibility = 'hidden'
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode())
    texts.currentNode.nodeValue = (texts.currentNode.nodeValue ?? '')
      .replaceAll(/\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\b/g, 'May')
      .replaceAll(/\d+/g, '0')
}

type Pictures = {
  readonly now: string
  readonly known: string | null
  readonly width: number
  readonly tolerance: number
}

/** Returns the small picture, and the part of its pixels that differ from the known one. */
async function compare({ now, known, width, tolerance }: Pictures): Promise<{ picture: string; part: number }> {
  const drawn = async (source: string) => {
    const image = new Image()
    image.src = source
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = width
    canvas.height = Math.round((image.height * width) / image.width)
    const context = canvas.getContext('2d')
    if (context === null) throw new Error('There is no canvas.')
    context.imageSmoothingQuality = 'high'
    context.drawImage(image, 0, 0, canvas.width, canvas.height)
    return { canvas, pixels: context.getImageData(0, 0, canvas.width, canvas.height).data }
  }
  const { canvas, pixels } = await drawn(now)
  const before = known === null ? null : (await drawn(known)).pixels
  const differing = pixels.filter((value, index) => Math.abs(value - (before?.[index] ?? 0)) > tolerance).length
  return {
    picture: canvas.toDataURL('image/webp', 0.9),
    part: before?.length === pixels.length ? differing / pixels.length : 1,
  }
}
