/**
 * Largest paint and layout shift of the pages that a visitor sees first, in Chromium with an empty cache, on loopback: `npm run bench -- pages
 * [rounds]`. Prints medians of milliseconds, also as a multiple of a page with one heading, and the largest shift.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chromium } from 'playwright-core'
import { MEASURE_VITALS } from '../test/browser/vitals.ts'
import { startNetwork } from '../test/support/network.ts'
import { CREATE_LINK, linkInput } from '../test/support/operations.ts'
import { median } from './support/figures.ts'

const ROUNDS = Number(process.argv[3] ?? 5)
const GOALS = { paintMs: 1_000, shift: 0.05 }
/** How long a page is watched: all of it is there before, and a shift would be. */
const WATCHED_MS = 1_500

const bare = createServer((_request, response) =>
  response.setHeader('content-type', 'text/html').end('<!doctype html><title>Bare</title><h1>Bare</h1>'),
)
await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve))
const network = await startNetwork()
type Created = { readonly createPaymentLink: { readonly link: { readonly checkoutUrl: string } } }
const { data } = await network.ask<Created>(CREATE_LINK, { input: linkInput() })
const pages = {
  bare: `http://127.0.0.1:${(bare.address() as AddressInfo).port}/`,
  start: network.app.url,
  shop: `${network.app.url}/shop`,
  hosted: data.createPaymentLink.link.checkoutUrl,
  sandbox: network.sandbox.origin,
  console: `${network.app.url}/console`,
}
const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium-headless-shell'
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
try {
  console.log('page     width  largest paint  times bare  shift')
  for (const width of [390, 1280]) {
    let bareMs = 1
    for (const [name, url] of Object.entries(pages)) {
      const measured = []
      for (let round = 0; round < ROUNDS; round += 1) measured.push(await measure(url, width))
      const paintMs = median(measured.map((one) => one.paintMs))
      const shift = Math.max(...measured.map((one) => one.shift))
      if (name === 'bare') bareMs = paintMs
      const isGood = paintMs < GOALS.paintMs && shift < GOALS.shift
      console.log(
        `${name.padEnd(8)} ${String(width).padStart(5)}  ${paintMs.toFixed(0).padStart(10)} ms  ${(paintMs / bareMs).toFixed(1).padStart(10)}  ${shift.toFixed(3)}${isGood ? '' : '  above the goal'}`,
      )
    }
  }
} finally {
  await browser.close()
  await network.close()
  bare.close()
}

async function measure(url: string, width: number): Promise<{ readonly paintMs: number; readonly shift: number }> {
  const context = await browser.newContext({ viewport: { width, height: 800 } })
  try {
    await context.addInitScript(MEASURE_VITALS)
    const page = await context.newPage()
    await page.goto(url)
    await page.waitForTimeout(WATCHED_MS)
    return await page.evaluate('vitals')
  } finally {
    await context.close()
  }
}
