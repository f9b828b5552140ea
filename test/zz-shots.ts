import { chromium } from 'playwright-core'
import { startNetwork } from './support/network.ts'
import { createLink } from './support/operations.ts'
import { historyOf } from './support/payments.ts'

const network = await startNetwork({ sandbox: { paceMs: 3_600_000 } })
const states = ['received', 'failed', 'pending', 'in_dispute', 'waiting', 'authorised', 'partially_refunded', 'return_pending', 'return_rejected', 'received'] as const
const ids: string[] = []
for (let i = 0; i < 30; i += 1) {
  const customer = { firstName: 'Grace', lastName: `Hopper ${i}`, email: `grace${i}@example.test` }
  const { id } = await createLink(network, { reference: `order-${48000 + i}`, ...(i % 2 ? { customer } : {}) })
  await network.sandbox.control.setStatus(id, 'pending')
  const s = states[i % states.length]!
  if (s !== 'pending') await network.sandbox.control.setStatus(id, s as never)
  ids.push((await historyOf(network, id)).payment?.id ?? '')
}
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium-headless-shell', args: ['--no-sandbox'] })
const only = process.argv[2]
const views: [string, string][] = [['payments', '/payments'], ['disputed', `/payments/${ids[3]}`], ['failed', `/payments/${ids[1]}`], ['received', `/payments/${ids[0]}`], ['feed', '/feed'], ['deliveries', '/deliveries'], ['health', '/health'], ['links', '/links'], ['methods', '/methods'], ['accounts', '/accounts'], ['imports', '/imports'], ['agreements','/agreements'], ['gateway','/gateway-payments'], ['contacts','/contacts'], ['payouts','/payouts']]
for (const [w, h, scheme] of [[1280, 800, 'light'], [390, 844, 'dark'], [1280, 800, 'dark'], [390, 844, 'light']] as const) {
  const context = await browser.newContext({ viewport: { width: w, height: h }, colorScheme: scheme, locale: 'en', timezoneId: 'UTC' })
  const page = await context.newPage()
  page.on('console', (m) => { if (m.type() === 'error') console.log('ERR', m.text()) })
  page.on('pageerror', (e) => console.log('PAGEERR', e.stack))
  await page.goto(`${network.app.url}/console#token=${await network.token()}`)
  await page.getByRole('button', { name: 'Sign in as' }).click()
  await page.locator('h1').waitFor()
  for (const [name, at] of views) {
    if (only !== undefined && !only.split(',').includes(name)) continue
    await page.evaluate((hash) => { location.hash = hash }, `#${at}`)
    await page.waitForTimeout(900)
    await page.screenshot({ path: `/tmp/console-shots/${name}-${w}-${scheme}.png` })
  }
  if (only === undefined || only.includes('palette')) {
    await page.keyboard.press('Control+k'); await page.waitForTimeout(200); await page.keyboard.type('order-4800'); await page.waitForTimeout(600)
    await page.screenshot({ path: `/tmp/console-shots/palette-${w}-${scheme}.png` })
    await page.keyboard.press('Escape')
  }
  if (only === undefined || only.includes('chip')) {
    await page.evaluate(() => { location.hash = '#/payments' }); await page.waitForTimeout(500)
    await page.getByRole('button', { name: 'Status' }).click(); await page.waitForTimeout(200)
    await page.screenshot({ path: `/tmp/console-shots/chip-${w}-${scheme}.png` })
  }
  const sideways = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  if (sideways > 0) console.log('SIDEWAYS', w, sideways)
  await context.close()
}
await browser.close(); await network.close(); process.exit(0)
